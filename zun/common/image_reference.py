# SPDX-License-Identifier: Apache-2.0
"""Names of images: ``[domain[:port]/]path[:tag][@digest]``.

The grammar is that of the distribution project's reference package. It is
written so that matching takes linear time whatever a client sends.
"""

import re
from typing import NamedTuple

from zun.common import exception
from zun.common.i18n import _

NAME_LENGTH_MAX = 255

# Hexadecimal digits of a digest, by algorithm.
DIGEST_LENGTHS = {'sha256': 64, 'sha384': 96, 'sha512': 128}

# Each repetition starts with a separator, so there is one way to match.
_LABEL = r'[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*'
_DOMAIN = rf'{_LABEL}(?:\.{_LABEL})*(?::[0-9]+)?'
_COMPONENT = r'[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
_PATH = rf'{_COMPONENT}(?:/{_COMPONENT})*'
_TAG = r'\w[\w.-]{0,127}'
_DIGEST = (r'[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*'
           r':[0-9a-fA-F]+')

_REFERENCE = re.compile(
    rf'(?P<name>(?:{_DOMAIN}/)?{_PATH})'
    rf'(?::(?P<tag>{_TAG}))?'
    rf'(?:@(?P<digest>{_DIGEST}))?$')


class DigestUnsupported(exception.InvalidReference):
    message = _('unsupported digest algorithm')


class DigestInvalidLength(exception.InvalidReference):
    message = _('invalid checksum digest length')


class Reference(NamedTuple):
    """A name of an image in parts.

    ``name`` holds the domain too; ``tag`` and ``digest`` are None where the
    name has none.
    """

    name: str
    tag: str | None
    digest: str | None

    @property
    def domain(self) -> str:
        """The registry, with its port; empty where the name holds none."""
        first, slash, _rest = self.name.partition('/')
        if slash and (first == 'localhost' or '.' in first or ':' in first):
            return first
        return ''


def parse(text: str) -> Reference:
    """Return the parts of a name.

    A line feed at the end is dropped, as the reference does.

    :raises zun.common.exception.InvalidReference: or one of its subclasses,
        that says what is wrong
    """
    if not text:
        raise exception.NameEmpty()
    match = _REFERENCE.match(text)
    if match is None:
        raise exception.ReferenceInvalidFormat()
    name, tag, digest = match.group('name', 'tag', 'digest')
    if len(name) > NAME_LENGTH_MAX:
        raise exception.NameTooLong(length_max=NAME_LENGTH_MAX)
    if digest is not None:
        _check_digest(digest)
    return Reference(name, tag, digest)


def _check_digest(digest: str) -> None:
    algorithm, _colon, value = digest.partition(':')
    if algorithm not in DIGEST_LENGTHS:
        raise DigestUnsupported()
    if len(value) != DIGEST_LENGTHS[algorithm]:
        raise DigestInvalidLength()
