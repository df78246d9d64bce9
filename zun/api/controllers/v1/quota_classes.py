# SPDX-License-Identifier: Apache-2.0
"""/v1/quota_classes: limits that have a name."""

import pecan

from zun.api.controllers import base
from zun.api.controllers.v1 import quotas
from zun.api.controllers.v1.schemas import quotas as schema
from zun.api import validation
from zun.common import exception
from zun.common import policy
from zun.db import api as db_api


def _class_quotas(context, name: str) -> dict:
    return quotas.limits({
        resource: {'limit': limit} for resource, limit in
        quotas.QUOTAS.get_class_quotas(context, name).items()}, False)


class QuotaClassController(base.Controller):
    """Shows and sets limits; administrators only."""

    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_param_update)
    @validation.validated(schema.query_param_update)
    def put(self, quota_class_name, **quotas_dict):
        """Set limits of a class."""
        context = pecan.request.context
        policy.enforce(context, 'quota_class:update')
        with db_api.writer(context):
            for resource, value in quotas_dict.items():
                _set(context, quota_class_name, resource,
                     quotas.number(value))
            return _class_quotas(context, quota_class_name)

    @base.Controller.api_version('1.1')
    def get(self, quota_class_name, **kwargs):
        """The limits of a class."""
        context = pecan.request.context
        policy.enforce(context, 'quota_class:get')
        return _class_quotas(context, quota_class_name)


def _set(context, name: str, resource: str, limit: int) -> None:
    try:
        db_api.quota_class_update(context, name, resource, limit)
    except exception.QuotaClassNotFound:
        db_api.quota_class_create(context, name, resource, limit)
