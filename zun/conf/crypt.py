# SPDX-License-Identifier: Apache-2.0
"""Options of the encryption of secrets in the database."""

from oslo_config import cfg

# The default of the reference, which is public. Existing rows may be
# encrypted with it; services refuse to start with it.
PUBLISHED_KEY = 'notgood but just long enough i t'

crypt_opts = [
    cfg.StrOpt(
        'auth_encryption_key',
        secret=True,
        default=PUBLISHED_KEY,
        help='Key that encrypts the passwords of registries in the '
             'database: 32 characters or more, of which the first 32 '
             'count. The default is public and must be replaced.'),
]


def register_opts(conf):
    conf.register_opts(crypt_opts)


def list_opts():
    return {'DEFAULT': crypt_opts}
