# SPDX-License-Identifier: Apache-2.0
"""What the filters see of a host."""

from zun import objects
from zun.pci import stats as pci_stats

FIGURES = ('mem_available', 'mem_total', 'mem_free', 'mem_used',
           'cpus', 'cpu_used', 'disk_total', 'disk_used',
           'disk_quota_supported', 'enable_cpu_pinning', 'numa_topology',
           'architecture', 'os_type', 'os', 'kernel_version', 'rp_uuid')


class HostState:
    """A compute node with its service, and the limits that filters set for
    the claim on the host (``limits``: cpu, memory, disk, cpuset).
    """

    def __init__(self, node: 'objects.ComputeNode', service=None):
        self.hostname = node.hostname
        self.nodename = node.hostname
        self.uuid = node.uuid
        self.service = service
        self.limits: dict = {}
        for name in FIGURES:
            setattr(self, name, getattr(node, name, None))
        self.labels = node.labels or {}
        self.runtimes = node.runtimes or []
        self.pci_stats = pci_stats.PciDeviceStats(
            stats=node.pci_device_pools)

    def __repr__(self) -> str:
        return '%s ram: %sMB/%sMB cpu: %s/%s disk: %sGB/%sGB' % (
            self.hostname, self.mem_used, self.mem_total, self.cpu_used,
            self.cpus, self.disk_used, self.disk_total)


def host_states(context, rp_uuids) -> list[HostState]:
    """The hosts of these resource providers that have a compute service,
    in the order of their uuids; two statements however many there are.
    """
    services = {
        service.host: service for service in
        objects.ZunService.list_by_binary(context, 'zun-compute')}
    return [HostState(node, services[node.hostname])
            for node in objects.ComputeNode.list(context)
            if node.rp_uuid in rp_uuids and node.hostname in services]
