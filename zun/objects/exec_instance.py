# SPDX-License-Identifier: Apache-2.0
"""An interactive exec in a container."""

from zun.db import api as dbapi
from zun.objects import base
from zun.objects import fields


@base.ZunObjectRegistry.register
class ExecInstance(base.ZunPersistentObject, base.ZunObject):
    """Where, and with which token, the terminal of an exec is reached."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'id': fields.IntegerField(),
        'container_id': fields.IntegerField(nullable=False),
        'exec_id': fields.StringField(nullable=False),
        'token': fields.StringField(nullable=True),
        'url': fields.StringField(nullable=True),
    }

    @base.remotable_classmethod
    def list_by_container_id(cls, context, container_id):
        """Return the exec instances of a container, by its number."""
        return cls._from_rows(context, dbapi.list_exec_instances(
            context, container_id))

    @base.remotable
    def create(self, context):
        """Insert the exec instance.

        :raises ExecInstanceAlreadyExists: the container has that exec id
        """
        self._fill(self, dbapi.create_exec_instance(
            context, self._changes_to_row()))
