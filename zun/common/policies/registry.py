# SPDX-License-Identifier: Apache-2.0
"""Policies of registries."""

from zun.common.policies import base

registry_policies = [
    base.rule(
        'registry:create', base.ADMIN_OR_OWNER,
        'Create a registry.',
        ('POST', '/v1/registries')),
    base.rule(
        'registry:delete', base.ADMIN_OR_OWNER,
        'Delete a registry.',
        ('DELETE', '/v1/registries/{registry_ident}')),
    base.rule(
        'registry:get_all', base.ADMIN_OR_OWNER,
        'List registries.',
        ('GET', '/v1/registries')),
    base.rule(
        'registry:get_all_all_projects', base.CONTEXT_IS_ADMIN,
        'List the registries of all projects.',
        ('GET', '/v1/registries')),
    base.rule(
        'registry:get_one', base.ADMIN_OR_OWNER,
        'Show a registry.',
        ('GET', '/v1/registries/{registry_ident}')),
    base.rule(
        'registry:update', base.ADMIN_OR_OWNER,
        'Change a registry.',
        ('PATCH', '/v1/registries/{registry_ident}')),
]


def list_rules():
    return registry_policies
