# SPDX-License-Identifier: Apache-2.0
"""A provider of resources."""

from typing import Any

from zun.db import api as dbapi
from zun.objects import base
from zun.objects import fields


@base.ZunObjectRegistry.register
class ResourceProvider(base.ZunPersistentObject, base.ZunObject):
    """A provider of resources and its place in a tree."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'id': fields.IntegerField(),
        'uuid': fields.UUIDField(nullable=False),
        'name': fields.StringField(nullable=False),
        'root_provider': fields.UUIDField(nullable=False),
        'parent_provider': fields.UUIDField(nullable=True),
        'can_host': fields.IntegerField(default=0),
    }

    @classmethod
    def _to_field(cls, name: str, value: Any) -> Any:
        # The column may be NULL, the field may not.
        return 0 if name == 'can_host' and value is None else value

    @base.remotable_classmethod
    def get_by_uuid(cls, context, uuid):
        """Return the provider of a uuid.

        :raises ResourceProviderNotFound: there is none
        """
        return cls._from_row(context,
                             dbapi.get_resource_provider(context, uuid))

    @base.remotable_classmethod
    def get_by_name(cls, context, name):
        """Return the one provider of a name.

        :raises ResourceProviderNotFound: there is none
        :raises Conflict: there are several
        """
        return cls._from_row(context, dbapi.get_resource_provider_by_name(
            context, name))

    @base.remotable_classmethod
    def list(cls, context, limit=None, marker=None, sort_key=None,
             sort_dir=None, filters=None):
        """Return a page of the providers, sorted and filtered."""
        return cls._from_rows(context, dbapi.list_resource_providers(
            context, filters=filters, limit=limit, marker=marker,
            sort_key=sort_key, sort_dir=sort_dir))

    @base.remotable
    def create(self, context):
        """Insert the provider.

        :raises ResourceProviderAlreadyExists: its uuid is taken
        """
        self._fill(self, dbapi.create_resource_provider(
            context, self._changes_to_row()))

    @base.remotable
    def destroy(self, context=None):
        """Delete the provider.

        :raises ResourceProviderNotFound: it is gone
        """
        dbapi.destroy_resource_provider(context or self._context, self.uuid)
        self.obj_reset_changes()

    @base.remotable
    def save(self, context=None):
        """Write what changed.

        :raises ResourceProviderNotFound: it is gone
        """
        values = self._changes_to_row()
        if values:
            dbapi.update_resource_provider(context or self._context,
                                           self.uuid, values)
        self.obj_reset_changes()

    @base.remotable
    def refresh(self, context=None):
        """Read the row again."""
        self._refresh_from(type(self).get_by_uuid(context or self._context,
                                                  self.uuid))
