# SPDX-License-Identifier: Apache-2.0
"""The one place where exceptions become answers.

The body of an error is::

    {"errors": [{"request_id": "", "code": "container.<error>",
                 "status": 404, "title": "...", "detail": "...",
                 "links": []}]}

`code` ends in the exception's class name, dashed.  Errors of the protocol
itself (no such route, method or representation) have an empty one, and an
empty title and detail.
"""

from typing import NamedTuple

from oslo_db import exception as db_exc
from oslo_log import log
from oslo_utils import uuidutils
import webob
from webob import acceptparse
from webob import exc

from zun.api import rendering
from zun.common import exception
from zun.common.i18n import _

LOG = log.getLogger(__name__)

# Answers for what the reference reports as its own failure (500).  First
# match wins; a module is named by the classes' full names, so that clients
# of peers need not be imported.
STATUS_BY_CLASS = (
    ('zun.common.exception.ContainerHostNotUp', 503),
    ('zun.common.exception.ContainerActionNotFound', 404),
    ('zun.common.exception.InvalidCapsuleTemplate', 400),
    ('zun.common.exception.InvalidReference', 400),
    ('zun.common.exception.PortNotUsable', 400),
    ('zun.common.exception.OperationNotSupported', 409),
    ('zun.common.exception.ResourcesUnavailable', 409),
    ('oslo_messaging.exceptions.MessagingTimeout', 503),
    ('keystoneauth1.exceptions.base.ClientException', 503),
    ('oslo_db.exception.DBConnectionError', 503),
    ('oslo_db.exception.DBDataError', 400),
    ('builtins.RecursionError', 400),
)

# The package whose modules the application's exceptions are in.
_PACKAGE = 'zun.common.exception'


class Error(NamedTuple):
    """An error as it will be answered."""

    status: int
    code: str
    title: str
    detail: str | None


def _class_names(error: BaseException) -> set[str]:
    """Full names of an exception's classes, as they are imported."""
    return {'%s.%s' % (_PACKAGE if cls.__module__.startswith(_PACKAGE + '.')
                       else cls.__module__, cls.__qualname__)
            for cls in type(error).__mro__}


def status_of(error: Exception) -> int:
    """The HTTP status for an exception; 500 when it is unexpected."""
    status = getattr(error, 'code', 500)
    if isinstance(status, int) and (400 <= status < 500 or status == 503):
        return status
    names = _class_names(error)
    for name, status in STATUS_BY_CLASS:
        if name in names:
            return status
    return 400 if _is_no_value(error) else 500


def _is_no_value(error: Exception) -> bool:
    """Whether a driver refused to send a value, as NUL to PostgreSQL."""
    return isinstance(error, db_exc.DBError) and isinstance(
        error.inner_exception, ValueError)


def describe(error: Exception) -> Error:
    """What to answer for an exception of the application."""
    status = status_of(error)
    if status == 500:
        return _unexpected(error)
    code = ''
    if isinstance(error, exception.ZunException):
        code = exception.convert_excp_to_err_code(type(error).__name__)
    text = _database_text(status) if isinstance(error, db_exc.DBError) \
        else str(error)
    return Error(status, code, text, text)


def _database_text(status: int) -> str:
    """What to say of the database's error, which shows its statements."""
    if status == 503:
        return _('The database is not available.')
    return _('A value of the request is none that the database can hold.')


def _unexpected(error: Exception) -> Error:
    correlation_id = uuidutils.generate_uuid()
    LOG.error('Unhandled error, correlation id %s', correlation_id,
              exc_info=error)
    return Error(500, '', 'Internal Server Error',
                 _('Your request could not be handled because of a problem '
                   'in the server. Error Correlation id is: %s') %
                 correlation_id)


def body(error: Error) -> bytes:
    """The JSON body for an error."""
    return rendering.to_json({'errors': [{
        'request_id': '',
        'code': 'container.' + error.code,
        'status': error.status,
        'title': error.title,
        'detail': error.detail,
        'links': [],
    }]}).encode()


def explained(error: exc.HTTPException) -> exc.HTTPException:
    """An error of the protocol whose text every client shall see."""
    error.explained = True
    return error


def _prefers_json(accept: str | None) -> bool:
    offers = acceptparse.create_accept_header(accept or '*/*') \
        .acceptable_offers(('text/plain', 'text/html', 'application/json'))
    return bool(offers) and offers[0][0] == 'application/json'


def protocol_response(error: exc.HTTPException,
                      accept: str | None) -> webob.Response:
    """The answer for an error of the protocol, its own headers kept.

    Title and detail are for clients that ask for JSON before text, as the
    reference has it, or for all if the error is :func:`explained`.
    """
    response = webob.Response(status=error.status_int)
    for name, value in error.headers.items():
        if name.lower() not in ('content-type', 'content-length'):
            response.headers[name] = value
    title = detail = ''
    if _prefers_json(accept) or getattr(error, 'explained', False):
        title, detail = error.title, error.detail
    response.content_type = 'application/json'
    response.body = body(Error(error.status_int, '', title, detail))
    return response
