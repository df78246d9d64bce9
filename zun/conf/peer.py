# SPDX-License-Identifier: Apache-2.0
"""Options that the groups of the peers' clients have in common."""

from oslo_config import cfg


def client_opts(service: str) -> list[cfg.Opt]:
    """Return the options of a client of ``service`` (its full name)."""
    return [
        cfg.StrOpt(
            'region_name',
            help=f'Region in which the endpoint of the {service} is looked '
                 'for in the catalogue.'),
        cfg.StrOpt(
            'endpoint_type',
            default='publicURL',
            help='Interface of the endpoint to use: publicURL, internalURL '
                 'or adminURL.'),
        cfg.StrOpt(
            'ca_file',
            help='File of the certificate authorities that may sign the '
                 f'certificate of the {service}.'),
        cfg.BoolOpt(
            'insecure',
            default=False,
            help=f'Do not verify the certificate of the {service}.'),
    ]


def client_certificate_opts(service: str) -> list[cfg.Opt]:
    """Return the options of a client that shows a certificate."""
    return [
        cfg.StrOpt(
            'cert_file',
            help='Certificate that this service shows to the '
                 f'{service}.'),
        cfg.StrOpt(
            'key_file',
            help='Key of the certificate in cert_file.'),
    ]
