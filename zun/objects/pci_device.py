# SPDX-License-Identifier: Apache-2.0
"""A PCI device of a host and the container it is given to.

A physical function (PF) and its virtual functions (VF) exclude each other:
who takes the PF makes all of its VFs unavailable, who takes a VF its PF.
"""

from collections.abc import Iterable
import copy
from typing import Any
from typing import Self

from oslo_utils import uuidutils

from zun.common import exception
from zun.db import api as dbapi
from zun.objects import base
from zun.objects import fields

_Status = fields.PciDeviceStatus
_Type = fields.PciDeviceType

# What a device of the host's inventory may not change.
_OWN_FIELDS = frozenset(('status', 'container_uuid', 'id', 'extra_info'))
# In which states a device may be beside one that is being taken.
_PARENT_MAY_BE = (_Status.AVAILABLE, _Status.UNCLAIMABLE,
                  _Status.UNAVAILABLE)
_CHILDREN_MAY_BE = {_Status.CLAIMED: (_Status.AVAILABLE,),
                    _Status.ALLOCATED: (_Status.AVAILABLE,
                                        _Status.UNCLAIMABLE)}
# What becomes of the relatives of a device that gets a state.
_RELATIVES_BECOME = {_Status.CLAIMED: _Status.UNCLAIMABLE,
                     _Status.ALLOCATED: _Status.UNAVAILABLE}


@base.ZunObjectRegistry.register
class PciDevice(base.ZunPersistentObject, base.ZunObject):
    """A PCI device; ``address`` is dddd:bb:ss.f.

    ``parent_device`` of a VF and ``child_devices`` of a PF are set by who
    reads all devices of a host.
    """

    # Version 1.1 of Zun 18.0.0
    VERSION = '1.1'

    fields = {
        'id': fields.IntegerField(),
        'uuid': fields.UUIDField(),
        'compute_node_uuid': fields.UUIDField(nullable=True),
        'address': fields.StringField(),
        'vendor_id': fields.StringField(),
        'product_id': fields.StringField(),
        'dev_type': fields.PciDeviceTypeField(),
        'status': fields.PciDeviceStatusField(),
        'dev_id': fields.StringField(nullable=True),
        'label': fields.StringField(nullable=True),
        'container_uuid': fields.StringField(nullable=True),
        'request_id': fields.StringField(nullable=True),
        'extra_info': fields.DictOfStringsField(),
        'numa_node': fields.IntegerField(nullable=True),
        'parent_addr': fields.StringField(nullable=True),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.obj_reset_changes()
        self.extra_info = {}
        self.child_devices: list[Self] = []
        self.parent_device: Self | None = None

    @classmethod
    def _to_field(cls, name: str, value: Any) -> Any:
        return {} if name == 'extra_info' and value is None else value

    @base.remotable_classmethod
    def get_by_dev_addr(cls, context, compute_node_uuid, dev_addr):
        """Return the device of a node at an address.

        :raises PciDeviceNotFound: there is none
        """
        return cls._from_row(context, dbapi.get_pci_device_by_addr(
            context, compute_node_uuid, dev_addr))

    @base.remotable_classmethod
    def get_by_dev_id(cls, context, id):
        """Return the device of a number.

        :raises PciDeviceNotFoundById: there is none
        """
        return cls._from_row(context,
                             dbapi.get_pci_device_by_id(context, id))

    @base.remotable_classmethod
    def list_by_compute_node(cls, context, node_id):
        """Return the devices of a node."""
        return cls._from_rows(context, dbapi.get_all_pci_device_by_node(
            context, node_id))

    @base.remotable_classmethod
    def list_by_container_uuid(cls, context, uuid):
        """Return the devices that a container has."""
        return cls._from_rows(
            context, dbapi.get_all_pci_device_by_container_uuid(context,
                                                                uuid))

    @base.remotable_classmethod
    def list_by_parent_address(cls, context, node_id, parent_addr):
        """Return the virtual functions of a physical one."""
        return cls._from_rows(
            context, dbapi.get_all_pci_device_by_parent_addr(
                context, node_id, parent_addr))

    @classmethod
    def create(cls, context: Any, dev_dict: dict[str, Any]) -> Self:
        """Return a new device of the host's inventory; save() inserts it."""
        device = cls(context)
        device.update_device(dev_dict)
        device.status = _Status.AVAILABLE
        device.uuid = uuidutils.generate_uuid()
        return device

    @base.remotable
    def save(self):
        """Write what changed; a removed device is deleted."""
        if self.status == _Status.REMOVED:
            self.status = _Status.DELETED
            dbapi.destroy_pci_device(self._context, self.compute_node_uuid,
                                     self.address)
        elif self.status != _Status.DELETED:
            values = self._changes_to_row()
            if values:
                self._fill(self, dbapi.update_pci_device(
                    self._context, self.compute_node_uuid, self.address,
                    values))
        self.obj_reset_changes()

    def update_device(self, dev_dict: dict[str, Any]) -> None:
        """Take over what the host says; unknown keys go to extra_info."""
        extra_info = dict(self.extra_info)
        for name, value in dev_dict.items():
            if name in _OWN_FIELDS:
                continue
            if name in self.fields:
                setattr(self, name, value)
            else:
                extra_info[name] = str(value)
        if extra_info != self.extra_info:
            self.extra_info = extra_info

    def is_available(self) -> bool:
        """Tell whether a container may have the device."""
        return self.status == _Status.AVAILABLE

    def claim(self, container_uuid: str) -> None:
        """Reserve the device for a container.

        :raises PciDeviceInvalidStatus: it is not available
        :raises PciDeviceVFInvalidStatus: one of its VFs is not
        :raises PciDevicePFInvalidStatus: its PF is taken
        """
        self._check_status((_Status.AVAILABLE,))
        self._take(_Status.CLAIMED)
        self.container_uuid = container_uuid

    def allocate(self, container: Any) -> None:
        """Give the device to a container, which may have claimed it.

        :raises PciDeviceInvalidStatus: it is neither available nor claimed
        :raises PciDeviceInvalidOwner: another container claimed it
        :raises PciDeviceVFInvalidStatus: one of its VFs is taken
        :raises PciDevicePFInvalidStatus: its PF is taken
        """
        self._check_status((_Status.AVAILABLE, _Status.CLAIMED))
        if self.status == _Status.CLAIMED:
            self._check_owner(container.uuid)
        self._take(_Status.ALLOCATED)
        self.container_uuid = container.uuid
        if container.obj_attr_is_set('pci_devices'):
            container.pci_devices = [*(container.pci_devices or ()),
                                     copy.copy(self)]

    def remove(self) -> None:
        """Mark the device as gone from the host.

        :raises PciDeviceInvalidStatus: a container has it
        """
        self._check_status((_Status.AVAILABLE,))
        self._give_back(_Status.REMOVED)

    def free(self, container: Any = None) -> list[Self]:
        """Take the device back and return all that became available.

        :param container: who should have it; None: whoever has it
        :raises PciDeviceInvalidStatus: nobody has it
        :raises PciDeviceInvalidOwner: another container has it
        """
        self._check_status((_Status.ALLOCATED, _Status.CLAIMED))
        if container is not None:
            self._check_owner(container.uuid)
        self._give_back(_Status.AVAILABLE)
        if (container is not None and
                container.obj_attr_is_set('pci_devices')):
            container.pci_devices = [
                device for device in container.pci_devices or ()
                if device.id != self.id]
        return [self, *self._free_relatives()]

    def _free_relatives(self) -> list[Self]:
        if self.dev_type == _Type.SRIOV_PF:
            freed = [vf for vf in self.child_devices
                     if vf.status in _RELATIVES_BECOME.values()]
        elif self.dev_type == _Type.SRIOV_VF and self.parent_device and all(
                vf.status == _Status.AVAILABLE
                for vf in self.parent_device.child_devices):
            freed = [self.parent_device]
        else:
            freed = []
        for device in freed:
            device._give_back(_Status.AVAILABLE)
        return freed

    def _give_back(self, status: str) -> None:
        self.status = status
        self.container_uuid = None
        self.request_id = None

    def _take(self, status: str) -> None:
        if self.dev_type == _Type.SRIOV_PF:
            if not all(vf.status in _CHILDREN_MAY_BE[status]
                       for vf in self.child_devices):
                raise exception.PciDeviceVFInvalidStatus(
                    compute_node_id=self.compute_node_uuid,
                    address=self.address)
            self._set_status(self.child_devices, _RELATIVES_BECOME[status])
        elif self.dev_type == _Type.SRIOV_VF and self.parent_device:
            parent = self.parent_device
            if parent.status not in _PARENT_MAY_BE:
                raise exception.PciDevicePFInvalidStatus(
                    compute_node_id=self.compute_node_uuid,
                    address=parent.address, status=parent.status,
                    vf_address=self.address, hopestatus=_PARENT_MAY_BE)
            self._set_status([parent], _RELATIVES_BECOME[status])
        self.status = status

    @staticmethod
    def _set_status(devices: Iterable[Self], status: str) -> None:
        for device in devices:
            device.status = status

    def _check_status(self, allowed: tuple[str, ...]) -> None:
        if self.status not in allowed:
            raise exception.PciDeviceInvalidStatus(
                compute_node_id=self.compute_node_uuid, address=self.address,
                status=self.status, hopestatus=list(allowed))

    def _check_owner(self, container_uuid: str) -> None:
        if self.container_uuid != container_uuid:
            raise exception.PciDeviceInvalidOwner(
                compute_node_id=self.compute_node_uuid, address=self.address,
                owner=self.container_uuid, hopeowner=container_uuid)
