# SPDX-License-Identifier: Apache-2.0
"""What a container asks of Placement, and how its share is claimed."""

import collections
import dataclasses
import math
import re
from urllib import parse

import os_resource_classes as orc
from oslo_log import log as logging

from zun.common import exception
from zun.common.i18n import _
import zun.conf
from zun import objects

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)

# A claim that loses a race is tried again with fresh figures.
CLAIM_ATTEMPTS = 4

# Hints that compare hosts need to see all of them.
COMPARING_HINTS = ('group', 'same_host', 'different_host')
GROUP_POLICIES = ('none', 'isolate')
TRAIT_FORMS = ('required', 'forbidden')

# "resources:VCPU" is about the provider itself, "resources1:VGPU" about a
# provider of its own; a number has no leading zero.
_SPEC_KEY = re.compile(
    r'^(?P<kind>resources|trait)(?P<group>[1-9][0-9]*)?:(?P<name>.*)$')


def is_close(a: float, b: float) -> bool:
    """Whether two amounts differ by no more than a millionth."""
    return math.isclose(a, b, rel_tol=1e-6)


def is_less_than(a: float, b: float) -> bool:
    """Whether ``a`` is less than ``b`` by more than an error of rounding."""
    return a < b and not is_close(a, b)


def convert_mb_to_ceil_gb(mb: float) -> int:
    """Whole GiB that hold ``mb`` MiB."""
    return int(math.ceil(mb / 1024.0))


@dataclasses.dataclass
class RequestGroup:
    """Resources and traits that one provider must have."""
    resources: dict[str, int] = dataclasses.field(default_factory=dict)
    required: set[str] = dataclasses.field(default_factory=set)
    forbidden: set[str] = dataclasses.field(default_factory=set)

    def parameters(self, suffix: str) -> dict[str, str]:
        """The query parameters of the group numbered ``suffix``."""
        found = {'resources' + suffix: ','.join(
            '%s:%s' % item for item in sorted(self.resources.items()))}
        traits = sorted(self.required) + [
            '!' + trait for trait in sorted(self.forbidden)]
        if traits:
            found['required' + suffix] = ','.join(traits)
        return found


class ResourceRequest:
    """A query for allocation candidates.

    ``limit`` is the most candidates wanted (None: all); ``in_tree`` the
    uuid of the only provider tree that may answer.
    """

    def __init__(self):
        # Key: number of the group as text, '' for the one without.
        self._groups: dict[str, RequestGroup] = {}
        self.group_policy: str | None = None
        self.in_tree: str | None = None
        self.limit: int | None = CONF.scheduler.max_placement_results

    @classmethod
    def from_extra_specs(cls, extra_specs: dict) -> 'ResourceRequest':
        """Read the keys ``resources[N]:CLASS``, ``trait[N]:NAME`` and
        ``group_policy``; what cannot be understood is left out.
        """
        request = cls()
        for key, value in extra_specs.items():
            if key == 'group_policy':
                request._read_group_policy(value)
                continue
            match = _SPEC_KEY.match(key)
            if match is None:
                continue
            read = (request._read_resource if match['kind'] == 'resources'
                    else request._read_trait)
            read(match['group'] or '', match['name'], value)
        return request

    def group(self, number: str = '') -> RequestGroup:
        """The group of this number, made when it is not there."""
        return self._groups.setdefault(number, RequestGroup())

    def _read_group_policy(self, value) -> None:
        if value in GROUP_POLICIES:
            self.group_policy = value
        else:
            LOG.warning("Invalid group_policy '%s'. Valid values are '%s'",
                        value, "', '".join(GROUP_POLICIES))

    def _read_resource(self, number: str, name: str, value) -> None:
        if name not in orc.STANDARDS and not orc.is_custom(name):
            LOG.warning("Unknown resource class '%s' is ignored.", name)
            return
        try:
            amount = int(value)
        except (TypeError, ValueError):
            amount = -1
        if amount < 0:
            LOG.warning("Resource amount '%(amount)s' of %(name)s is "
                        "ignored: it must be a whole number, 0 or more.",
                        {'amount': value, 'name': name})
            return
        self.group(number).resources[name] = amount

    def _read_trait(self, number: str, name: str, value) -> None:
        if value not in TRAIT_FORMS:
            LOG.warning("Trait %(name)s must be 'required' or 'forbidden', "
                        "not '%(value)s'; it is ignored.",
                        {'name': name, 'value': value})
            return
        getattr(self.group(number), value).add(name)

    def merged_resources(self) -> dict[str, int]:
        """The sums of all groups by resource class."""
        total: collections.Counter = collections.Counter()
        for group in self._groups.values():
            for name, amount in group.resources.items():
                total[name] += amount
        return dict(total)

    def add_defaults(self, resources: dict[str, int]) -> None:
        """Ask for these too, where no group names the class, and for
        nothing of what amounts to 0.
        """
        named = self.merged_resources()
        for name, amount in resources.items():
            if name not in named:
                self.group().resources[name] = amount
        for group in self._groups.values():
            group.resources = {name: amount for name, amount
                               in group.resources.items() if amount}

    def to_querystring(self) -> str:
        """The query of ``GET /allocation_candidates``, keys sorted."""
        parameters = {'group_policy': self.group_policy,
                      'in_tree': self.in_tree, 'limit': self.limit}
        for number, group in self._groups.items():
            parameters.update(group.parameters(number))
        return parse.urlencode(sorted(
            (key, value) for key, value in parameters.items()
            if value is not None))


def resources_of(container) -> dict[str, int]:
    """What a container itself takes, by resource class: cpus rounded up,
    MiB, GiB; at least one cpu and one MiB.
    """
    cpu = CONF.default_cpu if container.cpu is None else container.cpu
    memory = CONF.default_memory if container.memory is None \
        else container.memory
    return {orc.VCPU: max(1, math.ceil(cpu)),
            orc.MEMORY_MB: max(1, int(memory)),
            orc.DISK_GB: int(container.disk or 0)}


def resources_from_container(container, extra_spec: dict) -> ResourceRequest:
    """The query for a container.

    :param extra_spec: ``hints``, ``in_tree`` and the keys that
        :meth:`ResourceRequest.from_extra_specs` reads; these win over the
        container's own figures.
    """
    request = ResourceRequest.from_extra_specs(extra_spec)
    request.add_defaults(resources_of(container))
    request.in_tree = extra_spec.get('in_tree')
    hints = extra_spec.get('hints') or {}
    if any(hint in hints for hint in COMPARING_HINTS):
        request.limit = None
    return request


def find_requested_host(context, host: str) -> 'objects.ComputeNode':
    """The compute node whose host name a request gives.

    :raises RequestedHostNotFound: 404. :raises Conflict: several nodes
        have the name.
    """
    try:
        return objects.ComputeNode.get_by_name(context, host)
    except exception.ComputeNodeNotFound as exc:
        raise exception.RequestedHostNotFound(host=host) from exc


def claim_lost() -> exception.Conflict:
    """The error of a claim that lost every race."""
    return exception.Conflict(_(
        'The resources of every suitable host were taken by other requests '
        'meanwhile. Please try again.'))
