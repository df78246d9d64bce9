# SPDX-License-Identifier: Apache-2.0
"""A group of resources and traits to ask Placement for."""

from zun.objects import base
from zun.objects import fields


@base.ZunObjectRegistry.register
class RequestGroup(base.ZunPersistentObject, base.ZunObject):
    """Resources that come from one provider, unless the group says else."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'use_same_provider': fields.BooleanField(default=True),
        'resources': fields.DictOfIntegersField(default={}),
        'required_traits': fields.SetOfStringsField(default=set()),
        'forbidden_traits': fields.SetOfStringsField(default=set()),
        # A provider has to be in one of each inner list.
        'aggregates': fields.ListOfListsOfStringsField(default=[]),
        # The port or device that the group is for.
        'requester_id': fields.StringField(nullable=True, default=None),
        'provider_uuids': fields.ListOfUUIDField(default=[]),
        'in_tree': fields.UUIDField(nullable=True, default=None),
    }

    def __init__(self, context: object = None, **values: object) -> None:
        super().__init__(context=context, **values)
        self.obj_set_defaults()
