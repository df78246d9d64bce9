# SPDX-License-Identifier: Apache-2.0
"""A host's ``compute_node`` row and its inventory in Placement.

Run by the agent of the host, and by nobody else.
"""

import collections
import dataclasses
import socket

import os_resource_classes as orc
from oslo_log import log as logging
from oslo_utils import uuidutils

from zun.common import exception
from zun.compute import claims
from zun.compute import provider_client
import zun.conf
from zun.db import api as db_api
from zun import objects
from zun.pci import manager as pci_manager
from zun.scheduler import request_filter
from zun.scheduler import utils

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)


@dataclasses.dataclass
class HostResources:
    """What a host has: MiB of memory, GiB of disk.

    ``numa``: a dict a NUMA node (``id``, ``cpuset``, ``mem_total``);
    ``pci_devices``: see ``PciDevTracker.update_devices``; ``counts``:
    containers by state (``total``, ``paused``, ``stopped``).
    """
    cpus: int
    mem_total: int
    mem_available: int
    disk_total: int
    disk_quota_supported: bool = False
    architecture: str | None = None
    os_type: str | None = None
    os: str | None = None
    kernel_version: str | None = None
    labels: dict[str, str] = dataclasses.field(default_factory=dict)
    runtimes: list[str] = dataclasses.field(default_factory=list)
    numa: list[dict] = dataclasses.field(default_factory=list)
    pci_devices: list[dict] = dataclasses.field(default_factory=list)
    counts: dict[str, int] = dataclasses.field(default_factory=dict)


# Fields of the row that are the host's own.
OWN = ('cpus', 'mem_total', 'mem_available', 'disk_quota_supported',
       'architecture', 'os_type', 'os', 'kernel_version', 'labels',
       'runtimes')


class ComputeNodeTracker:
    """Keeps one host's row and inventory equal to what the host has.

    :param host: the name that services, Placement and Neutron know it by.
    """

    def __init__(self, host: str):
        self.host = host
        self._providers: provider_client.ProviderClient | None = None

    def update_available_resources(self, context,
                                   found: HostResources) -> None:
        """Write the row, count anew what is used, report to Placement.

        :raises PeerError: Placement failed; the row is written.
        """
        node = self._update_row(context, found)
        if CONF.compute.host_shared_with_nova:
            # The inventory is the Compute service's.
            self._set_provider(context, node, self._client(
                context).find_provider(host_names(self.host)))
            return
        self._report(context, node, found)

    def _client(self, context) -> provider_client.ProviderClient:
        if self._providers is None:
            self._providers = provider_client.ProviderClient(context)
        return self._providers

    # -- the row -------------------------------------------------------
    @db_api.retry_on_conflict
    def _update_row(self, context, found: HostResources
                    ) -> 'objects.ComputeNode':
        with db_api.writer(context):
            node = self._node(context, found)
            containers = objects.Container.list_by_host(context, self.host)
            containers += objects.Capsule.list_by_host(context, self.host)
            for name in OWN:
                setattr(node, name, getattr(found, name))
            node.disk_total = int(
                found.disk_total * (1 - CONF.compute.reserve_disk_for_image))
            node.enable_cpu_pinning = CONF.compute.enable_cpu_pinning
            _set_usage(node, containers, found.counts)
            node.numa_topology = numa_topology(found.numa, containers)
            self._set_devices(context, node, found.pci_devices)
            node.save(context)
        return node

    def _node(self, context, found: HostResources):
        try:
            return claims.node_of(context, self.host)
        except exception.ComputeNodeNotFound:
            uuid = uuidutils.generate_uuid()
            node = objects.ComputeNode(
                context, uuid=uuid, rp_uuid=uuid, hostname=self.host,
                **{name: getattr(found, name) for name in OWN})
            node.create(context)
            LOG.info('Host %s is new.', self.host)
            return node

    @staticmethod
    def _set_devices(context, node, found: list[dict]) -> None:
        devices = pci_manager.PciDevTracker(context, node.uuid)
        devices.update_devices(found)
        node.pci_device_pools = devices.pools

    def _set_provider(self, context, node, rp_uuid: str) -> None:
        if node.rp_uuid != rp_uuid:
            node.rp_uuid = rp_uuid
            node.save(context)

    # -- Placement -----------------------------------------------------
    def _report(self, context, node, found: HostResources) -> None:
        client = self._client(context)
        provider = client.ensure_provider(node.rp_uuid, self.host)
        self._set_provider(context, node, provider.uuid)
        client.set_inventory(
            provider.uuid, inventory_of(found, provider.inventory))
        client.set_trait(provider.uuid, request_filter.DISABLED_TRAIT,
                         self._is_disabled(context))

    def _is_disabled(self, context) -> bool:
        service = objects.ZunService.get_by_host_and_binary(
            context, self.host, 'zun-compute')
        return bool(service and service.disabled)


def _set_usage(node, containers, counts: dict[str, int]) -> None:
    amounts = [claims.amounts_of(container) for container in containers]
    node.cpu_used = float(sum(one.cpu or 0 for one in amounts))
    node.mem_used = sum(one.memory or 0 for one in amounts)
    node.mem_free = node.mem_total - node.mem_used
    node.disk_used = sum(one.disk or 0 for one in amounts)
    node.running_containers = len(amounts)
    node.total_containers = counts.get('total', 0)
    node.paused_containers = counts.get('paused', 0)
    node.stopped_containers = counts.get('stopped', 0)


def numa_topology(numa: list[dict], containers) -> 'objects.NUMATopology':
    """The NUMA nodes of a host, less what containers are pinned to."""
    cpus: set[int] = set()
    memory: collections.Counter = collections.Counter()
    for container in containers:
        cpuset = container.cpuset
        if cpuset is not None and cpuset.cpuset_cpus:
            cpus |= cpuset.cpuset_cpus
            for numa_id in cpuset.cpuset_mems or ():
                memory[numa_id] += int(container.memory or 0)
    return objects.NUMATopology(nodes=[
        objects.NUMANode(
            id=item['id'], cpuset=set(item['cpuset']),
            pinned_cpus=set(item['cpuset']) & cpus,
            mem_total=item['mem_total'],
            mem_available=max(0, item['mem_total'] - memory[item['id']]))
        for item in numa])


def inventory_of(found: HostResources, known: dict[str, dict]
                 ) -> dict[str, dict]:
    """The inventory of a host in Placement.

    :param known: the inventory there; its ratios stay where no option
        sets one.
    """
    options = CONF.compute
    offers = {
        orc.VCPU: (found.cpus, options.reserved_host_cpus, 'cpu'),
        orc.MEMORY_MB: (found.mem_total, options.reserved_host_memory_mb,
                        'ram'),
        orc.DISK_GB: (found.disk_total, utils.convert_mb_to_ceil_gb(
            options.reserved_host_disk_mb), 'disk')}
    return {
        name: {'total': total, 'min_unit': 1, 'max_unit': total,
               'step_size': 1, 'reserved': reserved,
               'allocation_ratio': _ratio(prefix, known.get(name))}
        for name, (total, reserved, prefix) in offers.items() if total > 0}


def _ratio(prefix: str, known: dict | None) -> float:
    configured = CONF.compute['%s_allocation_ratio' % prefix]
    if configured is not None:
        return configured
    if known and known.get('allocation_ratio'):
        return known['allocation_ratio']
    return CONF.compute['initial_%s_allocation_ratio' % prefix]


def host_names(host: str) -> list[str]:
    """The names that another service may know this host by."""
    return list(dict.fromkeys(
        (host, socket.gethostname(), socket.getfqdn())))
