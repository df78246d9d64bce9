# SPDX-License-Identifier: Apache-2.0
"""Amounts of cpu, memory and disk in the words of Kubernetes.

Placement grants ``amount * allocation ratio``; for the scheduler of
Kubernetes to grant the same, a container asks for (requests) its amount
divided by the ratio and is stopped (limits) at the whole of it. Requests
stay a little below limits even at a ratio of 1: the QoS class of a Pod
can't change, so a container that must stay resizable is Burstable.
"""

import math
import re
import typing

from zun.common import exception
from zun.common.i18n import _

_MEMORY = re.compile(r'(\d+)(?:\.0*)?\s*([bkmg]?)\Z', re.I)
_UNITS = {'b': 1, 'k': 1024, 'm': 1024 ** 2, 'g': 1024 ** 3}
MIB = 1024 ** 2

# The smallest amounts that containers can start with.
_LEAST_CPU = 1
_LEAST_MEMORY = 4 * MIB


class Ratios(typing.NamedTuple):
    """Allocation ratios of the nodes: cpu, memory, disk."""

    cpu: float = 1.0
    memory: float = 1.0
    disk: float = 1.0


def memory_bytes(memory: str | int | None) -> int:
    """Bytes of the ``memory`` field; a bare number counts MiB.

    >>> memory_bytes('512'), memory_bytes('1g'), memory_bytes(None)
    (536870912, 1073741824, 0)
    """
    if memory in (None, ''):
        return 0
    match = _MEMORY.match(str(memory).strip())
    if match is None:
        raise exception.Invalid(
            _('Memory %s is not a number of MiB.') % memory)
    amount, unit = match.groups()
    return int(amount) * _UNITS[unit.lower() or 'm']


def quantities(cpu: float | None, memory: str | int | None,
               disk: int | None, cpu_policy: str | None = 'shared',
               ratios: Ratios = Ratios()) -> dict:
    """``resources`` of a Kubernetes container.

    :param cpu: cores; 0 or None sets nothing.
    :param memory: see :func:`memory_bytes`.
    :param disk: GiB of writable layer and logs.
    :param cpu_policy: ``dedicated`` gives whole cores and requests equal
        to limits, as the static CPU manager wants it.
    """
    millis = math.ceil((cpu or 0) * 1000)
    size = memory_bytes(memory)
    if cpu_policy == 'dedicated':
        cores = math.ceil(cpu or 0)
        limits = _amounts(cores * 1000, size, disk or 0)
        return _resources(limits, dict(limits))
    return _resources(
        _amounts(millis, size, disk or 0),
        _amounts(_share(millis, ratios.cpu, _LEAST_CPU),
                 _share(size, ratios.memory, _LEAST_MEMORY),
                 math.ceil((disk or 0) / ratios.disk)))


def _share(amount, ratio, least):
    """What is asked for of an amount: below it, and at least something."""
    if not amount:
        return 0
    return max(min(math.ceil(amount / ratio), amount - 1),
               min(least, amount))


def _amounts(millis, size, disk):
    amounts = {'cpu': _cpu(millis), 'memory': _memory(size),
               'ephemeral-storage': '%dGi' % disk}
    present = {'cpu': millis, 'memory': size, 'ephemeral-storage': disk}
    return {key: value for key, value in amounts.items() if present[key]}


def _cpu(millis):
    return '%dm' % millis if millis % 1000 else str(millis // 1000)


def _memory(size):
    return str(size) if size % MIB else '%dMi' % (size // MIB)


def _resources(limits, requests):
    return {'limits': limits, 'requests': requests} if limits else {}


def cpu_of(quantity: str) -> float:
    """Cores of a cpu quantity such as ``500m`` or ``2``.

    >>> cpu_of('500m'), cpu_of('2')
    (0.5, 2.0)
    """
    if quantity.endswith('m'):
        return int(quantity[:-1]) / 1000
    return float(quantity)


_SUFFIXES = {'': 1, 'k': 10 ** 3, 'M': 10 ** 6, 'G': 10 ** 9, 'T': 10 ** 12,
             'P': 10 ** 15, 'Ki': 2 ** 10, 'Mi': 2 ** 20, 'Gi': 2 ** 30,
             'Ti': 2 ** 40, 'Pi': 2 ** 50, 'm': 1e-3}


def bytes_of(quantity: str) -> int:
    """Bytes of a memory or storage quantity such as ``512Mi``.

    >>> bytes_of('512Mi'), bytes_of('1k')
    (536870912, 1000)
    """
    match = re.match(r'([0-9.]+(?:[eE][0-9]+)?)([a-zA-Z]*)\Z', quantity)
    if match is None or match.group(2) not in _SUFFIXES:
        raise ValueError('%r is not a quantity' % quantity)
    return math.ceil(float(match.group(1)) * _SUFFIXES[match.group(2)])
