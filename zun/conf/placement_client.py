# SPDX-License-Identifier: Apache-2.0
"""Options of the client of the Placement service."""

from oslo_config import cfg

from zun.conf import peer

placement_client_group = cfg.OptGroup(
    'placement_client',
    title='Client of the Placement service',
    help='How to reach the Placement service.')

placement_client_opts = [
    *peer.client_opts('Placement service'),
    *peer.client_certificate_opts('Placement service'),
]


def register_opts(conf):
    conf.register_group(placement_client_group)
    conf.register_opts(placement_client_opts, group=placement_client_group)


def list_opts():
    return {placement_client_group: placement_client_opts}
