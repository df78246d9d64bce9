# SPDX-License-Identifier: Apache-2.0
"""Policies of the actions on containers."""

from zun.common.policies import base

container_action_policies = [
    base.rule(
        'container:action:events', base.CONTEXT_IS_ADMIN,
        'See the events of an action on a container.',
        ('GET',
         '/v1/containers/{container_ident}/container_actions/{request_id}')),
    base.rule(
        'container:actions', base.ADMIN_OR_OWNER,
        'List and show the actions on a container.',
        ('GET', '/v1/containers/{container_ident}/container_actions/'),
        ('GET',
         '/v1/containers/{container_ident}/container_actions/{request_id}')),
]


def list_rules():
    return container_action_policies
