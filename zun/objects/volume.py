# SPDX-License-Identifier: Apache-2.0
"""A Cinder volume, or the contents of a file to mount."""

from typing import Any

from zun.db import api as dbapi
from zun.objects import base
from zun.objects import fields


@base.ZunObjectRegistry.register
class Volume(base.ZunPersistentObject, base.ZunObject):
    """A volume; connection_info is JSON text, contents is base64."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'id': fields.IntegerField(),
        'uuid': fields.UUIDField(nullable=False),
        'project_id': fields.StringField(nullable=True),
        'user_id': fields.StringField(nullable=True),
        'cinder_volume_id': fields.UUIDField(nullable=True),
        'volume_provider': fields.StringField(nullable=False),
        'connection_info': fields.SensitiveStringField(nullable=True),
        'host': fields.StringField(nullable=True),
        'auto_remove': fields.BooleanField(nullable=True),
        'contents': fields.SensitiveStringField(nullable=True),
    }

    @base.remotable_classmethod
    def get_by_id(cls, context, vol_id):
        """Return the volume of a number.

        :raises VolumeNotFound: there is none
        """
        return cls._from_row(context, dbapi.get_volume_by_id(context, vol_id))

    @base.remotable
    def create(self, context):
        """Insert the volume."""
        self._fill(self, dbapi.create_volume(context, self._changes_to_row()))

    @base.remotable
    def save(self, context=None):
        """Write what changed.

        :raises VolumeNotFound: it is gone
        """
        values = self._changes_to_row()
        if values:
            dbapi.update_volume(context or self._context, self.uuid, values)
        self.obj_reset_changes()

    def destroy(self, context: Any = None) -> None:
        """Delete the volume and, where foreign keys hold, its mappings.

        :raises VolumeNotFound: it is gone
        """
        dbapi.destroy_volume(context or self._context, self.uuid)
        self.obj_reset_changes()

    @base.remotable
    def refresh(self, context=None):
        """Read the row again."""
        self._refresh_from(type(self).get_by_id(context or self._context,
                                                self.id))
