# SPDX-License-Identifier: Apache-2.0
"""A class of resources."""

from zun.db import api as dbapi
from zun.objects import base
from zun.objects import fields


@base.ZunObjectRegistry.register
class ResourceClass(base.ZunPersistentObject, base.ZunObject):
    """A class of resources."""

    # Version 1.1 of Zun 18.0.0
    VERSION = '1.1'

    fields = {
        'id': fields.IntegerField(),
        'uuid': fields.UUIDField(nullable=False),
        'name': fields.ResourceClassField(nullable=False),
    }

    @base.remotable_classmethod
    def get_by_uuid(cls, context, uuid):
        """Return the class of a uuid.

        :raises ResourceClassNotFound: there is none
        """
        return cls._from_row(context, dbapi.get_resource_class(context, uuid))

    @base.remotable_classmethod
    def get_by_name(cls, context, name):
        """Return the class of a name.

        :raises ResourceClassNotFound: there is none
        """
        return cls._from_row(context, dbapi.get_resource_class_by_name(
            context, name))

    @base.remotable_classmethod
    def list(cls, context, limit=None, marker=None, sort_key=None,
             sort_dir=None):
        """Return a page of the classes, sorted."""
        return cls._from_rows(context, dbapi.list_resource_classes(
            context, limit=limit, marker=marker, sort_key=sort_key,
            sort_dir=sort_dir))

    @base.remotable
    def create(self, context):
        """Insert the class.

        :raises ResourceClassAlreadyExists: its uuid is taken
        """
        self._fill(self, dbapi.create_resource_class(
            context, self._changes_to_row()))

    @base.remotable
    def destroy(self, context=None):
        """Delete the class.

        :raises ResourceClassNotFound: it is gone
        """
        dbapi.destroy_resource_class(context or self._context, self.uuid)
        self.obj_reset_changes()

    @base.remotable
    def save(self, context=None):
        """Write what changed.

        :raises ResourceClassNotFound: it is gone
        """
        values = self._changes_to_row()
        if values:
            dbapi.update_resource_class(context or self._context, self.uuid,
                                        values)
        self.obj_reset_changes()

    @base.remotable
    def refresh(self, context=None):
        """Read the row again."""
        self._refresh_from(type(self).get_by_uuid(context or self._context,
                                                  self.uuid))
