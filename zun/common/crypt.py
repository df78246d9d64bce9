# SPDX-License-Identifier: Apache-2.0
"""Encryption of secrets that the database holds (Fernet).

The key is the first 32 characters of ``auth_encryption_key``, as in the
reference, so that existing rows can be read.
"""

import base64

from cryptography import fernet

from zun.common import exception
from zun.common.i18n import _
import zun.conf

CONF = zun.conf.CONF

KEY_LENGTH = 32


def _cipher() -> fernet.Fernet:
    key = CONF.auth_encryption_key.encode('utf-8')[:KEY_LENGTH]
    if len(key) < KEY_LENGTH:
        raise exception.ConfigInvalid(error_msg=_(
            'auth_encryption_key has %(length)d characters; it needs at '
            'least %(needed)d.') % {'length': len(key),
                                    'needed': KEY_LENGTH})
    return fernet.Fernet(base64.b64encode(key))


def encrypt(value: str | bytes | None) -> str | None:
    """Return the encrypted form of a value; None stays None.

    :raises zun.common.exception.ConfigInvalid: the key is too short
    """
    if value is None:
        return None
    if isinstance(value, str):
        value = value.encode('utf-8')
    return _cipher().encrypt(value).decode('ascii')


def decrypt(value: str | bytes | None) -> str | None:
    """Return what was encrypted; None stays None.

    :raises zun.common.exception.InvalidEncryptionKey: it was encrypted with
        another key, or is not encrypted at all
    :raises zun.common.exception.ConfigInvalid: the key is too short
    """
    if value is None:
        return None
    if isinstance(value, str):
        value = value.encode('utf-8')
    try:
        return _cipher().decrypt(value).decode('utf-8')
    except fernet.InvalidToken:
        raise exception.InvalidEncryptionKey()


def uses_published_key() -> bool:
    """Tell whether the key is the one that everybody knows."""
    return CONF.auth_encryption_key == zun.conf.crypt.PUBLISHED_KEY
