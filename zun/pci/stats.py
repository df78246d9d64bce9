# SPDX-License-Identifier: Apache-2.0
"""Pools of equal PCI devices: what a host has to give.

A pool is a dict with ``vendor_id``, ``product_id``, ``numa_node``,
``dev_type``, the tags of its whitelist entry, and ``count``.
"""

import copy

from zun.common import exception
from zun import objects
from zun.objects import fields
from zun.pci import request as pci_request
from zun.pci import utils
from zun.pci import whitelist as pci_whitelist


class PciDeviceStats:
    """The pools of one host.

    :param stats: a PciDevicePoolList as the compute_node row holds it.
    :param whitelist: gives the tags of devices that are added.
    """

    def __init__(self, stats=None,
                 whitelist: pci_whitelist.Whitelist | None = None):
        self.pools: list[dict] = [
            pool.to_dict() for pool in (stats.objects if stats else ())]
        self._whitelist = whitelist

    # -- devices -------------------------------------------------------
    def add_device(self, dev: 'objects.PciDevice') -> None:
        """Count a free device in."""
        key = self._pool_key(dev)
        if key is None:
            return
        pool = self._pool_of(key)
        if pool is None:
            pool = dict(key, count=0)
            self.pools.append(pool)
        pool['count'] += 1

    def remove_device(self, dev: 'objects.PciDevice') -> None:
        """Count a device out that was taken or went away.

        :raises PciDevicePoolEmpty: it was not counted.
        """
        key = self._pool_key(dev)
        pool = self._pool_of(key) if key is not None else None
        if pool is None:
            raise exception.PciDevicePoolEmpty(
                compute_node_uuid=dev.compute_node_uuid, address=dev.address)
        self._take(self.pools, pool, 1)

    def _pool_key(self, dev) -> dict | None:
        spec = (self._whitelist or pci_whitelist.Whitelist()).get_devspec(dev)
        if spec is None:
            return None
        return dict(spec.get_tags(), vendor_id=dev.vendor_id,
                    product_id=dev.product_id, numa_node=dev.numa_node,
                    dev_type=dev.dev_type)

    def _pool_of(self, key: dict) -> dict | None:
        for pool in self.pools:
            if {k: v for k, v in pool.items() if k != 'count'} == key:
                return pool
        return None

    @staticmethod
    def _take(pools: list[dict], pool: dict, count: int) -> None:
        pool['count'] -= count
        if not pool['count']:
            pools.remove(pool)

    # -- requests ------------------------------------------------------
    def support_requests(self, requests) -> bool:
        """Whether all requests can be met at once.

        :param requests: ContainerPCIRequest objects.
        """
        pools = copy.deepcopy(self.pools)
        return all(self._apply(pools, request) for request in requests)

    def apply_requests(self, requests) -> None:
        """Take the devices of the requests out of the pools.

        :raises ResourcesUnavailable: they cannot be met; nothing is taken.
        """
        pools = copy.deepcopy(self.pools)
        for request in requests:
            if not self._apply(pools, request):
                raise exception.ResourcesUnavailable(
                    reason='Claim pci failed')
        self.pools = pools

    def _apply(self, pools: list[dict], request) -> bool:
        fitting = [pool for pool in pools if fits(pool, request.spec)]
        if sum(pool['count'] for pool in fitting) < request.count:
            return False
        missing = request.count
        for pool in fitting:
            taken = min(missing, pool['count'])
            if taken:
                self._take(pools, pool, taken)
            missing -= taken
        return True

    def to_device_pools_obj(self) -> 'objects.PciDevicePoolList':
        """The pools as the compute_node row holds them."""
        return objects.PciDevicePoolList(
            objects=[objects.PciDevicePool.from_dict(pool)
                     for pool in self.pools])


def fits(properties: dict, spec: list[dict]) -> bool:
    """Whether a pool or device meets a request's ``spec``. A physical
    function is only given to who asks for one.
    """
    wanted_types = {item.get(pci_request.DEVICE_TYPE_TAG) for item in spec}
    if properties.get('dev_type') == fields.PciDeviceType.SRIOV_PF and \
            fields.PciDeviceType.SRIOV_PF not in wanted_types:
        return False
    return utils.pci_device_prop_match(properties, spec)
