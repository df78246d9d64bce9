# SPDX-License-Identifier: Apache-2.0
"""Options of the client of the Networking service."""

from oslo_config import cfg

from zun.conf import peer

neutron_client_group = cfg.OptGroup(
    'neutron_client',
    title='Client of the Networking service',
    help='How to reach the Networking service.')

neutron_client_opts = [
    *peer.client_opts('Networking service'),
    *peer.client_certificate_opts('Networking service'),
]


def register_opts(conf):
    conf.register_group(neutron_client_group)
    conf.register_opts(neutron_client_opts, group=neutron_client_group)


def list_opts():
    return {neutron_client_group: neutron_client_opts}
