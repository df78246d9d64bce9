# SPDX-License-Identifier: Apache-2.0
"""Policies of quotas."""

from zun.common.policies import base

quota_policies = [
    base.rule(
        'quota:delete', base.CONTEXT_IS_ADMIN,
        'Delete the quotas of a project.',
        ('DELETE', '/v1/quotas/{project_id}')),
    base.rule(
        'quota:get', base.ADMIN_OR_OWNER,
        'Show the quotas of a project.',
        ('GET', '/v1/quotas/{project_id}')),
    base.rule(
        'quota:get_default', base.ADMIN_OR_OWNER,
        'Show the default quotas.',
        ('GET', '/v1/quotas/defaults')),
    base.rule(
        'quota:update', base.CONTEXT_IS_ADMIN,
        'Set the quotas of a project.',
        ('PUT', '/v1/quotas/{project_id}')),
]


def list_rules():
    return quota_policies
