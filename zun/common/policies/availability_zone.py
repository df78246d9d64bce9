# SPDX-License-Identifier: Apache-2.0
"""Policies of availability zones."""

from zun.common.policies import base

availability_zone_policies = [
    base.rule(
        'availability_zones:get_all', base.ADMIN_OR_OWNER,
        'List availability zones.',
        ('GET', '/v1/availability_zones')),
]


def list_rules():
    return availability_zone_policies
