# SPDX-License-Identifier: Apache-2.0
"""Options of containers: drivers, defaults and bounds of a request."""

from oslo_config import cfg

driver_opts = [
    cfg.StrOpt(
        'container_driver',
        default='docker',
        help='Driver that runs containers: k8s. The names docker and cri '
             'of older releases mean the same driver.'),
    cfg.StrOpt(
        'capsule_driver',
        default='cri',
        help='Driver that runs capsules: k8s. The names docker and cri of '
             'older releases mean the same driver.'),
    cfg.StrOpt(
        'container_runtime',
        default='runc',
        help='Runtime recorded for a container whose request names none.'),
    cfg.StrOpt(
        'default_image_driver',
        default='docker',
        help='Image driver of a container whose request names none.'),
    cfg.ListOpt(
        'image_driver_list',
        item_type=cfg.types.String(),
        default=['glance', 'docker'],
        help='Image drivers that requests may name.'),
    cfg.StrOpt(
        'floating_cpu_set',
        default='',
        help='Processors of a host that serve containers without a '
             'dedicated cpu_policy: numbers and ranges, as in 1-3,5.'),
    cfg.IntOpt(
        'default_sleep_time',
        default=1,
        help='Seconds between two looks at a container that is expected '
             'to change.'),
    cfg.IntOpt(
        'default_timeout',
        default=600,
        help='Seconds after which waiting for a container to change is '
             'given up.'),
]

request_opts = [
    cfg.FloatOpt(
        'default_cpu',
        default=1.0,
        help='Processors of a container whose request names no number.'),
    cfg.IntOpt(
        'default_memory',
        default=512,
        help='Memory of a container whose request names none, in MiB.'),
    cfg.IntOpt(
        'default_memory_swap',
        default=-1,
        help='Memory and swap of a container together, in MiB; -1 for no '
             'limit. Kubernetes gives containers no swap.'),
    cfg.IntOpt(
        'default_disk',
        default=10,
        help='Disk of a container whose request names none, in GiB.'),
    cfg.FloatOpt(
        'minimum_cpus',
        default=0.1,
        help='Fewest processors that a request may ask for.'),
    cfg.FloatOpt(
        'maximum_cpus',
        default=16.0,
        help='Most processors that a request may ask for.'),
    cfg.IntOpt(
        'minimum_memory',
        default=4,
        help='Least memory that a request may ask for, in MiB.'),
    cfg.IntOpt(
        'maximum_memory',
        default=8192,
        help='Most memory that a request may ask for, in MiB.'),
    cfg.IntOpt(
        'minimum_disk',
        default=1,
        help='Least disk that a request may ask for, in GiB.'),
    cfg.IntOpt(
        'maximum_disk',
        default=160,
        help='Most disk that a request may ask for, in GiB.'),
]

ALL_OPTS = driver_opts + request_opts


def register_opts(conf):
    conf.register_opts(ALL_OPTS)


def list_opts():
    return {'DEFAULT': ALL_OPTS}
