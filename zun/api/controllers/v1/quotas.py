# SPDX-License-Identifier: Apache-2.0
"""/v1/quotas: the limits of projects."""

import pecan

from zun.api.controllers import base
from zun.api.controllers.v1.schemas import quotas as schema
from zun.api import validation
from zun.common import exception
from zun.common.i18n import _
from zun.common import policy
from zun.common import quota
from zun.db import api as db_api

QUOTAS = quota.QUOTAS

# The largest integer of any database.
MAX_LIMIT = 2 ** 63 - 1


def limits(quotas: dict, usages: bool) -> dict:
    """What is answered: limits, or limits and what is in use.

    :param quotas: resource -> {'limit': ..., 'in_use': ...}; nothing in use
        is 0.0, as the reference writes it
    """
    if usages:
        return {name: {'limit': value['limit'],
                       'in_use': value['in_use'] or 0.0}
                for name, value in quotas.items()}
    return {name: value['limit'] for name, value in quotas.items()}


def number(limit: int | str) -> int:
    """The number of a limit.

    :raises InvalidValue: when it is beyond what a row can hold
    """
    value = int(limit)
    if value > MAX_LIMIT:
        raise exception.InvalidValue(
            _('The limit %(value)s is more than %(max)s.') %
            {'value': value, 'max': MAX_LIMIT})
    return value


def _project_quotas(context, project_id: str, usages: bool = False) -> dict:
    return limits(QUOTAS.get_project_quotas(context, project_id,
                                            usages=usages), usages)


class QuotaController(base.Controller):
    """Shows, sets and resets limits."""

    _custom_actions = {
        'defaults': ['GET'],
    }

    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_param_update)
    @validation.validated(schema.query_param_update)
    def put(self, project_id, **quotas_dict):
        """Set limits of a project.

        Each one is a new row and the newest counts, as in the reference.
        """
        context = pecan.request.context
        policy.enforce(context, 'quota:update')
        with db_api.writer(context):
            for resource, limit in quotas_dict.items():
                db_api.quota_create(context, project_id, resource,
                                    number(limit))
            return _project_quotas(context, project_id)

    @base.Controller.api_version('1.1')
    def get(self, project_id, **kwargs):
        """The limits of a project, and what it uses if asked for."""
        context = pecan.request.context
        policy.enforce(context, 'quota:get', {'project_id': project_id})
        return _project_quotas(context, project_id,
                               usages=bool(kwargs.get('usages')))

    @base.Controller.api_version('1.1')
    def defaults(self, project_id, **kwargs):
        """The limits of projects that have none of their own."""
        context = pecan.request.context
        policy.enforce(context, 'quota:get_default',
                       {'project_id': project_id})
        return limits({name: {'limit': limit} for name, limit in
                       QUOTAS.get_defaults(context).items()}, False)

    @base.Controller.api_version('1.1')
    def delete(self, project_id, **kwargs):
        """Reset a project to the defaults."""
        context = pecan.request.context
        policy.enforce(context, 'quota:delete')
        QUOTAS.destroy_all_by_project(context, project_id)
