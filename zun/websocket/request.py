# SPDX-License-Identifier: Apache-2.0
"""What a client asks for when it opens a WebSocket, and whether it may."""

from collections.abc import Iterable
import re
from typing import NamedTuple
from urllib import parse

from zun.common import exception

_HOST_PORT = re.compile(r'^(?P<host>\[[^\]]*\]|[^:]*)(?::\d*)?$')


class Ticket(NamedTuple):
    """The right that a client presents: a token and what it is for."""

    token: str
    container_uuid: str


def parse_ticket(target: str) -> Ticket:
    """Read the query of the request target, ``/?token=…&uuid=…``.

    :raises InvalidWebsocketUrl: a part is missing or given twice.
    """
    query = parse.parse_qs(parse.urlsplit(target).query)
    values = []
    for name in ('token', 'uuid'):
        found = query.get(name, [])
        if len(found) != 1:
            raise exception.InvalidWebsocketUrl()
        values.append(found[0])
    return Ticket(*values)


def _host_of(header: str) -> str:
    match = _HOST_PORT.match(header)
    return match.group('host').strip('[]').lower() if match else ''


def origin_allowed(origin: str | None, host: str | None, scheme: str,
                   allowed: Iterable[str]) -> bool:
    """Tell whether a page of that origin may open a session.

    A browser sends the origin of the page; it must be of the host that the
    socket is opened to, or be allowed by the operator. Programs that are
    no browsers need not send one.

    :param origin: header ``Origin``.
    :param host: header ``Host``.
    :param scheme: of the proxy's published address, ``ws`` or ``wss``.
    :param allowed: further host names, ``[websocket_proxy]
        allowed_origins``.
    """
    if origin is None:
        return True
    try:
        parts = parse.urlsplit(origin)
        name = (parts.hostname or '').lower()
    except ValueError:
        return False
    expected = 'https' if scheme == 'wss' else 'http'
    if not name or parts.scheme != expected:
        return False
    return name in {_host_of(host or '')} | {a.lower() for a in allowed}
