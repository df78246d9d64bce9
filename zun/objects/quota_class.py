# SPDX-License-Identifier: Apache-2.0
"""The limit of a quota class on a resource."""

from zun.db import api as dbapi
from zun.objects import base
from zun.objects import fields


@base.ZunObjectRegistry.register
class QuotaClass(base.ZunPersistentObject, base.ZunObject):
    """A limit; None and -1 mean that there is none."""

    # Version 1.2 of Zun 18.0.0
    VERSION = '1.2'

    fields = {
        'id': fields.IntegerField(),
        'class_name': fields.StringField(nullable=True),
        'resource': fields.StringField(nullable=True),
        'hard_limit': fields.IntegerField(nullable=True),
    }

    @base.remotable_classmethod
    def get(cls, context, class_name, resource):
        """Return the limit of a class on a resource.

        :raises QuotaClassNotFound: none is set
        """
        return cls._from_row(context, dbapi.quota_class_get(
            context, class_name, resource))

    @base.remotable_classmethod
    def get_all(cls, context, class_name=None):
        """Return the limits of a class, or of the default one."""
        return cls._from_rows(context, dbapi.quota_class_get_all_by_name(
            context, class_name))

    @base.remotable
    def create(self, context):
        """Set the limit for the first time."""
        self._fill(self, dbapi.quota_class_create(
            context, self.class_name, self.resource,
            self.hard_limit if self.obj_attr_is_set('hard_limit') else None))

    @base.remotable
    def update(self, context=None):
        """Change the limit.

        :raises QuotaClassNotFound: none is set
        """
        self._fill(self, dbapi.quota_class_update(
            context or self._context, self.class_name, self.resource,
            self.hard_limit))
