# SPDX-License-Identifier: Apache-2.0
"""What the filters see of a host."""

import functools
import json
import types

from zun.db import api as db_api
from zun import objects
from zun.pci import stats as pci_stats

FIGURES = ('uuid', 'rp_uuid', 'hostname', 'mem_available', 'mem_total',
           'mem_free', 'mem_used', 'cpus', 'cpu_used', 'disk_total',
           'disk_used', 'disk_quota_supported', 'enable_cpu_pinning',
           'architecture', 'os_type', 'os', 'kernel_version')
SERVICE = 'service_'


class HostState:
    """A compute node with its service, and the limits that filters set for
    the claim on the host (``limits``: cpu, memory, disk, cpuset).

    :param node: a row of ``db_api.list_hosts``; its figures become
        attributes, what is of the service those of ``service``.
    """

    def __init__(self, node: dict):
        for name in FIGURES:
            setattr(self, name, node[name])
        self.nodename = self.hostname
        self.service = types.SimpleNamespace(**{
            name[len(SERVICE):]: value for name, value in node.items()
            if name.startswith(SERVICE)})
        self.limits: dict = {}
        self.labels = node['labels'] or {}
        self.runtimes = node['runtimes'] or []
        self._node = node

    @functools.cached_property
    def numa_topology(self) -> 'objects.NUMATopology':
        """The NUMA nodes; none where the host reported none."""
        text = self._node['numa_topology']
        return objects.NUMATopology._from_dict(
            (text and json.loads(text)) or {'nodes': []})

    @functools.cached_property
    def pci_stats(self) -> pci_stats.PciDeviceStats:
        """The pools of free PCI devices."""
        pools = self._node['pci_stats']
        return pci_stats.PciDeviceStats(
            objects.PciDevicePoolList.obj_from_primitive(json.loads(pools))
            if pools else None)

    def __repr__(self) -> str:
        return '%s ram: %sMB/%sMB cpu: %s/%s disk: %sGB/%sGB' % (
            self.hostname, self.mem_used, self.mem_total, self.cpu_used,
            self.cpus, self.disk_used, self.disk_total)


def host_states(context, rp_uuids) -> list[HostState]:
    """The hosts of these resource providers that have a compute service,
    in the order of their uuids; one statement however many there are.
    """
    return [HostState(row) for row in db_api.list_hosts(context, rp_uuids)]
