# SPDX-License-Identifier: Apache-2.0
"""What happens around every controller's method."""

from pecan import abort
from pecan import hooks
from webob import exc

from zun.api.controllers import base
from zun.api import http_error
from zun.common import context
from zun.common import exception
from zun.common.i18n import _


class ContextHook(hooks.PecanHook):
    """Sets ``pecan.request.context`` from the identity headers.

    The headers come from keystonemiddleware, which removes what a client
    sends under their names.
    """

    priority = 10

    def before(self, state):
        request = state.request
        environ = request.environ
        request.context = context.RequestContext.from_environ(
            environ, is_admin=None,
            # Spaces are part of a role's name, as the reference has it.
            roles=environ.get('HTTP_X_ROLES', '').split(','),
            auth_token_info=environ.get('keystone.token_info'))


class ArgumentsHook(hooks.PecanHook):
    """Answers requests that leave out what a method can't do without."""

    priority = 20

    def before(self, state):
        names = base.required_arguments(state.controller)
        given = len(state.arguments.args) + len(state.arguments.varargs)
        missing = [name for name in names[given:]
                   if name not in state.arguments.varkw]
        if not missing:
            return
        if missing[0] in base.PATH_ARGUMENTS:
            abort(405 if state.request.method != 'GET' else 404)
        raise exception.InvalidParameterValue(
            err=_("The parameter '%s' is required.") % missing[0])


class ErrorHook(hooks.PecanHook):
    """Turns what a method raises into an answer."""

    def on_error(self, state, error):
        if isinstance(error, exc.HTTPException):
            if error.status_int < 400:
                return None
            return http_error.protocol_response(error)
        described = http_error.describe(error)
        response = state.response
        response.status = described.status
        response.content_type = 'application/json'
        response.body = http_error.body(described)
        return response
