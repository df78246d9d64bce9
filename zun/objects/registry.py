# SPDX-License-Identifier: Apache-2.0
"""A private image registry."""

from typing import Self

from oslo_log import log as logging

from zun.common import crypt
from zun.common import exception
from zun.db import api as dbapi
from zun.objects import base
from zun.objects import fields

LOG = logging.getLogger(__name__)


@base.ZunObjectRegistry.register
class Registry(base.ZunPersistentObject, base.ZunObject):
    """A registry; the object has the password, the row its cipher."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'id': fields.IntegerField(),
        'uuid': fields.UUIDField(nullable=True),
        'project_id': fields.StringField(nullable=True),
        'user_id': fields.StringField(nullable=True),
        'name': fields.StringField(nullable=True),
        'domain': fields.StringField(nullable=False),
        'username': fields.StringField(nullable=True),
        'password': fields.StringField(nullable=True),
    }

    # What the row holds in place of the password.
    _cipher: str | None = None

    extra_fields = ('password',)

    @classmethod
    def _fill(cls, obj: Self, row: base.Row) -> Self:
        super()._fill(obj, row)
        obj._cipher = row['password']
        try:
            obj._set_password()
        except exception.InvalidEncryptionKey:
            # Only who needs the password fails: the registry can still be
            # listed, deleted and given another password.
            LOG.warning('The password of registry %s cannot be decrypted '
                        'with [DEFAULT] auth_encryption_key', obj.uuid)
        return obj

    def _set_password(self) -> None:
        self.password = (None if self._cipher is None
                         else crypt.decrypt(self._cipher))
        self.obj_reset_changes(fields=['password'])

    def obj_load_attr(self, attrname: str) -> None:
        """Say why a password is missing.

        :raises InvalidEncryptionKey: it cannot be decrypted
        """
        if attrname != 'password' or self._cipher is None:
            raise exception.ObjectActionError(
                action='obj_load_attr',
                reason='attribute %s not lazy-loadable' % attrname)
        self._set_password()

    def _changes_to_row(self) -> base.Row:
        values = super()._changes_to_row()
        if 'password' in self.obj_what_changed():
            values['password'] = (None if self.password is None
                                  else crypt.encrypt(self.password))
        return values

    @base.remotable_classmethod
    def get_by_id(cls, context, id):
        """Return the registry of a number.

        :raises RegistryNotFound: there is none
        """
        return cls._from_row(context, dbapi.get_registry_by_id(context, id))

    @base.remotable_classmethod
    def get_by_uuid(cls, context, uuid):
        """Return the registry of a uuid.

        :raises RegistryNotFound: there is none
        """
        return cls._from_row(context,
                             dbapi.get_registry_by_uuid(context, uuid))

    @base.remotable_classmethod
    def get_by_name(cls, context, name):
        """Return the one registry of a name.

        :raises RegistryNotFound: there is none
        :raises Conflict: there are several
        """
        return cls._from_row(context,
                             dbapi.get_registry_by_name(context, name))

    @base.remotable_classmethod
    def list(cls, context, limit=None, marker=None, sort_key=None,
             sort_dir=None, filters=None):
        """Return a page of the registries, sorted and filtered."""
        return cls._from_rows(context, dbapi.list_registries(
            context, filters=filters, limit=limit, marker=marker,
            sort_key=sort_key, sort_dir=sort_dir))

    @base.remotable
    def create(self, context):
        """Insert the registry."""
        self._fill(self, dbapi.create_registry(context,
                                               self._changes_to_row()))

    @base.remotable
    def destroy(self, context=None):
        """Delete the registry.

        :raises RegistryNotFound: it is gone
        :raises Conflict: a container uses it
        """
        dbapi.destroy_registry(context or self._context, self.uuid)
        self.obj_reset_changes()

    @base.remotable
    def save(self, context=None):
        """Write what changed."""
        values = self._changes_to_row()
        if values:
            dbapi.update_registry(context or self._context, self.uuid, values)
        self.obj_reset_changes()
