# SPDX-License-Identifier: Apache-2.0
"""Options of the scheduler."""

from oslo_config import cfg

scheduler_group = cfg.OptGroup(
    'scheduler',
    title='Scheduler',
    help='How the host of a container is chosen.')

scheduler_opts = [
    cfg.StrOpt(
        'driver',
        default='filter_scheduler',
        choices=[
            ('chance_scheduler', 'any host that is up'),
            ('fake_scheduler', 'for tests'),
            ('filter_scheduler',
             'a candidate of the Placement service that passes all filters'),
        ],
        help='What chooses the host.'),
    cfg.MultiStrOpt(
        'available_filters',
        default=['zun.scheduler.filters.all_filters'],
        help='Where filters come from: full names of classes, or of a '
             'function that returns a list of classes. May be given '
             'several times.'),
    cfg.ListOpt(
        'enabled_filters',
        item_type=cfg.types.String(),
        default=['AvailabilityZoneFilter', 'ComputeFilter', 'RuntimeFilter'],
        help='Names of the filters that a host must pass, out of '
             'available_filters.'),
    cfg.IntOpt(
        'max_placement_results',
        default=1000,
        min=1,
        help='Most candidates that the Placement service is asked for.'),
]


def register_opts(conf):
    conf.register_group(scheduler_group)
    conf.register_opts(scheduler_opts, group=scheduler_group)


def list_opts():
    return {scheduler_group: scheduler_opts}
