# SPDX-License-Identifier: Apache-2.0
"""Options of availability zones."""

from oslo_config import cfg

availability_zone_opts = [
    cfg.StrOpt(
        'default_availability_zone',
        default='nova',
        help='Availability zone of a host that has none of its own.'),
    cfg.StrOpt(
        'default_schedule_zone',
        help='Availability zone in which a container is placed if its '
             'request names none. Empty: any zone.'),
]


def register_opts(conf):
    conf.register_opts(availability_zone_opts)


def list_opts():
    return {'DEFAULT': availability_zone_opts}
