# SPDX-License-Identifier: Apache-2.0
"""A host that runs containers."""

import json
from typing import Any
from typing import Self

from oslo_serialization import jsonutils

from zun.db import api as dbapi
from zun.objects import base
from zun.objects import fields
from zun.objects import numa
from zun.objects import pci_device_pool

# The column of the pools has another name.
_POOLS = 'pci_device_pools'
_POOLS_COLUMN = 'pci_stats'


@base.ZunObjectRegistry.register
class ComputeNode(base.ZunPersistentObject, base.ZunObject):
    """A host: what it has and what is used; MiB of memory, GiB of disk."""

    # Version 1.14 of Zun 18.0.0
    VERSION = '1.14'

    fields = {
        'uuid': fields.UUIDField(nullable=False),
        'rp_uuid': fields.UUIDField(nullable=False),
        'numa_topology': fields.ObjectField('NUMATopology', nullable=True),
        'hostname': fields.StringField(nullable=False),
        'mem_total': fields.IntegerField(nullable=False),
        'mem_free': fields.IntegerField(nullable=False),
        'mem_available': fields.IntegerField(nullable=False),
        'mem_used': fields.IntegerField(nullable=False),
        'total_containers': fields.IntegerField(nullable=False),
        'running_containers': fields.IntegerField(nullable=False),
        'paused_containers': fields.IntegerField(nullable=False),
        'stopped_containers': fields.IntegerField(nullable=False),
        'cpus': fields.IntegerField(nullable=False),
        'cpu_used': fields.FloatField(nullable=False),
        'architecture': fields.StringField(nullable=True),
        'os_type': fields.StringField(nullable=True),
        'os': fields.StringField(nullable=True),
        'kernel_version': fields.StringField(nullable=True),
        'labels': fields.DictOfStringsField(nullable=True),
        'pci_device_pools': fields.ObjectField('PciDevicePoolList',
                                               nullable=True),
        'disk_total': fields.IntegerField(nullable=False),
        'disk_used': fields.IntegerField(nullable=False),
        'disk_quota_supported': fields.BooleanField(nullable=False),
        'runtimes': fields.ListOfStringsField(nullable=True),
        'enable_cpu_pinning': fields.BooleanField(nullable=False),
    }

    @classmethod
    def _fill(cls, obj: Self, row: base.Row) -> Self:
        return super()._fill(obj, {**row, _POOLS: row[_POOLS_COLUMN]})

    @classmethod
    def _to_field(cls, name: str, value: Any) -> Any:
        if name == 'numa_topology':
            # A node without one has no nodes to pin to.
            return numa.NUMATopology._from_dict(value or {'nodes': []})
        if name == _POOLS:
            if not value:
                return None
            return pci_device_pool.PciDevicePoolList.obj_from_primitive(
                json.loads(value))
        return value

    def _changes_to_row(self) -> base.Row:
        values = super()._changes_to_row()
        if _POOLS in values:
            pools = values.pop(_POOLS)
            values[_POOLS_COLUMN] = None if pools is None else (
                jsonutils.dumps(pools.obj_to_primitive()))
        if values.get('numa_topology') is not None:
            values['numa_topology'] = values['numa_topology']._to_dict()
        return values

    @base.remotable
    def create(self, context):
        """Insert the node.

        :raises ComputeNodeAlreadyExists: its uuid, or that of its resource
            provider, is taken
        """
        self._fill(self, dbapi.create_compute_node(context,
                                                   self._changes_to_row()))

    @base.remotable_classmethod
    def get_by_uuid(cls, context, uuid):
        """Return the node of a uuid.

        :raises ComputeNodeNotFound: there is none
        """
        return cls._from_row(context, dbapi.get_compute_node(context, uuid))

    @base.remotable_classmethod
    def get_by_name(cls, context, hostname):
        """Return the one node of a host.

        :raises ComputeNodeNotFound: there is none
        :raises Conflict: there are several
        """
        return cls._from_row(context, dbapi.get_compute_node_by_hostname(
            context, hostname))

    @base.remotable_classmethod
    def list(cls, context, limit=None, marker=None, sort_key=None,
             sort_dir=None, filters=None):
        """Return a page of the nodes, sorted and filtered."""
        return cls._from_rows(context, dbapi.list_compute_nodes(
            context, filters=filters, limit=limit, marker=marker,
            sort_key=sort_key, sort_dir=sort_dir))

    @base.remotable
    def destroy(self, context=None):
        """Delete the node.

        :raises ComputeNodeNotFound: it is gone
        """
        dbapi.destroy_compute_node(context or self._context, self.uuid)
        self.obj_reset_changes()

    @base.remotable
    def save(self, context=None):
        """Write what changed.

        :raises ComputeNodeNotFound: it is gone
        """
        values = self._changes_to_row()
        if values:
            dbapi.update_compute_node(context or self._context, self.uuid,
                                      values)
        self.obj_reset_changes(recursive=True)

    @base.remotable
    def refresh(self, context=None):
        """Read the row again."""
        self._refresh_from(type(self).get_by_uuid(context or self._context,
                                                  self.uuid))
