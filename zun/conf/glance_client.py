# SPDX-License-Identifier: Apache-2.0
"""Options of the client of the Image service."""

from oslo_config import cfg

from zun.conf import peer

glance_client_group = cfg.OptGroup(
    'glance_client',
    title='Client of the Image service',
    help='How to reach the Image service.')

glance_client_opts = [
    *peer.client_opts('Image service'),
    *peer.client_certificate_opts('Image service'),
    cfg.StrOpt(
        'api_version',
        default='2',
        help='Major version of the API.'),
]


def register_opts(conf):
    conf.register_group(glance_client_group)
    conf.register_opts(glance_client_opts, group=glance_client_group)


def list_opts():
    return {glance_client_group: glance_client_opts}
