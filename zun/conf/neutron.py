# SPDX-License-Identifier: Apache-2.0
"""Options of Neutron's agents on a host."""

from oslo_config import cfg

neutron_group = cfg.OptGroup(
    'neutron',
    title='Networking on a host',
    help='How ports are plugged on a host.')

neutron_opts = [
    cfg.StrOpt(
        'ovs_bridge',
        default='br-int',
        help='Open vSwitch bridge that ports are plugged into if their '
             'binding names none.'),
]


def register_opts(conf):
    conf.register_group(neutron_group)
    conf.register_opts(neutron_opts, group=neutron_group)


def list_opts():
    return {neutron_group: neutron_opts}
