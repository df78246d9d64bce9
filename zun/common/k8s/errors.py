# SPDX-License-Identifier: Apache-2.0
"""Errors of the Kubernetes API, by what the caller can do about them."""

import http.client
import json
import re

import kubernetes.client.exceptions as kube_exc
import urllib3.exceptions
import websocket

from zun.common import exception
from zun.common.i18n import _


class KubernetesError(exception.ZunException):
    """The API server answered with an error; ``status`` is its code."""

    message = _('Kubernetes API error: %(error)s')
    code = 503
    status = None
    reason = ''
    # Whether the same request may succeed later.
    transient = False

    def __init__(self, error, status=None, reason='', retry_after=None):
        super().__init__(error=error)
        self.status = status
        self.reason = reason
        self.retry_after = retry_after


class NotFound(KubernetesError):
    """404: the object, or its namespace, does not exist."""

    code = 404


class AlreadyExists(KubernetesError):
    """409 on a create: the name is taken."""

    code = 409


class Conflict(KubernetesError):
    """409: the object changed, or a precondition does not hold."""

    code = 409
    transient = True


class Terminating(KubernetesError):
    """The namespace of the object is being removed; wait for its end."""

    transient = True


class Expired(KubernetesError):
    """410: the resourceVersion is too old; list anew."""

    transient = True


class Invalid(KubernetesError):
    """400, 413, 422: the object will never be accepted as it is."""

    code = 400


class Forbidden(KubernetesError):
    """401, 403: rights of the service, admission or quota say no."""


class Unavailable(KubernetesError):
    """The API server is away or overloaded; the request may be repeated.

    ``retry_after``: seconds that the server asks for, or None.
    """

    transient = True


# Errors below the API: connection refused or lost, time-out.
TRANSPORT_ERRORS = (urllib3.exceptions.HTTPError, OSError,
                    http.client.HTTPException)

# The server closed a kept-alive connection before it saw the request.
STALE_CONNECTION = (urllib3.exceptions.ProtocolError,
                    http.client.RemoteDisconnected, ConnectionResetError,
                    BrokenPipeError)

_BY_STATUS = {400: Invalid, 401: Forbidden, 403: Forbidden, 404: NotFound,
              405: Invalid, 406: Invalid, 410: Expired, 413: Invalid,
              415: Invalid, 422: Invalid}

# Refusals that pass by themselves: the controllers have not made the service
# account of a new namespace, an API server that has just started has not read
# the roles.
_NOT_YET = re.compile(r'error looking up service account|RBAC: .*not found',
                      re.DOTALL)


def from_response(status: int, body: bytes | str | None,
                  headers=None) -> KubernetesError:
    """The error that an answer of the API server stands for.

    :param status: HTTP status code.
    :param body: a ``Status`` object as JSON, or any text.
    """
    document = parse_status(body)
    reason = document.get('reason', '')
    text = document.get('message') or http.client.responses.get(
        status, 'HTTP %s' % status)
    cls = _BY_STATUS.get(status)
    if status == 409:
        cls = AlreadyExists if reason == 'AlreadyExists' else Conflict
    elif status == 403 and _is_terminating(document):
        cls = Terminating
    elif status == 403 and _NOT_YET.search(text):
        cls = Unavailable
    elif cls is None:
        cls = Unavailable
    return cls(text, status=status, reason=reason,
               retry_after=_retry_after(headers))


def from_exception(exc: Exception) -> KubernetesError:
    """The error that a client library's exception stands for."""
    if isinstance(exc, KubernetesError):
        return exc
    if isinstance(exc, kube_exc.ApiException) and exc.status:
        return from_response(exc.status, exc.body, exc.headers)
    if isinstance(exc, websocket.WebSocketBadStatusException):
        return from_response(exc.status_code, exc.resp_body,
                             exc.resp_headers)
    return Unavailable(_('API server cannot be reached: %s')
                       % _innermost(exc))


def parse_status(body: bytes | str | None) -> dict:
    """A ``Status`` object; plain text becomes one with that message."""
    if isinstance(body, bytes):
        body = body.decode('utf-8', 'replace')
    if not body:
        return {}
    try:
        document = json.loads(body)
    except ValueError:
        return {'message': body.strip()}
    return document if isinstance(document, dict) else {}


def _is_terminating(document):
    causes = (document.get('details') or {}).get('causes') or []
    return any(cause.get('reason') == 'NamespaceTerminating'
               for cause in causes)


def _retry_after(headers):
    value = (headers or {}).get('Retry-After', '')
    return int(value) if str(value).isdigit() else None


def _innermost(exc):
    """What really happened, below the layers of the HTTP library."""
    while True:
        inner = getattr(exc, 'reason', None) or exc.__cause__
        if not isinstance(inner, Exception):
            return exc
        exc = inner
