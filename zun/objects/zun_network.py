# SPDX-License-Identifier: Apache-2.0
"""A Neutron network that is set up on a host."""

from zun.db import api as dbapi
from zun.objects import base
from zun.objects import fields


@base.ZunObjectRegistry.register
class ZunNetwork(base.ZunPersistentObject, base.ZunObject):
    """A network; network_id is the name that the node's runtime uses."""

    # Version 1.2 of Zun 18.0.0
    VERSION = '1.2'

    fields = {
        'id': fields.IntegerField(),
        'uuid': fields.UUIDField(nullable=True),
        'name': fields.StringField(nullable=True),
        'project_id': fields.StringField(nullable=True),
        'user_id': fields.StringField(nullable=True),
        'network_id': fields.StringField(nullable=True),
        'neutron_net_id': fields.StringField(nullable=True),
        'host': fields.StringField(nullable=True),
    }

    @base.remotable_classmethod
    def get_by_uuid(cls, context, uuid):
        """Return the network of a uuid.

        :raises NetworkNotFound: there is none
        """
        return cls._from_row(context,
                             dbapi.get_network_by_uuid(context, uuid))

    @base.remotable_classmethod
    def list(cls, context, limit=None, marker=None, sort_key=None,
             sort_dir=None, filters=None):
        """Return a page of the networks, sorted and filtered."""
        return cls._from_rows(context, dbapi.list_networks(
            context, filters=filters, limit=limit, marker=marker,
            sort_key=sort_key, sort_dir=sort_dir))

    @base.remotable
    def create(self, context):
        """Insert the network.

        :raises NetworkAlreadyExists: the host has that Neutron network
        """
        self._fill(self, dbapi.create_network(context,
                                              self._changes_to_row()))

    @base.remotable
    def save(self, context=None):
        """Write what changed.

        :raises NetworkNotFound: it is gone
        """
        values = self._changes_to_row()
        if values:
            dbapi.update_network(context or self._context, self.uuid, values)
        self.obj_reset_changes()

    @base.remotable
    def destroy(self, context=None):
        """Delete the network.

        :raises NetworkNotFound: it is gone
        """
        dbapi.destroy_network(context or self._context, self.uuid)
        self.obj_reset_changes()
