# SPDX-License-Identifier: Apache-2.0
"""Kubernetes resource quantities."""

import decimal
import math

_SUFFIXES = {
    'n': decimal.Decimal('1e-9'), 'u': decimal.Decimal('1e-6'),
    'm': decimal.Decimal('1e-3'), '': decimal.Decimal(1),
    'k': decimal.Decimal(10) ** 3, 'M': decimal.Decimal(10) ** 6,
    'G': decimal.Decimal(10) ** 9, 'T': decimal.Decimal(10) ** 12,
    'P': decimal.Decimal(10) ** 15, 'E': decimal.Decimal(10) ** 18,
    'Ki': decimal.Decimal(2) ** 10, 'Mi': decimal.Decimal(2) ** 20,
    'Gi': decimal.Decimal(2) ** 30, 'Ti': decimal.Decimal(2) ** 40,
    'Pi': decimal.Decimal(2) ** 50, 'Ei': decimal.Decimal(2) ** 60}


def parse(text: str | int | float) -> decimal.Decimal:
    """The value of a quantity such as ``100m`` or ``1.5Gi``.

    :raises ValueError: for text that is no quantity.
    """
    raw = str(text).strip()
    digits = raw.rstrip('numkKMGTPEi')
    suffix = raw[len(digits):]
    try:
        return decimal.Decimal(digits) * _SUFFIXES[suffix]
    except (KeyError, decimal.InvalidOperation):
        raise ValueError('%r is not a resource quantity' % raw) from None


def milli(text: str | int | float) -> int:
    """A quantity in thousandths, rounded up (the unit of cpu)."""
    return math.ceil(parse(text) * 1000)


def whole(text: str | int | float) -> int:
    """A quantity in whole units, rounded up (bytes)."""
    return math.ceil(parse(text))
