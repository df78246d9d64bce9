# SPDX-License-Identifier: Apache-2.0
"""What the agent of a node answers over HTTPS.

``POST /v1/<operation>`` with a ticket, see :mod:`zun.common.tickets`. The
answer's body are the bytes of a log or an archive; a document is in a
header, or the body where it is large.
"""

from collections.abc import Callable
from collections.abc import Iterable
import hmac
import json

from oslo_log import log as logging

from zun.common import context as zun_context
from zun.common import exception
from zun.common.i18n import _
from zun.common import tickets
import zun.conf
from zun.container.k8s import nodeside
from zun.container.k8s import streams
from zun.container.runtime import base as runtime_base
from zun.db import api as db_api
from zun import objects

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

_ENVIRON_TICKET = 'HTTP_' + streams.TICKET.upper().replace('-', '_')
_REASONS = {200: 'OK', 400: 'Bad Request', 403: 'Forbidden',
            404: 'Not Found', 405: 'Method Not Allowed', 409: 'Conflict',
            413: 'Content Too Large', 500: 'Internal Server Error',
            501: 'Not Implemented', 503: 'Service Unavailable'}


class Application:
    """The WSGI application.

    :param driver: with the runtime of this node.
    """

    def __init__(self, driver) -> None:
        self._driver = driver

    def __call__(self, environ: dict, start_response: Callable
                 ) -> Iterable[bytes]:
        try:
            document, data = self._answer(environ)
        except Exception as exc:
            status, document = _refusal(exc)
            return _send(start_response, status, {}, json.dumps(
                document).encode())
        return _send(start_response, 200, document, data)

    def _answer(self, environ):
        operation = environ['PATH_INFO'].removeprefix(streams.PATH)
        if operation not in nodeside.OPERATIONS:
            raise exception.NotFound(
                _('There is no operation %s.') % operation)
        if environ['REQUEST_METHOD'] != 'POST':
            raise exception.Invalid(_('Operations are asked for by POST.'))
        ticket = tickets.check(environ.get(_ENVIRON_TICKET, ''), operation)
        arguments = dict(ticket.arguments)
        wanted = arguments.pop('digest', None)
        data = None
        if wanted is not None:
            data = _body(environ)
            if not hmac.compare_digest(tickets.digest(data), wanted):
                raise tickets.TicketInvalid(_('it is for other data'))
        return self._driver.on_node(
            operation, _container(ticket.container), arguments, data)


def _container(uuid):
    context = zun_context.get_admin_context(all_projects=True)
    with db_api.single():
        return objects.Container.get_by_uuid(context, uuid)


def _body(environ) -> bytes:
    try:
        length = int(environ.get('CONTENT_LENGTH') or 0)
    except ValueError:
        length = -1
    if not 0 <= length <= CONF.kubernetes.max_archive_size:
        raise exception.Invalid(
            _('The archive is larger than %d bytes.')
            % CONF.kubernetes.max_archive_size)
    return environ['wsgi.input'].read(length)


def _refusal(exc: Exception) -> tuple[int, dict]:
    """Status and document of an error."""
    code = getattr(exc, 'code', None)
    if isinstance(exc, runtime_base.NotSupported):
        code = streams.CANNOT
    if code not in _REASONS:
        code = 500
    if code == 500:
        LOG.exception('A request to this agent has failed')
    return code, {'class': type(exc).__name__, 'message': str(exc)}


def _send(start_response, status, document, data):
    headers = [(streams.DOCUMENT, json.dumps(document))]
    if document and not data:
        headers, data = [], json.dumps(document).encode()
    start_response('%d %s' % (status, _REASONS[status]), [
        ('Content-Type', 'application/octet-stream'),
        ('Content-Length', str(len(data))), *headers])
    return [data]
