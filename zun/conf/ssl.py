# SPDX-License-Identifier: Apache-2.0
"""Options of TLS on the service's own listeners."""

from oslo_config import cfg

ssl_group = cfg.OptGroup(
    'ssl',
    title='TLS',
    help='Certificate of the API, where it serves TLS itself '
         '([api] enable_ssl_api).')

_DEPRECATED = {
    'deprecated_for_removal': True,
    'deprecated_reason': 'A WSGI server or a proxy in front of zun-api '
                         'should end TLS.',
}

ssl_opts = [
    cfg.StrOpt(
        'ca_file',
        help='Authorities that sign the certificates of clients. Empty: '
             'clients need none.',
        **_DEPRECATED),
    cfg.StrOpt(
        'cert_file',
        help='Certificate of the server.',
        **_DEPRECATED),
    cfg.StrOpt(
        'key_file',
        help='Key of the certificate.',
        **_DEPRECATED),
    cfg.StrOpt(
        'version',
        help='Lowest version of TLS to accept: TLSv1.2 or TLSv1.3. Older '
             'ones are never accepted.',
        **_DEPRECATED),
    cfg.StrOpt(
        'ciphers',
        help='Ciphers to accept, in the notation of OpenSSL.',
        **_DEPRECATED),
]


def register_opts(conf):
    conf.register_group(ssl_group)
    conf.register_opts(ssl_opts, group=ssl_group)


def list_opts():
    return {ssl_group: ssl_opts}
