# SPDX-License-Identifier: Apache-2.0
"""A volume at a path of a container."""

from typing import Any
from typing import Self

from zun.common import exception
from zun.db import api as dbapi
from zun.objects import base
from zun.objects import container
from zun.objects import fields
from zun.objects import volume

# Fields of the mapping that are columns of its volume.
VOLUME_FIELDS = ('cinder_volume_id', 'volume_provider', 'connection_info',
                 'host', 'auto_remove', 'contents')


@base.ZunObjectRegistry.register
class VolumeMapping(base.ZunPersistentObject, base.ZunObject):
    """A volume at a path of a container, and what the volume is."""

    # Version 1.5 of Zun 18.0.0
    VERSION = '1.5'

    fields = {
        'id': fields.IntegerField(),
        'uuid': fields.UUIDField(nullable=False),
        'project_id': fields.StringField(nullable=True),
        'user_id': fields.StringField(nullable=True),
        'volume_id': fields.IntegerField(nullable=False),
        'volume': fields.ObjectField('Volume', nullable=True),
        'cinder_volume_id': fields.UUIDField(nullable=True),
        'volume_provider': fields.StringField(nullable=False),
        'container_path': fields.StringField(nullable=True),
        'container_uuid': fields.UUIDField(nullable=True),
        'container': fields.ObjectField('Container', nullable=True),
        'connection_info': fields.SensitiveStringField(nullable=True),
        'auto_remove': fields.BooleanField(nullable=True),
        'host': fields.StringField(nullable=True),
        'contents': fields.SensitiveStringField(nullable=True),
    }

    extra_fields = ('volume', 'container', *VOLUME_FIELDS)

    @classmethod
    def _fill(cls, obj: Self, row: base.Row) -> Self:
        """Set the fields; without its volume's row, those of the volume stay.
        """
        super()._fill(obj, row)
        if row.get('volume') is not None:
            obj.volume = volume.Volume._from_row(obj._context, row['volume'])
            for name in VOLUME_FIELDS:
                setattr(obj, name, getattr(obj.volume, name))
        obj.obj_reset_changes(recursive=True)
        return obj

    def _volume_changes(self) -> base.Row:
        return {name: value for name, value in self.obj_get_changes().items()
                if name in VOLUME_FIELDS}

    @base.remotable_classmethod
    def get_by_uuid(cls, context, uuid):
        """Return the mapping of a uuid.

        :raises VolumeMappingNotFound: there is none
        """
        return cls._from_row(context, dbapi.get_volume_mapping_by_uuid(
            context, uuid))

    @base.remotable_classmethod
    def list(cls, context, limit=None, marker=None, sort_key=None,
             sort_dir=None, filters=None):
        """Return a page of the mappings, sorted and filtered."""
        return cls._from_rows(context, dbapi.list_volume_mappings(
            context, filters=filters, limit=limit, marker=marker,
            sort_key=sort_key, sort_dir=sort_dir))

    @base.remotable_classmethod
    def list_by_container(cls, context, container_uuid):
        """Return the mappings of a container."""
        return cls._from_rows(context, dbapi.list_volume_mappings(
            context, filters={'container_uuid': container_uuid}))

    @base.remotable_classmethod
    def list_by_cinder_volume(cls, context, cinder_volume_id):
        """Return the mappings of a Cinder volume."""
        return cls._from_rows(context, dbapi.list_volume_mappings(
            context, filters={'cinder_volume_id': cinder_volume_id}))

    @base.remotable_classmethod
    def count(cls, context, **filters):
        """Return how many mappings match the filters."""
        return dbapi.count_volume_mappings(context, **filters)

    @base.remotable
    def create(self, context):
        """Insert the mapping, and its volume when it names none."""
        with dbapi.writer(context):
            if not self.obj_attr_is_set('volume_id'):
                self._create_volume(context)
            self._fill(self, dbapi.create_volume_mapping(
                context, self._changes_to_row()))

    def _create_volume(self, context: Any) -> None:
        values = self._volume_changes()
        for name in ('project_id', 'user_id'):
            if self.obj_attr_is_set(name):
                values[name] = getattr(self, name)
        self.volume = volume.Volume(context, **values)
        self.volume.create(context)
        self.volume_id = self.volume.id

    @base.remotable
    def save(self, context=None):
        """Write what changed in the mapping and in its volume.

        A mapping that is not created yet writes to its volume alone.

        :raises VolumeMappingNotFound: it is gone
        :raises VolumeNotFound: its volume is gone
        """
        context = context or self._context
        of_volume = self._volume_changes()
        values = self._changes_to_row()
        with dbapi.writer(context):
            if of_volume:
                self.volume.obj_reset_changes()
                for name, value in of_volume.items():
                    setattr(self.volume, name, value)
                self.volume.save(context)
            if values and self.obj_attr_is_set('id'):
                dbapi.update_volume_mapping(context, self.uuid, values)
        self.obj_reset_changes(fields=[
            *of_volume, *(values if self.obj_attr_is_set('id') else ())])

    @base.remotable
    def destroy(self, context=None):
        """Delete the mapping, and its volume when no other mapping uses it.

        :raises VolumeMappingNotFound: it is gone
        """
        context = context or self._context
        with dbapi.writer(context):
            dbapi.destroy_volume_mapping(context, self.uuid)
            if not dbapi.count_volume_mappings(context,
                                               volume_id=self.volume_id):
                self.volume.destroy(context)
        self.obj_reset_changes()

    @base.remotable
    def refresh(self, context=None):
        """Read the row again."""
        self._refresh_from(type(self).get_by_uuid(context or self._context,
                                                  self.uuid))
        for name in VOLUME_FIELDS:
            setattr(self, name, getattr(self.volume, name))
        self.obj_reset_changes(recursive=True)

    def obj_load_attr(self, attrname: str) -> None:
        """Load the volume, what it is, or the container."""
        if self._context is None:
            raise exception.OrphanedObjectError(method='obj_load_attr',
                                                objtype=self.obj_name())
        if attrname == 'volume':
            self.volume = volume.Volume.get_by_id(self._context,
                                                  self.volume_id)
        elif attrname == 'container':
            self.container = None if self.container_uuid is None else (
                container.Container.get_by_uuid(self._context,
                                                self.container_uuid))
        elif attrname in VOLUME_FIELDS and self.obj_attr_is_set('volume_id'):
            setattr(self, attrname, getattr(self.volume, attrname))
        else:
            raise exception.ObjectActionError(
                action='obj_load_attr',
                reason='attribute %s not lazy-loadable' % attrname)
        self.obj_reset_changes(fields=[attrname])
