# SPDX-License-Identifier: Apache-2.0
"""The PCI devices that a container asks for."""

from zun.objects import base
from zun.objects import fields


@base.ZunObjectRegistry.register
class ContainerPCIRequest(base.ZunPersistentObject, base.ZunObject):
    """A number of devices that match one of some specifications."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'count': fields.IntegerField(),
        'spec': fields.ListOfDictOfNullableStringsField(),
        'alias_name': fields.StringField(nullable=True),
        # The devices are for an update of the container, not its creation.
        'is_new': fields.BooleanField(default=False),
        'request_id': fields.UUIDField(nullable=True),
    }


@base.ZunObjectRegistry.register
class ContainerPCIRequests(base.ZunPersistentObject, base.ZunObject):
    """All requests of a container."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'container_uuid': fields.UUIDField(),
        'requests': fields.ListOfObjectsField('ContainerPCIRequest'),
    }
