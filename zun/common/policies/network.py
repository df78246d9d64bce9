# SPDX-License-Identifier: Apache-2.0
"""Policies of networks."""

from zun.common.policies import base

network_policies = [
    base.rule(
        'network:attach_external_network', base.ROLE_ADMIN,
        'Attach a container to an external network.',
        ('POST', '/v1/containers')),
    base.rule(
        'network:create', base.ROLE_ADMIN,
        'Create a network.',
        ('POST', '/v1/networks')),
    base.rule(
        'network:delete', base.ROLE_ADMIN,
        'Delete a network.',
        ('DELETE', '/v1/networks')),
]


def list_rules():
    return network_policies
