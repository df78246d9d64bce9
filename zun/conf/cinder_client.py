# SPDX-License-Identifier: Apache-2.0
"""Options of the client of the Block Storage service."""

from oslo_config import cfg

from zun.conf import peer

cinder_client_group = cfg.OptGroup(
    'cinder_client',
    title='Client of the Block Storage service',
    help='How to reach the Block Storage service.')

cinder_client_opts = [
    *peer.client_opts('Block Storage service'),
    cfg.StrOpt(
        'api_version',
        default='3',
        help='Major version of the API.'),
]


def register_opts(conf):
    conf.register_group(cinder_client_group)
    conf.register_opts(cinder_client_opts, group=cinder_client_group)


def list_opts():
    return {cinder_client_group: cinder_client_opts}
