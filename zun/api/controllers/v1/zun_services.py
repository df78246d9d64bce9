# SPDX-License-Identifier: Apache-2.0
"""/v1/services: the services and whether they may be used."""

import types

from oslo_utils import strutils
import pecan

from zun.api.controllers import base
from zun.api.controllers.v1.schemas import services as schema
from zun.api.controllers.v1.views import services_view
from zun.api import utils
from zun.api import validation
from zun.common import exception
from zun.common.i18n import _
from zun.common import policy
from zun.db import api as db_api
from zun.servicegroup import api as servicegroup


def _flag(value, name: str) -> bool:
    """A truth value; a body's is not described by a schema.

    :raises InvalidValue: it is neither true nor false
    """
    value = utils.required(value, name)
    try:
        return strutils.bool_from_string(value, strict=True)
    except ValueError:
        raise exception.InvalidValue(
            _('Valid %(name)s values are: %(values)s') %
            {'name': name, 'values': utils.BOOLEAN_TEXTS})


def _text(value, name: str) -> str | None:
    """A text that is given once, or None; a number counts as text.

    :raises InvalidValue: it is something else
    """
    value = utils.single(utils.required(value, name), name)
    if isinstance(value, (int, float)):
        value = str(value)
    if value is not None and not isinstance(value, str):
        raise exception.InvalidValue(
            _("The parameter '%s' is not a text.") % name)
    return value


def _update(context, host: str, binary: str, values: dict) -> dict:
    """Change a service; what is answered about it.

    :raises ZunServiceNotFound: there is no such service
    """
    host, binary = _text(host, 'host'), _text(binary, 'binary')
    with db_api.writer(context):
        if db_api.get_zun_service(context, host, binary) is None:
            raise exception.ZunServiceNotFound(binary=binary, host=host)
        if 'disabled_reason' in values:
            # A service that is unknown comes before a reason that is no text.
            values['disabled_reason'] = _text(values['disabled_reason'],
                                              'disabled_reason')
        db_api.update_zun_service(context, host, binary, values)
    return {'service': {'host': host, 'binary': binary, **values}}


class ZunServiceController(base.Controller):
    """Shows, switches and removes services; administrators only."""

    _custom_actions = {
        'enable': ['PUT'],
        'disable': ['PUT'],
        'force_down': ['PUT'],
    }

    def __init__(self) -> None:
        self.servicegroup_api = servicegroup.ServiceGroup()

    @base.Controller.api_version('1.1')
    def get_all(self, **kwargs):
        """All services; there are no pages of them."""
        context = pecan.request.context
        policy.enforce(context, 'zun-service:get_all')
        return {'services': [
            services_view.format_service(
                row, self.servicegroup_api.service_is_up(
                    types.SimpleNamespace(**row)))
            for row in db_api.list_zun_services(context)]}

    @base.Controller.api_version('1.1')
    def delete(self, host=utils.MISSING, binary=utils.MISSING, **kwargs):
        """Forget a service; it comes back when it reports again."""
        context = pecan.request.context
        policy.enforce(context, 'zun-service:delete')
        db_api.destroy_zun_service(context, _text(host, 'host'),
                                   _text(binary, 'binary'))

    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_param_enable)
    def enable(self, host=utils.MISSING, binary=utils.MISSING, **kwargs):
        """Let a service be used again."""
        context = pecan.request.context
        policy.enforce(context, 'zun-service:enable')
        return _update(context, host, binary,
                       {'disabled': False, 'disabled_reason': None})

    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_param_disable)
    def disable(self, host=utils.MISSING, binary=utils.MISSING,
                disabled_reason=None, **kwargs):
        """Keep a service from new work."""
        context = pecan.request.context
        policy.enforce(context, 'zun-service:disable')
        return _update(context, host, binary,
                       {'disabled': True,
                        'disabled_reason': disabled_reason})

    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_param_force_down)
    def force_down(self, host=utils.MISSING, binary=utils.MISSING,
                   forced_down=utils.MISSING, **kwargs):
        """Count a service as down, or no longer."""
        context = pecan.request.context
        policy.enforce(context, 'zun-service:force_down')
        return _update(context, host, binary, {
            'forced_down': _flag(forced_down, 'forced_down')})
