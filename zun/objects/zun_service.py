# SPDX-License-Identifier: Apache-2.0
"""A service on a host."""

from typing import Any

from zun.db import api as dbapi
from zun.objects import base
from zun.objects import fields


@base.ZunObjectRegistry.register
class ZunService(base.ZunPersistentObject, base.ZunObject):
    """A service; report_count grows while it lives."""

    # Version 1.2 of Zun 18.0.0
    VERSION = '1.2'

    fields = {
        'id': fields.IntegerField(),
        'host': fields.StringField(nullable=True),
        'binary': fields.StringField(nullable=True),
        'disabled': fields.BooleanField(),
        'disabled_reason': fields.StringField(nullable=True),
        'last_seen_up': fields.DateTimeField(nullable=True,
                                             tzinfo_aware=False),
        'forced_down': fields.BooleanField(),
        'report_count': fields.IntegerField(),
        'availability_zone': fields.StringField(nullable=True),
    }

    @classmethod
    def _to_field(cls, name: str, value: Any) -> Any:
        # The columns may be NULL, the fields may not.
        if value is None and name in ('disabled', 'forced_down'):
            return False
        return value

    @base.remotable_classmethod
    def get_by_host_and_binary(cls, context, host, binary):
        """Return the service of a host and executable, or None."""
        row = dbapi.get_zun_service(context, host, binary)
        return None if row is None else cls._from_row(context, row)

    @base.remotable_classmethod
    def list(cls, context, limit=None, marker=None, sort_key=None,
             sort_dir=None):
        """Return a page of the services, sorted."""
        return cls._from_rows(context, dbapi.list_zun_services(
            context, limit=limit, marker=marker, sort_key=sort_key,
            sort_dir=sort_dir))

    @base.remotable_classmethod
    def list_by_binary(cls, context, binary):
        """Return the services of an executable."""
        return cls._from_rows(context, dbapi.list_zun_services_by_binary(
            context, binary))

    @base.remotable
    def create(self, context=None):
        """Insert the service.

        :raises ZunServiceAlreadyExists: the host has that executable
        """
        self._fill(self, dbapi.create_zun_service(context or self._context,
                                                  self._changes_to_row()))

    @base.remotable
    def destroy(self, context=None):
        """Delete the service.

        :raises ZunServiceNotFound: it is gone
        """
        dbapi.destroy_zun_service(context or self._context, self.host,
                                  self.binary)
        self.obj_reset_changes()

    @base.remotable
    def save(self, context=None):
        """Write what changed and take over the row.

        :raises ZunServiceNotFound: it is gone
        """
        values = self._changes_to_row()
        if values:
            self._fill(self, dbapi.update_zun_service(
                context or self._context, self.host, self.binary, values))

    @base.remotable
    def update(self, context, kwargs):
        """Set fields and write them.

        :param kwargs: field to value
        :raises ZunServiceNotFound: it is gone
        """
        for name, value in kwargs.items():
            setattr(self, name, value)
        self.save(context)

    @base.remotable
    def report_state_up(self, context=None):
        """Tell that the service lives.

        :raises ZunServiceNotFound: its row is gone
        """
        self.report_count += 1
        self.save(context)
