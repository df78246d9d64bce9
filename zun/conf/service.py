# SPDX-License-Identifier: Apache-2.0
"""Options of the services and of what they do from time to time."""

from oslo_config import cfg

service_opts = [
    cfg.IntOpt(
        'service_down_time',
        default=180,
        help='Seconds without a heartbeat after which a service counts as '
             'down.'),
    cfg.IntOpt(
        'periodic_interval_max',
        default=60,
        help='Seconds between two heartbeats of a service at most.'),
    cfg.IntOpt(
        'sync_container_state_interval',
        default=60,
        help='Seconds between two comparisons of the database with the '
             'cluster. Changes are watched for besides.'),
    cfg.StrOpt(
        'rootwrap_config',
        default='/etc/zun/rootwrap.conf',
        help='Unused: nothing runs through rootwrap. Accepted so that '
             'configuration files of older releases keep working.'),
]


def register_opts(conf):
    conf.register_opts(service_opts)


def list_opts():
    return {'DEFAULT': service_opts}
