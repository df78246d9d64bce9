# SPDX-License-Identifier: Apache-2.0
"""A small registry on this machine, for one test."""

import base64
import hashlib
from http import server
import json
import threading
from urllib import parse

import fixtures

USER, PASSWORD = 'puller', 'pull-secret'
TOKEN = 'a-token'  # nosec B105


class Registry(fixtures.Fixture):
    """Serves what is put into its attributes.

    :ivar manifests: (repository, tag or digest) -> bytes
    :ivar blobs: digest -> bytes
    :ivar auth: None, ``basic`` or ``bearer``
    :ivar results: what ``/v1/search`` finds; None: there is no search
    :ivar catalogue: names, or None: nobody may see them
    :ivar fault: status of all answers
    :ivar redirect: where all requests are sent
    :ivar requests: (method, path) in their order
    """

    def _setUp(self):
        self.manifests, self.blobs, self.tags = {}, {}, {}
        self.auth = self.results = self.catalogue = None
        self.fault = self.redirect = None
        self.requests = []
        handler = type('Handler', (_Handler,), {'registry': self})
        self._server = server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
        threading.Thread(target=self._server.serve_forever,
                         kwargs={'poll_interval': 0.01},
                         daemon=True).start()
        self.addCleanup(self._server.server_close)
        self.addCleanup(self._server.shutdown)

    @property
    def domain(self):
        return '127.0.0.1:%d' % self._server.server_address[1]

    def put(self, repository, tag, document):
        """Store a manifest; returns its digest."""
        raw = json.dumps(document).encode()
        digest = 'sha256:' + hashlib.sha256(raw).hexdigest()
        self.manifests[repository, tag] = raw
        self.manifests[repository, digest] = raw
        self.tags.setdefault(repository, []).append(tag)
        return digest


class _Handler(server.BaseHTTPRequestHandler):
    registry: Registry
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def _answer(self, status, body=b'', **headers):
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def _handle(self):
        place = self.registry
        length = int(self.headers.get('Content-Length') or 0)
        data = self.rfile.read(length)
        url = parse.urlsplit(self.path)
        place.requests.append((self.command, url.path))
        if url.path == '/token':
            return self._token()
        if place.redirect:
            return self._answer(307, Location=place.redirect)
        if place.fault:
            return self._answer(place.fault)
        if not self._allowed():
            return self._challenge()
        return self._serve(place, url, data)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _handle

    def _basic(self):
        wanted = base64.b64encode(
            ('%s:%s' % (USER, PASSWORD)).encode()).decode()
        return self.headers.get('Authorization') == 'Basic ' + wanted

    def _token(self):
        if not self._basic():
            return self._answer(401)
        return self._answer(200, {'token': TOKEN})

    def _allowed(self):
        if self.registry.auth == 'basic':
            return self._basic()
        if self.registry.auth == 'bearer':
            return self.headers.get('Authorization') == 'Bearer ' + TOKEN
        return True

    def _challenge(self):
        value = 'Basic realm="it"'
        if self.registry.auth == 'bearer':
            value = 'Bearer realm="http://%s/token",service="it"' % (
                self.registry.domain)
        self._answer(401, WWW_Authenticate=value)

    def _serve(self, place, url, data):
        parts = url.path.strip('/').split('/')
        if url.path == '/v1/search' and place.results is not None:
            return self._answer(200, {'results': place.results})
        if url.path == '/v2/_catalog' and place.catalogue is not None:
            return self._answer(200, {'repositories': place.catalogue})
        if parts[-2:] == ['tags', 'list']:
            name = '/'.join(parts[1:-2])
            if name in place.tags:
                return self._answer(200, {'tags': place.tags[name]})
        elif parts[-2] == 'manifests':
            return self._manifest(place, '/'.join(parts[1:-2]), parts[-1],
                                  data)
        elif 'blobs' in parts:
            return self._blob(place, url, parts, data)
        return self._answer(404)

    def _manifest(self, place, name, reference, data):
        if self.command == 'PUT':
            place.manifests[name, reference] = data
            return self._answer(201)
        if (name, reference) not in place.manifests:
            return self._answer(404)
        return self._answer(200, place.manifests[name, reference])

    def _blob(self, place, url, parts, data):
        if self.command == 'POST':
            return self._answer(202, Location=url.path + 'upload?a=b')
        if self.command == 'PUT':
            digest = dict(parse.parse_qsl(url.query))['digest']
            place.blobs[digest] = data
            return self._answer(201)
        found = place.blobs.get(parts[-1])
        return self._answer(404 if found is None else 200)
