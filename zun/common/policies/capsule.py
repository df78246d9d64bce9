# SPDX-License-Identifier: Apache-2.0
"""Policies of capsules."""

from zun.common.policies import base

capsule_policies = [
    base.rule(
        'capsule:create', base.ADMIN_OR_OWNER,
        'Create a capsule.',
        ('POST', '/v1/capsules/')),
    base.rule(
        'capsule:delete', base.ADMIN_OR_OWNER,
        'Delete a capsule.',
        ('DELETE', '/v1/capsules/{capsule_ident}')),
    base.rule(
        'capsule:delete_all_projects', base.CONTEXT_IS_ADMIN,
        'Delete a capsule of any project.',
        ('DELETE', '/v1/capsules/{capsule_ident}')),
    base.rule(
        'capsule:get', base.ADMIN_OR_OWNER,
        'Show a capsule.',
        ('GET', '/v1/capsules/{capsule_ident}')),
    base.rule(
        'capsule:get:host', base.CONTEXT_IS_ADMIN,
        'See the host of a capsule.',
        ('GET', '/v1/capsules/{capsule_ident}'),
        ('GET', '/v1/capsules'),
        ('POST', '/v1/capsules')),
    base.rule(
        'capsule:get_all', base.ADMIN_OR_OWNER,
        'List capsules.',
        ('GET', '/v1/capsules/')),
    base.rule(
        'capsule:get_all_all_projects', base.CONTEXT_IS_ADMIN,
        'List the capsules of all projects.',
        ('GET', '/v1/capsules/')),
    base.rule(
        'capsule:get_one_all_projects', base.CONTEXT_IS_ADMIN,
        'Show a capsule of any project.',
        ('GET', '/v1/capsules/{capsule_ident}')),
]


def list_rules():
    return capsule_policies
