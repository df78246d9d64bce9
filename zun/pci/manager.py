# SPDX-License-Identifier: Apache-2.0
"""The PCI devices of a node: what it has, and which containers hold them.

Everything here reads and writes rows; a caller that changes something does
so in one transaction that holds the node's row.
"""

from oslo_log import log as logging

from zun.common import exception
from zun import objects
from zun.objects import fields
from zun.pci import stats
from zun.pci import whitelist as pci_whitelist

LOG = logging.getLogger(__name__)

STATUS = fields.PciDeviceStatus
# A device that vanished while held is kept until it is given back.
HELD = (STATUS.CLAIMED, STATUS.ALLOCATED)
GONE = (STATUS.REMOVED, STATUS.DELETED)


class PciDevTracker:
    """The devices of one compute node.

    :param node_uuid: of the compute_node row.
    """

    def __init__(self, context, node_uuid: str, whitelist=None):
        self._context = context
        self._node_uuid = node_uuid
        self._whitelist = whitelist or pci_whitelist.Whitelist()
        self.devices = [
            dev for dev in objects.PciDevice.list_by_compute_node(
                context, node_uuid) if dev.status not in GONE]
        self._link()

    def _link(self) -> None:
        """Tell the functions of a device of each other: who holds one
        keeps the others from being taken as a whole.
        """
        by_address = {dev.address: dev for dev in self.devices}
        for dev in self.devices:
            dev.child_devices = []
        for dev in self.devices:
            parent = by_address.get(dev.parent_addr)
            if dev.dev_type == fields.PciDeviceType.SRIOV_VF and parent:
                dev.parent_device = parent
                parent.child_devices.append(dev)

    def _save(self) -> None:
        # Relatives may have changed too; unchanged ones write nothing.
        for dev in self.devices:
            dev.save()

    @property
    def pools(self) -> 'objects.PciDevicePoolList':
        """What is free, as the compute_node row shows it."""
        free = stats.PciDeviceStats(whitelist=self._whitelist)
        for dev in self.devices:
            if dev.is_available():
                free.add_device(dev)
        return free.to_device_pools_obj()

    # -- what the node has ---------------------------------------------
    def update_devices(self, found: list[dict]) -> None:
        """Make the rows equal to what the node reports.

        :param found: a dict a device: ``address``, ``vendor_id``,
            ``product_id``, ``dev_id``, ``dev_type``, ``numa_node``,
            ``parent_addr``, ``label``. Those outside the whitelist are
            left out.
        """
        allowed = {dev['address']: dev for dev in found
                   if self._whitelist.device_assignable(dev)}
        for dev in list(self.devices):
            values = allowed.pop(dev.address, None)
            if values is not None:
                dev.update_device(values)
                dev.save()
            elif dev.status in HELD:
                LOG.warning('PCI device %(address)s is gone but held by '
                            'container %(uuid)s.',
                            {'address': dev.address,
                             'uuid': dev.container_uuid})
            else:
                self._remove(dev)
        for values in allowed.values():
            self._add(values)
        self._link()

    def _remove(self, dev) -> None:
        dev.status = STATUS.REMOVED
        dev.save()
        self.devices.remove(dev)

    def _add(self, values: dict) -> None:
        dev = objects.PciDevice.create(
            self._context, dict(values, compute_node_uuid=self._node_uuid))
        dev.save()
        self.devices.append(dev)

    # -- what containers hold ------------------------------------------
    def allocate(self, requests, container) -> list:
        """Give a container the devices that it asks for.

        :param requests: ContainerPCIRequest objects.
        :returns: the PciDevices.
        :raises ResourcesUnavailable: there are not enough that fit.
        """
        taken = []
        for request in requests:
            free = [dev for dev in self.devices
                    if dev.is_available() and self._fits(dev, request)]
            if len(free) < request.count:
                raise exception.ResourcesUnavailable(
                    reason='Claim pci failed')
            for dev in free[:request.count]:
                dev.request_id = request.request_id
                dev.claim(container.uuid)
                dev.allocate(container)
                taken.append(dev)
        self._save()
        return taken

    def _fits(self, dev, request) -> bool:
        spec = self._whitelist.get_devspec(dev)
        if spec is None:
            return False
        return stats.fits(dict(
            spec.get_tags(), vendor_id=dev.vendor_id,
            product_id=dev.product_id, numa_node=dev.numa_node,
            dev_type=dev.dev_type), request.spec)

    def free(self, container_uuid: str) -> None:
        """Take back all that a container holds; nothing held is fine."""
        for dev in self.devices:
            if dev.container_uuid == container_uuid and dev.status in HELD:
                dev.free()
        self._save()
