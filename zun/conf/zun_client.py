# SPDX-License-Identifier: Apache-2.0
"""Options of the client of the Containers service."""

from oslo_config import cfg

from zun.conf import peer

zun_client_group = cfg.OptGroup(
    'zun_client',
    title='Client of the Containers service',
    help='How to reach the Containers service.')

zun_client_opts = [
    *peer.client_opts('Containers service'),
    *peer.client_certificate_opts('Containers service'),
]


def register_opts(conf):
    conf.register_group(zun_client_group)
    conf.register_opts(zun_client_opts, group=zun_client_group)


def list_opts():
    return {zun_client_group: zun_client_opts}
