# SPDX-License-Identifier: Apache-2.0
"""An API server that gives the answers it was told to give."""

import http.server
import json
import threading
import urllib.parse

import fixtures

from zun.common.k8s import client

RESET = object()


class Server(fixtures.Fixture):
    """A server on a port of its own.

    :ivar answers: given one after another; each a (status, body) or
        :data:`RESET`, which closes the connection without an answer. A
        list as body is sent line by line, as a watch is.
    :ivar asked: (method, path, query, headers, body) of each request.
    """

    def __init__(self):
        super().__init__()
        self.answers = []
        self.asked = []
        self.hold = threading.Event()

    def _setUp(self):
        owner = self

        class Handler(_Handler):
            fixture = owner

        self._server = http.server.ThreadingHTTPServer(
            ('127.0.0.1', 0), Handler)
        self._server.daemon_threads = True
        self.url = 'http://127.0.0.1:%d' % self._server.server_address[1]
        thread = threading.Thread(target=self._server.serve_forever,
                                  kwargs={'poll_interval': 0.01},
                                  daemon=True)
        thread.start()
        self.addCleanup(self._server.server_close)
        self.addCleanup(self._server.shutdown)
        self.addCleanup(self.hold.set)

    def cluster(self, **options) -> client.Cluster:
        """A connection to it."""
        configuration = client.load_configuration()
        configuration.host = self.url
        for name, value in options.items():
            setattr(configuration, name, value)
        return client.Cluster(configuration)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def _answer(self):
        size = int(self.headers.get('Content-Length') or 0)
        url = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(size)
        self.fixture.asked.append((
            self.command, url.path,
            dict(urllib.parse.parse_qsl(url.query)), self.headers,
            json.loads(body) if body else None))
        answer = self.fixture.answers.pop(0)
        if answer is RESET:
            self.close_connection = True
            return
        status, body, *headers = answer
        if isinstance(body, list):
            self._send_lines(body)
        else:
            self._send(status, body, *headers)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

    def _send(self, status, body, headers=()):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _send_lines(self, lines):
        """None holds the connection open without a word."""
        self.send_response(200)
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()
        for line in lines:
            if line is None:
                self.fixture.hold.wait(60)
                continue
            data = json.dumps(line).encode() + b'\n'
            self.wfile.write(b'%x\r\n%s\r\n' % (len(data), data))
        self.wfile.write(b'0\r\n\r\n')

    def log_message(self, *args):
        """Say nothing."""
