# SPDX-License-Identifier: Apache-2.0
"""The WebSocket proxy: attach and interactive exec of containers.

A client presents the token that the API gave it. The token opens one
session, once, within a short time.
"""

import http
import logging as std_logging
import ssl
import threading
from urllib import parse

from oslo_log import log as logging
from websockets.sync import server as ws_server

from zun.common import context as zun_context
from zun.common import exception
from zun.common.i18n import _
from zun.conf import CONF
from zun.db import api as dbapi
from zun.objects import container as container_objects
from zun.websocket import pump
from zun.websocket import request as ws_request

LOG = logging.getLogger(__name__)
# The library's debug log has the requests in it, and so the tokens.
SOCKET_LOG = logging.getLogger('zun.websocket.socket').logger
SOCKET_LOG.setLevel(std_logging.WARNING)

SUBPROTOCOL = 'binary'
RESIZE_SECONDS = 0.5
PING_SECONDS = 20
OPEN_SECONDS = 10
# Largest message of a client.
MESSAGE_BYTES = 1024 * 1024


def tls_context() -> ssl.SSLContext | None:
    """The proxy's certificate, if ``[websocket_proxy]`` has one.

    :raises ConfigInvalid: TLS is demanded or half configured, or the files
        can't be used.
    """
    group = CONF.websocket_proxy
    if not group.cert:
        if group.ssl_only:
            raise exception.ConfigInvalid(error_msg=_(
                '[websocket_proxy] ssl_only needs cert, and key unless '
                'cert has the key too.'))
        return None
    made = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        made.load_cert_chain(group.cert, group.key or None)
    except (OSError, ssl.SSLError) as e:
        raise exception.ConfigInvalid(error_msg=_(
            '[websocket_proxy] cert %(cert)s and key %(key)s: %(error)s') % {
                'cert': group.cert, 'key': group.key, 'error': e})
    return made


def _select_subprotocol(connection, offered):
    # Clients that offer none get none.
    return SUBPROTOCOL if SUBPROTOCOL in offered else None


class Proxy:
    """Listens for clients and connects each to its container.

    :param driver: a :class:`zun.container.driver.ContainerDriver`.
    """

    def __init__(self, driver):
        self._driver = driver
        self._server: ws_server.Server | None = None
        self._pumps: dict[int, pump.Pump] = {}
        self._sizes: dict[int, tuple[int, int]] = {}
        self._stopping = threading.Event()
        self._context = zun_context.get_admin_context(all_projects=True)
        self.host = ''

    def listen(self) -> None:
        """Bind the address.

        :raises OSError: the address can't be used.
        :raises ConfigInvalid: see :func:`tls_context`.
        """
        group = CONF.websocket_proxy
        self._server = ws_server.serve(
            self._serve, group.wsproxy_host, group.wsproxy_port,
            ssl=tls_context(), process_request=self._check,
            select_subprotocol=_select_subprotocol, max_size=MESSAGE_BYTES,
            open_timeout=OPEN_SECONDS, ping_interval=PING_SECONDS,
            compression=None, logger=SOCKET_LOG)
        port = self._server.socket.getsockname()[1]
        self.host = '%s:%d' % (CONF.host, port)
        LOG.info('Listening on %(host)s:%(port)d',
                 {'host': group.wsproxy_host, 'port': port})

    def serve_forever(self) -> None:
        """Serve until :meth:`stop`."""
        dbapi.expire_terminal_sessions(self._context, self.host)
        threading.Thread(target=self._follow_sizes, daemon=True,
                         name='terminal-sizes').start()
        self._server.serve_forever()

    def stop(self) -> None:
        """End all sessions and the listening."""
        self._stopping.set()
        if self._server is not None:
            self._server.shutdown()

    def _check(self, connection, request):
        """Refuse, before the handshake, what no session may come of."""
        scheme = parse.urlsplit(CONF.websocket_proxy.base_url).scheme
        if not ws_request.origin_allowed(
                request.headers.get('Origin'), request.headers.get('Host'),
                scheme, CONF.websocket_proxy.allowed_origins):
            LOG.warning('Refused a WebSocket of the origin %s',
                        request.headers.get('Origin'))
            return connection.respond(
                http.HTTPStatus.FORBIDDEN,
                str(exception.InvalidWebsocketUrl()))
        try:
            ticket = ws_request.parse_ticket(request.path)
            connection.terminal = dbapi.open_terminal_session(
                self._context, ticket.token, ticket.container_uuid,
                self.host)
        except exception.InvalidWebsocketUrl as e:
            return connection.respond(http.HTTPStatus.BAD_REQUEST, str(e))
        if connection.terminal is None:
            return connection.respond(
                http.HTTPStatus.FORBIDDEN,
                str(exception.InvalidWebsocketToken()))
        return None

    def _serve(self, connection):
        terminal = connection.terminal
        try:
            self._run(connection, terminal)
        except exception.ZunException as e:
            LOG.warning('No terminal of container %(uuid)s: %(error)s',
                        {'uuid': terminal.container_uuid, 'error': e})
            connection.close(pump.INTERNAL_ERROR,
                             str(e)[:pump.REASON_BYTES])
        finally:
            self._pumps.pop(terminal.id, None)
            self._sizes.pop(terminal.id, None)
            dbapi.close_terminal_session(self._context, terminal.id)

    def _run(self, connection, terminal):
        container = container_objects.Container.get_by_uuid(
            self._context, terminal.container_uuid)
        streams = self._driver.open_terminal(
            self._context, container, terminal.command, terminal.tty)
        made = pump.Pump(connection, streams)
        if terminal.size:
            made.resize(*terminal.size)
            self._sizes[terminal.id] = terminal.size
        self._pumps[terminal.id] = made
        made.run()

    def _follow_sizes(self):
        """Pass on the sizes that clients ask for through the API.

        One statement for all sessions, and none while there are none.
        """
        while not self._stopping.wait(RESIZE_SECONDS):
            if not self._pumps:
                continue
            try:
                wanted = dbapi.list_terminal_sizes(self._context, self.host)
            except Exception:
                LOG.exception('Could not read the sizes of terminals; '
                              'trying again')
                continue
            for session_id, size in wanted.items():
                self._resize(session_id, size)

    def _resize(self, session_id, size):
        session = self._pumps.get(session_id)
        if session is None or self._sizes.get(session_id) == size:
            return
        self._sizes[session_id] = size
        try:
            session.resize(*size)
        except exception.ZunException as e:
            LOG.warning('A terminal kept its size: %s', e)
