# SPDX-License-Identifier: Apache-2.0
"""The microversions of the v1 API and how a request names one.

A request picks a version with the header
``OpenStack-API-Version: container <major>.<minor>`` (or ``latest``); without
it the oldest version is served.
"""

import functools
import re
from typing import NamedTuple

from zun.common.i18n import _

SERVICE_TYPE = 'container'

# Every version with what changed in requests or answers ('' for nothing).
# Routes and schemas name these numbers; the documentation prints the table.
HISTORY = (
    ('1.1', 'The first version of the API.'),
    ('1.2', ''),
    ('1.3', 'Containers take `auto_remove`.'),
    ('1.4', 'Hosts are listed and shown.'),
    ('1.5', 'Containers take `runtime`.'),
    ('1.6', 'The action `network_detach`.'),
    ('1.7', 'Delete of a container takes `force`.'),
    ('1.8', 'The action `network_attach`.'),
    ('1.9', 'Containers take `hostname`.'),
    ('1.10', ''),
    ('1.11', 'Containers take `mounts`.'),
    ('1.12', 'Delete of a container takes `stop`.'),
    ('1.13', 'The action `network_list`.'),
    ('1.14', 'The action `rename` is gone: update `name` instead.'),
    ('1.15', 'The actions `add_security_group` and `remove_security_group` '
             'are gone: change the port in the networking service instead.'),
    ('1.16', ''),
    ('1.17', ''),
    ('1.18', '`network_list` answers with an object, not a list.'),
    ('1.19', 'The action `resize_container`.'),
    ('1.20', '`command` of a container is a list, `tty` follows '
             '`interactive`, and `security_groups` and `exposed_ports` '
             'exclude each other.'),
    ('1.21', 'Containers take `privileged`.'),
    ('1.22', 'Containers take `healthcheck`.'),
    ('1.23', ''),
    ('1.24', 'Containers take `exposed_ports`.'),
    ('1.25', 'Archives travel as base64.'),
    ('1.26', ''),
    ('1.27', 'Networks are deleted.'),
    ('1.28', ''),
    ('1.29', ''),
    ('1.30', ''),
    ('1.31', 'Containers take `registry`.'),
    ('1.32', 'Capsules are shown in a new form.'),
    ('1.33', ''),
    ('1.34', ''),
    ('1.35', ''),
    ('1.36', '`tty` and `interactive` of a container are independent.'),
    ('1.37', ''),
    ('1.38', ''),
    ('1.39', 'Containers take `host`.'),
    ('1.40', 'Containers take `entrypoint`.'),
)


class Header:
    """Names of the headers that carry versions."""

    VERSION = 'OpenStack-API-Version'
    MIN_VERSION = 'OpenStack-API-Minimum-Version'
    MAX_VERSION = 'OpenStack-API-Maximum-Version'


class InvalidVersion(ValueError):
    """The version header can't be read."""


class Version(NamedTuple):
    """A version of the API; ordered as numbers, so 1.9 < 1.10."""

    major: int
    minor: int

    def __str__(self) -> str:
        return '%d.%d' % self

    @property
    def header(self) -> str:
        return '%s %d.%d' % (SERVICE_TYPE, *self)


def version(text: str) -> Version:
    """'1.19' -> Version(1, 19)."""
    major, minor = text.split('.')
    return Version(int(major), int(minor))


MIN_VERSION = version(HISTORY[0][0])
MAX_VERSION = version(HISTORY[-1][0])

_NUMBERS = re.compile(r'^\s*([^.]+)\.([^.]+)\s*$')


@functools.lru_cache(maxsize=256)
def parse(header: str | None) -> Version:
    """Read the value of a version header.

    ``<anything> latest`` is the newest version.  Whether the version is one
    that the API serves is not checked here.

    :raises InvalidVersion: for another service type, or not two integers.
    """
    if header is None:
        return MIN_VERSION
    fields = header.split()
    if len(fields) == 2 and fields[1].lower() == 'latest':
        return MAX_VERSION
    if len(fields) != 2 or fields[0] != SERVICE_TYPE:
        raise InvalidVersion(
            _('Invalid service type for %s header') % Header.VERSION)
    numbers = _NUMBERS.match(fields[1])
    try:
        return Version(int(numbers[1]), int(numbers[2]))
    except (TypeError, ValueError):
        raise InvalidVersion(
            _('Invalid value for %s header') % Header.VERSION)


def is_served(wanted: Version) -> bool:
    """Whether the API serves a version.

    Only the first major version exists, whatever its minor number compares
    to as a tuple.
    """
    return MIN_VERSION <= wanted <= MAX_VERSION
