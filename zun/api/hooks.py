# SPDX-License-Identifier: Apache-2.0
"""What happens around every controller's method."""

from pecan import abort
from pecan import hooks
from webob import exc

from zun.api.controllers import base
from zun.api import http_error
from zun.api import validation
from zun.common import context


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
    """Answers requests whose path lacks what a method can't do without.

    The other arguments of methods have defaults; see
    :data:`zun.api.utils.MISSING`.
    """

    priority = 20

    def before(self, state):
        needed = len(base.required_arguments(state.controller))
        # The query and the body may have them, too: as text, given once.
        given = [value for value in state.arguments.args[:needed]
                 if isinstance(value, str)]
        if len(given) < needed:
            # What is wrong with the rest comes first, as for other requests.
            validation.run_checks(state.controller, state.arguments.varkw)
            abort(404 if state.request.method == 'GET' else 405)


class NoContentHook(hooks.PecanHook):
    """Leaves answers without content (204) without a body.

    The reference sends the text ``null``, which a client that keeps the
    connection takes for the beginning of the next answer.
    """

    def after(self, state):
        if state.response.status_int == 204:
            state.response.body = b''
            state.response.content_length = None
            state.response.content_type = None


class ErrorHook(hooks.PecanHook):
    """Turns what a method raises into an answer."""

    def on_error(self, state, error):
        if isinstance(error, UnicodeDecodeError):
            # A path or query that isn't UTF-8.
            error = exc.HTTPBadRequest(detail='')
        if type(error) is LookupError:
            # The character set that a content type names is unknown.
            error = http_error.explained(
                exc.HTTPUnsupportedMediaType(detail=str(error)))
        if isinstance(error, exc.HTTPException):
            if error.status_int < 400:
                return None
            return http_error.protocol_response(
                error, state.request.headers.get('Accept'))
        described = http_error.describe(error)
        response = state.response
        response.status = described.status
        response.content_type = 'application/json'
        response.body = http_error.body(described)
        return response
