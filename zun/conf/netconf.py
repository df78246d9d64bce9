# SPDX-License-Identifier: Apache-2.0
"""Options that say which machine this is."""

import socket

from oslo_config import cfg
from oslo_utils import netutils

netconf_opts = [
    cfg.StrOpt(
        'my_ip',
        default=netutils.get_my_ipv4(),
        sample_default='<this address>',
        help='Address of this machine, from which other options take '
             'their default.'),
    cfg.HostAddressOpt(
        'host',
        default=socket.gethostname(),
        sample_default='<current_hostname>',
        help='Name of this host: that of its services, of its resource '
             'provider and of the bindings of its ports. For '
             'zun-compute-agent it defaults to the name of the Node.'),
    cfg.StrOpt(
        'my_block_storage_ip',
        default='$my_ip',
        help='Address of this machine that the Block Storage service '
             'exports volumes to.'),
]


def register_opts(conf):
    conf.register_opts(netconf_opts)


def list_opts():
    return {'DEFAULT': netconf_opts}
