# SPDX-License-Identifier: Apache-2.0
"""Policies of services."""

from zun.common.policies import base

zun_service_policies = [
    base.rule(
        'zun-service:delete', base.CONTEXT_IS_ADMIN,
        'Delete a service.',
        ('DELETE', '/v1/services')),
    base.rule(
        'zun-service:disable', base.CONTEXT_IS_ADMIN,
        'Disable a service.',
        ('PUT', '/v1/services/disable')),
    base.rule(
        'zun-service:enable', base.CONTEXT_IS_ADMIN,
        'Enable a service.',
        ('PUT', '/v1/services/enable')),
    base.rule(
        'zun-service:force_down', base.CONTEXT_IS_ADMIN,
        'Declare a service down.',
        ('PUT', '/v1/services/force_down')),
    base.rule(
        'zun-service:get_all', base.CONTEXT_IS_ADMIN,
        'List services.',
        ('GET', '/v1/services')),
]


def list_rules():
    return zun_service_policies
