# SPDX-License-Identifier: Apache-2.0
"""The port on which a process tells how it is.

``/healthz``: 200 as long as the process need not be restarted.
``/readyz``: 200 while it can do its work.
``/metrics``: figures in the text format of Prometheus.

A check that fails is answered with 503 and a line that says what is wrong.
"""

from collections.abc import Callable
from collections.abc import Mapping
import http
from http import server
import socket
import ssl
import threading

from oslo_log import log as logging
import prometheus_client

from zun.common import process

LOG = logging.getLogger(__name__)

Checks = Mapping[str, Callable[[], None]]


class _Handler(server.BaseHTTPRequestHandler):
    """Answers one request."""

    server_version = 'zun'
    sys_version = ''
    timeout = 10

    def do_GET(self) -> None:  # noqa: N802
        admin: 'AdminServer' = self.server.admin
        path = self.path.partition('?')[0]
        if path == '/healthz':
            self._answer_checks(admin.alive)
        elif path == '/readyz':
            self._answer_checks(admin.ready)
        elif path == '/metrics':
            self._answer(http.HTTPStatus.OK,
                         prometheus_client.generate_latest(admin.registry),
                         prometheus_client.CONTENT_TYPE_LATEST)
        else:
            self._answer(http.HTTPStatus.NOT_FOUND,
                         b'/healthz, /readyz or /metrics\n')

    do_HEAD = do_GET

    def _answer_checks(self, checks: Checks) -> None:
        failed = []
        for name, check in checks.items():
            try:
                check()
            except Exception as error:
                failed.append('%s: %s\n' % (name, process.one_line(error)))
        if failed:
            LOG.warning('%(path)s: %(failed)s',
                        {'path': self.path,
                         'failed': '; '.join(failed).replace('\n', '')})
            self._answer(http.HTTPStatus.SERVICE_UNAVAILABLE,
                         ''.join(failed).encode())
        else:
            self._answer(http.HTTPStatus.OK, b'OK\n')

    def _answer(self, status: http.HTTPStatus, body: bytes,
                content_type: str = 'text/plain; charset=utf-8') -> None:
        self.send_response(status)
        self.send_header('Content-Type', content_type)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        LOG.debug(format, *args)


class _Listener(server.ThreadingHTTPServer):
    daemon_threads = True
    admin: 'AdminServer'

    def handle_error(self, request: object, client_address: object) -> None:
        LOG.debug('A request to the admin port was broken off.',
                  exc_info=True)


class AdminServer:
    """Listens on the admin port.

    :param host: address; :param port: 0 is any free one
    :param alive: checks of /healthz by name; each raises if it fails
    :param ready: checks of /readyz
    :param cert_file: certificate for TLS, None for plain HTTP
    :param key_file: its key, where it is not in the same file
    """

    def __init__(self, host: str, port: int, alive: Checks | None = None,
                 ready: Checks | None = None, cert_file: str | None = None,
                 key_file: str | None = None,
                 registry: prometheus_client.CollectorRegistry =
                 prometheus_client.REGISTRY) -> None:
        self.alive = alive or {}
        self.ready = ready or {}
        self.registry = registry
        self._host, self._port = host, port
        self._cert_file, self._key_file = cert_file, key_file
        self._listener: _Listener | None = None
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """The TCP port, once started."""
        return self._listener.server_address[1]

    def start(self) -> None:
        """Begin to listen.

        Where the port is taken, by another service of the machine perhaps,
        the process does its work without.

        :raises StartError: a file is no good
        """
        family = socket.AF_INET6 if ':' in self._host else socket.AF_INET
        cls = type('_Listener', (_Listener,), {'address_family': family})
        try:
            self._listener = cls((self._host, self._port), _Handler)
        except OSError as error:
            LOG.error('Health and metrics are not given on %(host)s:'
                      '%(port)s: %(error)s. Set [task] admin_host and '
                      'admin_port, or admin_port = 0.',
                      {'host': self._host, 'port': self._port,
                       'error': error})
            return
        if self._cert_file:
            self._wrap()
        self._listener.admin = self
        self._thread = threading.Thread(target=self._listener.serve_forever,
                                        name='admin', daemon=True)
        self._thread.start()

    def _wrap(self) -> None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            context.load_cert_chain(self._cert_file, self._key_file)
        except OSError as error:
            raise process.StartError(
                'the certificate of the admin port, %s, cannot be used: %s'
                % (self._cert_file, error)) from error
        # The handshake is left to the thread of the request.
        self._listener.socket = context.wrap_socket(
            self._listener.socket, server_side=True,
            do_handshake_on_connect=False)

    def stop(self) -> None:
        """Stop listening."""
        if self._listener is not None:
            self._listener.shutdown()
            self._thread.join()
            self._listener.server_close()
