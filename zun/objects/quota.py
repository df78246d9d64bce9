# SPDX-License-Identifier: Apache-2.0
"""The limit of a project on a resource."""

from zun.db import api as dbapi
from zun.objects import base
from zun.objects import fields


@base.ZunObjectRegistry.register
class Quota(base.ZunPersistentObject, base.ZunObject):
    """A limit; None and -1 mean that there is none."""

    # Version 1.3 of Zun 18.0.0
    VERSION = '1.3'

    fields = {
        'id': fields.IntegerField(),
        'project_id': fields.StringField(nullable=True),
        'resource': fields.StringField(),
        'hard_limit': fields.IntegerField(nullable=True),
    }

    @base.remotable_classmethod
    def get(cls, context, project_id, resource):
        """Return the limit of a project on a resource.

        :raises ProjectQuotaNotFound: none is set
        """
        return cls._from_row(context,
                             dbapi.quota_get(context, project_id, resource))

    @base.remotable_classmethod
    def get_all(cls, context, project_id):
        """Return the limits of a project, one a resource."""
        return cls._from_rows(context, dbapi.quota_get_all_by_project(
            context, project_id))

    @base.remotable
    def create(self, context):
        """Set the limit; it replaces one that was set before."""
        self._fill(self, dbapi.quota_create(
            context, self.project_id, self.resource,
            self.hard_limit if self.obj_attr_is_set('hard_limit') else None))

    @base.remotable
    def update(self, context=None):
        """Change the limit that is set.

        :raises ProjectQuotaNotFound: none is set
        """
        self._fill(self, dbapi.quota_update(
            context or self._context, self.project_id, self.resource,
            self.hard_limit))

    @base.remotable
    def destroy(self, context=None):
        """Remove the limit.

        :raises ProjectQuotaNotFound: none is set
        """
        dbapi.quota_destroy(context or self._context, self.project_id,
                            self.resource)
        self.obj_reset_changes()

    @base.remotable_classmethod
    def destroy_all_by_project(cls, context, project_id):
        """Remove all limits of a project, if there are any."""
        dbapi.quota_destroy_all_by_project(context, project_id)
