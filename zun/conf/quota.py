# SPDX-License-Identifier: Apache-2.0
"""Options of quotas."""

from oslo_config import cfg

quota_group = cfg.OptGroup(
    'quota',
    title='Quotas',
    help='What a project may use if nothing is set for it; -1 for no '
         'limit.')

quota_opts = [
    cfg.IntOpt(
        'containers',
        default=40,
        min=-1,
        help='Containers of a project.'),
    cfg.IntOpt(
        'cpu',
        default=20,
        min=-1,
        help='Processors of a project.'),
    cfg.IntOpt(
        'memory',
        default=51200,
        min=-1,
        help='Memory of a project, in MiB.'),
    cfg.IntOpt(
        'disk',
        default=100,
        min=-1,
        help='Disk of a project, in GiB.'),
    cfg.StrOpt(
        'driver',
        default='zun.common.quota.DbQuotaDriver',
        choices=[
            ('zun.common.quota.DbQuotaDriver',
             'limits and usages are kept in the database'),
            ('zun.common.quota.NoopQuotaDriver', 'nothing is limited'),
        ],
        help='What enforces quotas.'),
]


def register_opts(conf):
    conf.register_group(quota_group)
    conf.register_opts(quota_opts, group=quota_group)


def list_opts():
    return {quota_group: quota_opts}
