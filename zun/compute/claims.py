# SPDX-License-Identifier: Apache-2.0
"""What containers use of a host, counted in its ``compute_node`` row.

Placement has claimed cpu, memory and disk before; this count holds the
limits that the scheduler's filters set, gives out pinned cpus and PCI
devices, and is what operators see.

Each function is to be called inside ``db_api.writer(context)``, together
with whatever says that it was done (the journal of a task), and as its first
statement: it locks the node's row until the transaction ends.
"""

import typing

from zun.common import exception
from zun.common.i18n import _
import zun.conf
from zun.db import api as db_api
from zun import objects
from zun.pci import manager as pci_manager
from zun.scheduler import utils

CONF = zun.conf.CONF

CLAIM_FAILED = _('Free %(kind)s %(free).02f %(unit)s < requested '
                 '%(requested)s %(unit)s')


class Amounts(typing.NamedTuple):
    """Cpus, MiB of memory and GiB of disk; None: not wanted."""
    cpu: float | None = None
    memory: int | None = None
    disk: int | None = None


def amounts_of(container) -> Amounts:
    """What a container or capsule takes."""
    return Amounts(
        container.cpu or None,
        int(container.memory) if container.memory else None,
        container.disk or None)


def node_of(context, host: str) -> 'objects.ComputeNode':
    """The node of a host, its row locked.

    :raises ComputeNodeNotFound: the host has not reported itself.
    """
    db_api.lock_compute_node(context, host)
    return objects.ComputeNode.get_by_name(context, host)


# -- claims ------------------------------------------------------------
def claim(context, container, host: str, limits: dict | None = None,
          pci_requests=None) -> None:
    """Count a container in on a host.

    Sets ``container.cpuset`` (not saved) when cpus are pinned for it.

    :param limits: how far the host may be used: ``cpu``, ``memory`` (MiB),
        ``disk`` (GiB), ``cpuset`` (the NUMA node's figures that the
        scheduler saw; only ``node`` counts here). Missing: no limit.
    :param pci_requests: None or ContainerPCIRequests.
    :raises ResourcesUnavailable: it would go over a limit, or there are no
        free cpus or devices; nothing is counted then.
    """
    wanted = amounts_of(container)
    if wanted == Amounts() and not pci_requests:
        return
    node = node_of(context, host)
    limits = limits or {}
    test(node, wanted, limits)
    if limits.get('cpuset'):
        _pin(node, container, int(limits['cpuset']['node']))
    if pci_requests and pci_requests.requests:
        _allocate_devices(context, node, container, pci_requests)
    _count(node, wanted, 1)
    node.running_containers += 1
    node.save(context)


def release(context, container, host: str) -> None:
    """Count a container out. A host that is gone has nothing to give.

    Clears ``container.cpuset`` (not saved).
    """
    wanted = amounts_of(container)
    try:
        node = node_of(context, host)
    except exception.ComputeNodeNotFound:
        return
    _unpin(node, container)
    devices = pci_manager.PciDevTracker(context, node.uuid)
    devices.free(container.uuid)
    if devices.devices:
        node.pci_device_pools = devices.pools
    if wanted != Amounts():
        _count(node, wanted, -1)
        node.running_containers = max(0, node.running_containers - 1)
    node.save(context)


def resize(context, container, host: str, patch: dict) -> None:
    """Count a change of a container's ``cpu`` or ``memory``; the limit is
    what the host offers in Placement.

    :param patch: the new values; ``container`` has the old ones.
    :raises ResourcesUnavailable: the host cannot hold that much more.
    """
    old = amounts_of(container)
    node = node_of(context, host)
    change = Amounts(
        float(patch['cpu']) - (old.cpu or 0) if 'cpu' in patch else None,
        int(patch['memory']) - (old.memory or 0)
        if 'memory' in patch else None)
    test(node, change, {
        'cpu': node.cpus * _ratio('cpu'),
        'memory': node.mem_total * _ratio('ram')})
    _count(node, change, 1)
    node.save(context)


def _ratio(prefix: str) -> float:
    return CONF.compute['%s_allocation_ratio' % prefix] or \
        CONF.compute['initial_%s_allocation_ratio' % prefix]


# -- limits ------------------------------------------------------------
def test(node, wanted: Amounts, limits: dict) -> None:
    """Compare what is wanted with what the limits leave.

    :raises ResourcesUnavailable: with one reason a resource.
    """
    reasons = [reason for reason in (
        _excess('memory', 'MB', wanted.memory, node.mem_used,
                limits.get('memory')),
        _excess('vcpu', 'VCPU', wanted.cpu, node.cpu_used,
                limits.get('cpu')),
        _excess('disk', 'GB', wanted.disk, node.disk_used,
                limits.get('disk'))) if reason]
    if reasons:
        raise exception.ResourcesUnavailable(reason='; '.join(reasons))


def _excess(kind: str, unit: str, requested, used, limit) -> str | None:
    if requested is None or limit is None:
        return None
    free = limit - used
    if not utils.is_less_than(free, requested):
        return None
    return CLAIM_FAILED % {'kind': kind, 'free': free, 'unit': unit,
                           'requested': requested}


def _count(node, amounts: Amounts, sign: int) -> None:
    node.cpu_used = max(0.0, node.cpu_used + sign * (amounts.cpu or 0))
    node.mem_used = max(0, node.mem_used + sign * (amounts.memory or 0))
    node.mem_free = node.mem_total - node.mem_used
    node.disk_used = max(0, node.disk_used + sign * (amounts.disk or 0))


# -- pinned cpus -------------------------------------------------------
def _pin(node, container, numa_id: int) -> None:
    numa = _numa_node(node, numa_id)
    count = int(-(-container.cpu // 1))
    free = sorted(numa.free_cpus) if numa else []
    if len(free) < count:
        raise exception.ResourcesUnavailable(reason=CLAIM_FAILED % {
            'kind': 'cpuset', 'free': len(free), 'unit': 'core',
            'requested': count})
    memory = int(container.memory or 0)
    if memory > numa.mem_available:
        raise exception.ResourcesUnavailable(reason=CLAIM_FAILED % {
            'kind': 'memory', 'free': numa.mem_available, 'unit': 'MB',
            'requested': memory})
    numa.pin_cpus(free[:count])
    numa.mem_available -= memory
    _mark_topology(node)
    container.cpuset = objects.container.Cpuset(
        cpuset_cpus=set(free[:count]), cpuset_mems={numa_id})


def _unpin(node, container) -> None:
    cpuset = container.cpuset
    if cpuset is None or not cpuset.cpuset_cpus:
        return
    for numa_id in cpuset.cpuset_mems or ():
        numa = _numa_node(node, numa_id)
        if numa is None:
            continue
        # What is not pinned any more was given back by an audit.
        numa.unpin_cpus(cpuset.cpuset_cpus & numa.pinned_cpus)
        numa.mem_available = min(
            numa.mem_total, numa.mem_available + int(container.memory or 0))
    _mark_topology(node)
    container.cpuset = objects.container.Cpuset(cpuset_cpus=None,
                                                cpuset_mems=None)


def _numa_node(node, numa_id: int):
    for numa in node.numa_topology.nodes if node.numa_topology else ():
        if numa.id == numa_id:
            return numa
    return None


def _mark_topology(node) -> None:
    # A change inside the object is not seen by the node; an assignment is.
    node.numa_topology = node.numa_topology


def _allocate_devices(context, node, container, pci_requests) -> None:
    devices = pci_manager.PciDevTracker(context, node.uuid)
    devices.allocate(pci_requests.requests, container)
    node.pci_device_pools = devices.pools
