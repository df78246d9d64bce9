# SPDX-License-Identifier: Apache-2.0
"""Signatures of controllers, looked at once.

Pecan inspects the controllers' functions several times on every request,
through all of their decorators; that took longer than reading a container.
"""

import functools

from pecan import core
from pecan import rest
from pecan import routing
from pecan import util


@functools.lru_cache(maxsize=4096)
def _of(function):
    return util.getargspec(function)


def getargspec(method):
    """The same as Pecan's, remembered for each function."""
    return _of(getattr(method, '__func__', method))


def remember() -> None:
    """Have Pecan use what is remembered."""
    for module in (core, rest, routing):
        module.getargspec = getargspec
