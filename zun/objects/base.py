# SPDX-License-Identifier: Apache-2.0
"""What all objects are made of."""

from collections.abc import Iterable
import functools
from typing import Any
from typing import Self

from oslo_utils import versionutils
from oslo_versionedobjects import base as ovoo_base
from oslo_versionedobjects import fields as ovoo_fields

from zun import objects

remotable = ovoo_base.remotable
# The signature of a remotable method, annotations too, is part of the
# fingerprint of its class: it has none.
remotable_classmethod = ovoo_base.remotable_classmethod
ObjectListBase = ovoo_base.ObjectListBase

Row = dict[str, Any]


class ZunObjectRegistry(ovoo_base.VersionedObjectRegistry):
    """Makes the newest version of a class an attribute of the package."""

    def registration_hook(self, cls: type, index: int) -> None:
        version = versionutils.convert_version_to_tuple(cls.VERSION)
        known = getattr(objects, cls.obj_name(), None)
        if known is None or version >= (
                versionutils.convert_version_to_tuple(known.VERSION)):
            setattr(objects, cls.obj_name(), cls)


class ZunObject(ovoo_base.VersionedObject):
    """Base of the objects.

    A class whose rows are in the database names in ``extra_fields`` the
    fields that are no columns; they are loaded when they are first used
    (``obj_load_attr``).
    """

    OBJ_SERIAL_NAMESPACE = 'zun_object'
    OBJ_PROJECT_NAMESPACE = 'zun'

    extra_fields: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that are set: name to value."""
        return {name: getattr(self, name) for name in self.fields
                if self.obj_attr_is_set(name)}

    @classmethod
    def _from_row(cls, context: Any, row: Row) -> Self:
        """Return a new object with the columns of a row."""
        return cls._fill(cls(context), row)

    @classmethod
    def _from_rows(cls, context: Any, rows: Iterable[Row]) -> list[Self]:
        return [cls._from_row(context, row) for row in rows]

    @classmethod
    def _fill(cls, obj: Self, row: Row) -> Self:
        """Set the fields of an object from the columns of a row."""
        for name in obj.fields:
            if name not in cls.extra_fields:
                setattr(obj, name, cls._to_field(name, row[name]))
        for name in _object_fields(cls):
            if obj.obj_attr_is_set(name):
                held = getattr(obj, name)
                for one in held if isinstance(held, list) else [held]:
                    if one is not None:
                        one.obj_reset_changes(recursive=True)
        # Not recursive, which would look through all fields.
        obj.obj_reset_changes()
        return obj

    @classmethod
    def _to_field(cls, name: str, value: Any) -> Any:
        """Turn the value of a column into that of its field."""
        return value

    @classmethod
    def _to_column(cls, name: str, value: Any) -> Any:
        """Turn the value of a field into that of its column."""
        return value

    def _changes_to_row(self) -> Row:
        """Return what changed: column to value."""
        return {name: self._to_column(name, value)
                for name, value in self.obj_get_changes().items()
                if name not in self.extra_fields}

    def _refresh_from(self, current: 'ZunObject') -> None:
        """Take over the columns of another object; forget what is loaded."""
        for name in self.fields:
            if name in self.extra_fields:
                if self.obj_attr_is_set(name):
                    delattr(self, ovoo_base._get_attrname(name))
            elif current.obj_attr_is_set(name):
                setattr(self, name, getattr(current, name))
        self.obj_reset_changes(recursive=True)


@functools.cache
def _object_fields(cls: type[ZunObject]) -> list[str]:
    """The fields of a class that hold objects."""
    return [name for name, field in cls.fields.items() if isinstance(
        field, (ovoo_fields.ObjectField, ovoo_fields.ListOfObjectsField))]


class ZunObjectDictCompat(ovoo_base.VersionedObjectDictCompat):
    """Lets fields be read and written like items."""


class ZunPersistentObject(object):
    """The fields of every row."""

    fields = {
        'created_at': ovoo_fields.DateTimeField(nullable=True,
                                                tzinfo_aware=False),
        'updated_at': ovoo_fields.DateTimeField(nullable=True,
                                                tzinfo_aware=False),
    }


class ZunObjectSerializer(ovoo_base.VersionedObjectSerializer):
    """Turns objects, alone or in lists and dictionaries, into primitives."""

    OBJ_BASE_CLASS = ZunObject
