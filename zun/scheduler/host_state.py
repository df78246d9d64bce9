# SPDX-License-Identifier: Apache-2.0
"""What the filters see of a host."""

import functools
import json
import types

from zun.db import api as db_api
from zun import objects
from zun.pci import stats as pci_stats

SERVICE = 'service_'
# Looked into when asked for.
TEXTS = ('numa_topology', 'pci_stats')


class HostState:
    """A compute node with its service, and the limits that filters set for
    the claim on the host (``limits``: cpu, memory, disk, cpuset).

    :param node: a row of ``db_api.list_hosts``; its values become
        attributes, what is of the service those of ``service``.
    """

    def __init__(self, node: dict):
        self._texts = {name: node[name] for name in TEXTS}
        service = {}
        for name, value in node.items():
            if name.startswith(SERVICE):
                service[name[len(SERVICE):]] = value
            elif name not in TEXTS:
                setattr(self, name, value)
        self.service = types.SimpleNamespace(**service)
        self.nodename = self.hostname
        self.labels = self.labels or {}
        self.runtimes = self.runtimes or []
        self.limits: dict = {}

    @functools.cached_property
    def numa_topology(self) -> 'objects.NUMATopology':
        """The NUMA nodes; none where the host reported none."""
        text = self._texts['numa_topology']
        return objects.NUMATopology._from_dict(
            (text and json.loads(text)) or {'nodes': []})

    @functools.cached_property
    def pci_stats(self) -> pci_stats.PciDeviceStats:
        """The pools of free PCI devices."""
        pools = self._texts['pci_stats']
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
