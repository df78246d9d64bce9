# SPDX-License-Identifier: Apache-2.0
"""Policies of quota classes."""

from zun.common.policies import base

quota_class_policies = [
    base.rule(
        'quota_class:get', base.CONTEXT_IS_ADMIN,
        'Show the quotas of a class.',
        ('GET', '/v1/quota_classes/{quota_class_name}')),
    base.rule(
        'quota_class:update', base.CONTEXT_IS_ADMIN,
        'Set the quotas of a class.',
        ('PUT', '/v1/quota_classes/{quota_class_name}')),
]


def list_rules():
    return quota_class_policies
