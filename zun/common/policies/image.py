# SPDX-License-Identifier: Apache-2.0
"""Policies of images."""

from zun.common.policies import base

image_policies = [
    base.rule(
        'image:delete', base.CONTEXT_IS_ADMIN,
        'Delete an image.',
        ('DELETE', '/v1/images/{image_ident}')),
    base.rule(
        'image:get_all', base.CONTEXT_IS_ADMIN,
        'List images.',
        ('GET', '/v1/images')),
    base.rule(
        'image:get_one', base.CONTEXT_IS_ADMIN,
        'Show an image.',
        ('GET', '/v1/images/{image_id}')),
    base.rule(
        'image:pull', base.CONTEXT_IS_ADMIN,
        'Pull an image.',
        ('POST', '/v1/images')),
    base.rule(
        'image:search', base.ADMIN_OR_OWNER,
        'Search for images.',
        ('GET', '/v1/images/{image_ident}/search')),
]


def list_rules():
    return image_policies
