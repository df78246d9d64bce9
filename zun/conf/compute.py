# SPDX-License-Identifier: Apache-2.0
"""Options of scheduling onto a host and of what the host reserves."""

from oslo_config import cfg

compute_group = cfg.OptGroup(
    'compute',
    title='Compute hosts',
    help='What a host offers to containers and what it keeps back.')

service_opts = [
    cfg.StrOpt(
        'topic',
        default='zun-compute',
        help='Unused: work goes through the task table. Accepted so that '
             'configuration files of older releases keep working.'),
    cfg.StrOpt(
        'unique_container_name_scope',
        default='',
        choices=[
            ('', 'names need not be unique'),
            ('project', 'names are unique within a project'),
            ('global', 'names are unique in the whole deployment'),
        ],
        help='Within what the names of containers must differ; upper and '
             'lower case count as the same.'),
    cfg.BoolOpt(
        'resume_container_state',
        default=False,
        help='After a restart of a host, start the containers that ran '
             'before.'),
    cfg.BoolOpt(
        'remount_container_volume',
        default=True,
        help='After a restart of a host, attach the volumes of its '
             'containers again.'),
    cfg.BoolOpt(
        'enable_cpu_pinning',
        default=False,
        help='Offer whole processors to containers whose cpu_policy is '
             'dedicated.'),
    cfg.BoolOpt(
        'host_shared_with_nova',
        default=False,
        help='The host runs servers of the Compute service too: use the '
             'resource provider that the Compute service made for it.'),
]

reservation_opts = [
    cfg.FloatOpt(
        'reserve_disk_for_image',
        default=0.2,
        help="Share of a host's disk, from 0 to 1, that is kept for "
             'images.'),
    cfg.IntOpt(
        'reserved_host_disk_mb',
        default=0,
        help='Disk kept for the host itself, in MiB.'),
    cfg.IntOpt(
        'reserved_host_memory_mb',
        default=512,
        help='Memory kept for the host itself, in MiB.'),
    cfg.IntOpt(
        'reserved_host_cpus',
        default=0,
        help='Processors kept for the host itself.'),
]


def _allocation_ratio_opts(resource: str, prefix: str,
                           initial: float) -> list[cfg.Opt]:
    return [
        cfg.FloatOpt(
            f'{prefix}_allocation_ratio',
            help=f'How many times the {resource} of a host is offered. '
                 'Written to the inventory at every start; empty: an '
                 'existing inventory keeps its ratio.'),
        cfg.FloatOpt(
            f'initial_{prefix}_allocation_ratio',
            default=initial,
            help=f'How many times the {resource} of a host is offered when '
                 'its inventory is made, if '
                 f'{prefix}_allocation_ratio is empty.'),
    ]


placement_opts = [
    cfg.IntOpt(
        'resource_provider_association_refresh',
        default=300,
        mutable=True,
        help='Seconds for which what is known of the traits, aggregates '
             'and inventory of a resource provider counts as fresh. 0: for '
             'ever.'),
    *_allocation_ratio_opts('processors', 'cpu', 16.0),
    *_allocation_ratio_opts('memory', 'ram', 1.5),
    *_allocation_ratio_opts('disk', 'disk', 1.0),
]

ALL_OPTS = service_opts + reservation_opts + placement_opts


def register_opts(conf):
    conf.register_group(compute_group)
    conf.register_opts(ALL_OPTS, group=compute_group)


def list_opts():
    return {compute_group: ALL_OPTS}
