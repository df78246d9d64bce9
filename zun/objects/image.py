# SPDX-License-Identifier: Apache-2.0
"""An image on a host."""

from zun.db import api as dbapi
from zun.objects import base
from zun.objects import fields


@base.ZunObjectRegistry.register
class Image(base.ZunPersistentObject, base.ZunObject):
    """An image on a host; size is what the runtime says, with its unit."""

    # Version 1.2 of Zun 18.0.0
    VERSION = '1.2'

    fields = {
        'id': fields.IntegerField(),
        'uuid': fields.UUIDField(nullable=True),
        'image_id': fields.StringField(nullable=True),
        'project_id': fields.StringField(nullable=True),
        'user_id': fields.StringField(nullable=True),
        'repo': fields.StringField(nullable=True),
        'tag': fields.StringField(nullable=True),
        'size': fields.StringField(nullable=True),
        'host': fields.StringField(nullable=True),
    }

    @base.remotable_classmethod
    def get_by_uuid(cls, context, uuid):
        """Return the image of a uuid.

        :raises ImageNotFound: there is none
        """
        return cls._from_row(context, dbapi.get_image_by_uuid(context, uuid))

    @base.remotable_classmethod
    def list(cls, context=None, limit=None, marker=None, sort_key=None,
             sort_dir=None, filters=None):
        """Return a page of the images, sorted and filtered."""
        return cls._from_rows(context, dbapi.list_images(
            context, filters=filters, limit=limit, marker=marker,
            sort_key=sort_key, sort_dir=sort_dir))

    @base.remotable
    def pull(self, context=None):
        """Insert the row of an image that is to be pulled.

        :raises ImageAlreadyExists: the host has that repository and tag
        """
        self._fill(self, dbapi.pull_image(context or self._context,
                                          self._changes_to_row()))

    @base.remotable
    def save(self, context=None):
        """Write what changed.

        :raises ImageNotFound: it is gone
        """
        values = self._changes_to_row()
        if values:
            dbapi.update_image(context or self._context, self.uuid, values)
        self.obj_reset_changes()

    @base.remotable
    def destroy(self, context, image_uuid):
        """Delete the image of a uuid.

        :raises ImageNotFound: it is gone
        """
        dbapi.destroy_image(context, image_uuid)
        self.obj_reset_changes()
