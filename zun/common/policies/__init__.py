# SPDX-License-Identifier: Apache-2.0
"""Default policies, one module a resource."""

from collections.abc import Iterator
import itertools

from oslo_policy import policy

from zun.common.policies import availability_zone
from zun.common.policies import base
from zun.common.policies import capsule
from zun.common.policies import container
from zun.common.policies import container_action
from zun.common.policies import host
from zun.common.policies import image
from zun.common.policies import network
from zun.common.policies import quota
from zun.common.policies import quota_class
from zun.common.policies import registry
from zun.common.policies import zun_service


def list_rules() -> Iterator[policy.RuleDefault]:
    """Return the defaults of all rules."""
    return itertools.chain(
        base.list_rules(),
        availability_zone.list_rules(),
        capsule.list_rules(),
        container.list_rules(),
        container_action.list_rules(),
        host.list_rules(),
        image.list_rules(),
        network.list_rules(),
        quota.list_rules(),
        quota_class.list_rules(),
        registry.list_rules(),
        zun_service.list_rules())
