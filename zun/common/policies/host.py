# SPDX-License-Identifier: Apache-2.0
"""Policies of compute hosts."""

from zun.common.policies import base

host_policies = [
    base.rule(
        'host:get', base.CONTEXT_IS_ADMIN,
        'Show a compute host.',
        ('GET', '/v1/hosts/{host_ident}')),
    base.rule(
        'host:get_all', base.CONTEXT_IS_ADMIN,
        'List compute hosts.',
        ('GET', '/v1/hosts')),
]


def list_rules():
    return host_policies
