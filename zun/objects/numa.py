# SPDX-License-Identifier: Apache-2.0
"""The NUMA nodes of a host and which of their processors are pinned."""

from collections.abc import Iterable
from typing import Any
from typing import Self

from zun.common import exception
from zun.objects import base
from zun.objects import fields


@base.ZunObjectRegistry.register
class NUMANode(base.ZunObject):
    """A NUMA node; memory in MiB."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'id': fields.IntegerField(),
        'cpuset': fields.SetOfIntegersField(),
        'pinned_cpus': fields.SetOfIntegersField(),
        'mem_total': fields.IntegerField(nullable=True),
        'mem_available': fields.IntegerField(nullable=True),
    }

    @property
    def free_cpus(self) -> set[int]:
        """The processors that no container is pinned to."""
        return self.cpuset - self.pinned_cpus

    @property
    def avail_cpus(self) -> int:
        """How many processors are free."""
        return len(self.free_cpus)

    def pin_cpus(self, cpus: Iterable[int]) -> None:
        """Pin processors.

        :raises CPUPinningUnknown: the node doesn't have one of them
        :raises CPUPinningInvalid: one of them is pinned already
        """
        cpus = set(cpus)
        if cpus - self.cpuset:
            raise exception.CPUPinningUnknown(
                requested=sorted(cpus), cpuset=sorted(self.pinned_cpus))
        if cpus & self.pinned_cpus:
            raise exception.CPUPinningInvalid(
                requested=sorted(cpus), free=sorted(self.free_cpus))
        self.pinned_cpus = self.pinned_cpus | cpus

    def unpin_cpus(self, cpus: Iterable[int]) -> None:
        """Release pinned processors.

        :raises CPUUnpinningUnknown: the node doesn't have one of them
        :raises CPUUnpinningInvalid: one of them is not pinned
        """
        cpus = set(cpus)
        if cpus - self.cpuset:
            raise exception.CPUUnpinningUnknown(
                requested=sorted(cpus), cpuset=sorted(self.pinned_cpus))
        if cpus - self.pinned_cpus:
            raise exception.CPUUnpinningInvalid(
                requested=sorted(cpus), pinned=sorted(self.pinned_cpus))
        self.pinned_cpus = self.pinned_cpus - cpus

    def _to_dict(self) -> dict[str, Any]:
        return {'id': self.id,
                'cpuset': sorted(self.cpuset),
                'pinned_cpus': sorted(self.pinned_cpus),
                'mem_total': self.mem_total,
                'mem_available': self.mem_available}

    @classmethod
    def _from_dict(cls, values: dict[str, Any]) -> Self:
        return cls(id=values.get('id'),
                   cpuset=set(values.get('cpuset') or ()),
                   pinned_cpus=set(values.get('pinned_cpus') or ()),
                   mem_total=values.get('mem_total'),
                   mem_available=values.get('mem_available'))


@base.ZunObjectRegistry.register
class NUMATopology(base.ZunObject):
    """The NUMA nodes of a host."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'nodes': fields.ListOfObjectsField('NUMANode'),
    }

    def obj_what_changed(self) -> set[str]:
        """Return the names of changed fields; a changed node is a change."""
        changes = super().obj_what_changed()
        if self.obj_attr_is_set('nodes') and any(
                node.obj_what_changed() for node in self.nodes):
            changes.add('nodes')
        return changes

    @classmethod
    def _from_dict(cls, values: dict[str, Any]) -> Self:
        return cls(nodes=[NUMANode._from_dict(node)
                          for node in values.get('nodes') or ()])

    def _to_dict(self) -> dict[str, Any]:
        return {'nodes': [node._to_dict() for node in self.nodes]}

    def to_list(self) -> list[dict[str, Any]]:
        """Return the nodes as dictionaries."""
        return [node._to_dict() for node in self.nodes]
