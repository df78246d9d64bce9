# SPDX-License-Identifier: Apache-2.0
"""Types of the objects' fields beyond oslo.versionedobjects' own."""

import json
from typing import Any

from oslo_versionedobjects import fields

from zun.common import consts

UnspecifiedDefault = fields.UnspecifiedDefault

BooleanField = fields.BooleanField
DateTimeField = fields.DateTimeField
DictOfIntegersField = fields.DictOfIntegersField
DictOfNullableStringsField = fields.DictOfNullableStringsField
DictOfStringsField = fields.DictOfStringsField
FloatField = fields.FloatField
IntegerField = fields.IntegerField
ListOfDictOfNullableStringsField = fields.ListOfDictOfNullableStringsField
ListOfIntegersField = fields.ListOfIntegersField
ListOfListsOfStringsField = fields.ListOfListsOfStringsField
ListOfObjectsField = fields.ListOfObjectsField
ListOfStringsField = fields.ListOfStringsField
ListOfUUIDField = fields.ListOfUUIDField
ObjectField = fields.ObjectField
SensitiveStringField = fields.SensitiveStringField
SetOfIntegersField = fields.SetOfIntegersField
SetOfStringsField = fields.SetOfStringsField
StringField = fields.StringField
UUIDField = fields.UUIDField


class ContainerStatus(fields.Enum):
    """The state of a container."""

    ALL = (
        ERROR, RUNNING, STOPPED, PAUSED, UNKNOWN, CREATING, CREATED,
        DELETED, DELETING, REBUILDING, DEAD, RESTARTING,
    ) = (
        'Error', 'Running', 'Stopped', 'Paused', 'Unknown', 'Creating',
        'Created', 'Deleted', 'Deleting', 'Rebuilding', 'Dead', 'Restarting',
    )

    def __init__(self) -> None:
        super().__init__(valid_values=self.ALL)


class ContainerStatusField(fields.BaseEnumField):
    AUTO_TYPE = ContainerStatus()


class TaskState(fields.Enum):
    """The work that is being done on a container."""

    ALL = (
        IMAGE_PULLING, CONTAINER_CREATING, CONTAINER_STARTING,
        CONTAINER_DELETING, CONTAINER_STOPPING, CONTAINER_REBOOTING,
        CONTAINER_PAUSING, CONTAINER_UNPAUSING, CONTAINER_KILLING,
        SG_ADDING, SG_REMOVING, NETWORK_ATTACHING, NETWORK_DETACHING,
        CONTAINER_REBUILDING,
    ) = (
        'image_pulling', 'container_creating', 'container_starting',
        'container_deleting', 'container_stopping', 'container_rebooting',
        'container_pausing', 'container_unpausing', 'container_killing',
        'sg_adding', 'sg_removing', 'network_attaching', 'network_detaching',
        'container_rebuilding',
    )

    def __init__(self) -> None:
        super().__init__(valid_values=self.ALL)


class TaskStateField(fields.BaseEnumField):
    AUTO_TYPE = TaskState()


class PciDeviceType(fields.Enum):
    """An ordinary device, a physical function or a virtual function."""

    ALL = (STANDARD, SRIOV_PF, SRIOV_VF) = ('PCI', 'PF', 'VF')

    def __init__(self) -> None:
        super().__init__(valid_values=self.ALL)


class PciDeviceTypeField(fields.BaseEnumField):
    AUTO_TYPE = PciDeviceType()


class PciDeviceStatus(fields.Enum):
    """Whether a PCI device is free, and for whom."""

    ALL = (
        AVAILABLE, CLAIMED, ALLOCATED, REMOVED, DELETED, UNAVAILABLE,
        UNCLAIMABLE,
    ) = (
        'available', 'claimed', 'allocated', 'removed', 'deleted',
        'unavailable', 'unclaimable',
    )

    def __init__(self) -> None:
        super().__init__(valid_values=self.ALL)


class PciDeviceStatusField(fields.BaseEnumField):
    AUTO_TYPE = PciDeviceStatus()


class ResourceClass(fields.Enum):
    """A class of resources that the service knows."""

    ALL = consts.RESOURCE_CLASSES

    def __init__(self) -> None:
        super().__init__(valid_values=self.ALL)


class ResourceClassField(fields.AutoTypedField):
    AUTO_TYPE = ResourceClass()


class Json(fields.FieldType):
    """Any JSON value; text is taken for a document."""

    def coerce(self, obj: Any, attr: str, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value

    def from_primitive(self, obj: Any, attr: str, value: Any) -> Any:
        return self.coerce(obj, attr, value)

    def to_primitive(self, obj: Any, attr: str, value: Any) -> str:
        return json.dumps(value)


class JsonField(fields.AutoTypedField):
    AUTO_TYPE = Json()
