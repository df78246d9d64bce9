# SPDX-License-Identifier: Apache-2.0
"""Options of volumes."""

from oslo_config import cfg

from zun.conf import paths

volume_group = cfg.OptGroup(
    'volume',
    title='Volumes',
    help='Volumes that containers mount.')

volume_opts = [
    cfg.StrOpt(
        'driver',
        default='cinder',
        deprecated_for_removal=True,
        deprecated_reason='driver_list names them all.',
        help='Unused: see driver_list.'),
    cfg.ListOpt(
        'driver_list',
        item_type=cfg.types.String(),
        default=['cinder', 'local'],
        help='Volume drivers that may be used: cinder for volumes of the '
             'Block Storage service, local for files given in a request.'),
    cfg.StrOpt(
        'volume_dir',
        default=paths.state_path_def('mnt'),
        help='Unused: the kubelet mounts volumes. Accepted so that '
             'configuration files of older releases keep working.'),
    cfg.StrOpt(
        'fstype',
        default='ext4',
        help='File system that a new volume is formatted with.'),
    cfg.BoolOpt(
        'use_multipath',
        default=False,
        help='Attach volumes through several paths where they offer '
             'them.'),
    cfg.IntOpt(
        'timeout_wait_volume_available',
        default=60,
        help='Seconds to wait for a new volume to become available.'),
    cfg.IntOpt(
        'timeout_wait_volume_deleted',
        default=60,
        help='Seconds to wait for a volume to be deleted.'),
]


def register_opts(conf):
    conf.register_group(volume_group)
    conf.register_opts(volume_opts, group=volume_group)


def list_opts():
    return {volume_group: volume_opts}
