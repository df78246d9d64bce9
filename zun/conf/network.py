# SPDX-License-Identifier: Apache-2.0
"""Options of the network driver."""

from oslo_config import cfg

network_group = cfg.OptGroup(
    'network',
    title='Network driver',
    help='How containers get their ports.')

network_opts = [
    cfg.StrOpt(
        'driver',
        default='kuryr',
        help='Network driver: cni. The name kuryr of older releases means '
             'the same driver.'),
    cfg.StrOpt(
        'driver_name',
        default='kuryr',
        help='Unused: it named a network driver of Docker. Accepted so '
             'that configuration files of older releases keep working.'),
]


def register_opts(conf):
    conf.register_group(network_group)
    conf.register_opts(network_opts, group=network_group)


def list_opts():
    return {network_group: network_opts}
