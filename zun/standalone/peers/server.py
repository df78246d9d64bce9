# SPDX-License-Identifier: Apache-2.0
"""All stand-ins behind one WSGI application on loopback."""

import http
import json
import os
import pathlib
import threading
import time
from typing import Any
from typing import Callable
from typing import Iterable
from urllib import parse

from cheroot import wsgi

from zun.standalone import faults
from zun.standalone.peers import identity
from zun.standalone.peers import image
from zun.standalone.peers import network
from zun.standalone.peers import placement
from zun.standalone.peers import service
from zun.standalone.peers import volume


class Peers:
    """The stand-ins, their server and their saved state.

    :param folder: for volumes, images and the state (``peers.json``).
    :param users: who may log in.
    :param container_url: the API's address for the catalogue, with /v1.
    :param port: 0 chooses a free one.
    """

    def __init__(self, folder: str | os.PathLike[str],
                 users: list[identity.User], container_url: str,
                 port: int = 0) -> None:
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.faults = faults.Faults()
        self.calls: list[dict[str, Any]] = []
        self.record = False
        self._lock = threading.Lock()
        self._server = wsgi.Server(('127.0.0.1', port), self.wsgi_app,
                                   numthreads=4)
        self._server.prepare()
        self.port = self._server.bind_addr[1]
        self.identity = identity.Identity(
            users, self._catalog(container_url))
        self.placement = placement.Placement()
        self.network = network.Network()
        self.volume = volume.Volume(self.folder / 'volumes')
        self.image = image.Image(self.folder / 'images')
        self._services: dict[str, service.Service] = {
            'identity': self.identity, 'placement': self.placement,
            'network': self.network, 'volume': self.volume,
            'image': self.image}
        self._thread = threading.Thread(
            target=self._server.serve, name='peers', daemon=True)

    @property
    def url(self) -> str:
        """Where all stand-ins answer."""
        return 'http://127.0.0.1:%d' % self.port

    def start(self) -> 'Peers':
        """Take up the saved state and start to answer."""
        path = self.folder / 'peers.json'
        if path.exists():
            state = json.loads(path.read_text())
            for name, part in self._services.items():
                if name in state:
                    part.load(state[name])
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop answering."""
        self._server.stop()
        self._thread.join()

    def _save(self) -> None:
        """Keep the state on disk, so that not even a crash loses it."""
        path = self.folder / 'peers.json'
        temporary = path.with_suffix('.new')
        temporary.write_text(json.dumps({
            name: part.dump() for name, part in self._services.items()
            if name != 'identity'}))
        temporary.replace(path)

    def __enter__(self) -> 'Peers':
        return self.start()

    def __exit__(self, *_exc: object) -> None:
        self.stop()

    def fault(self, **fields: Any) -> faults.Fault:
        """Put a :class:`zun.standalone.faults.Fault` in force.

        Its path is the whole path, such as ``/network/v2.0/ports``.
        """
        with self._lock:
            return self.faults.add(faults.Fault(**fields))

    def wsgi_app(self, environ: dict[str, Any],
                 start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request."""
        path = environ['PATH_INFO']
        with self._lock:
            fault = self.faults.match(environ['REQUEST_METHOD'], path)
        if fault is not None:
            time.sleep(fault.delay)
            if fault.refuse:
                raise ConnectionAbortedError('a fault was asked for')
        body = _read(environ)
        if fault is not None and fault.status:
            answer = service.reply(fault.status, {'error': {
                'code': fault.status, 'message': fault.message}})
        else:
            with self._lock:
                answer = self._dispatch(environ, path, body)
        if fault is not None and fault.lose:
            raise ConnectionAbortedError('a fault was asked for')
        status, headers, data = answer
        headers = dict(headers)
        headers['Content-Length'] = str(len(data))
        start_response('%d %s' % (status, http.HTTPStatus(status).phrase),
                       list(headers.items()))
        return [data] if environ['REQUEST_METHOD'] != 'HEAD' else []

    def _dispatch(self, environ: dict[str, Any], path: str, body: bytes
                  ) -> service.Reply:
        prefix, _, rest = path.lstrip('/').partition('/')
        part = self._services.get(prefix)
        if part is None:
            return service.reply(404, {'error': {
                'code': 404, 'message': 'There is no service %r' % prefix}})
        headers = {key[5:].lower().replace('_', '-'): value
                   for key, value in environ.items()
                   if key.startswith('HTTP_')}
        request = service.Request(
            environ['REQUEST_METHOD'], '/' + rest if rest else '',
            parse.parse_qsl(environ.get('QUERY_STRING', ''),
                            keep_blank_values=True),
            headers, body, '%s/%s' % (self.url, prefix),
            self.identity.caller(headers.get('x-auth-token', '')))
        if self.record and prefix != 'identity':
            self.calls.append({
                'service': prefix, 'method': request.method,
                'path': request.path, 'query': request.query,
                'body': body.decode(errors='replace'),
                'caller': request.caller})
        answer = part.handle(request)
        if request.method not in ('GET', 'HEAD') and part is not (
                self.identity):
            self._save()
        return answer

    def _catalog(self, container_url: str) -> dict[str, tuple[str, str]]:
        urls = {
            'identity': ('keystone', '%s/identity/v3'),
            'placement': ('placement', '%s/placement'),
            'network': ('neutron', '%s/network'),
            'block-storage': ('cinder', '%s/volume/v3/%%(project_id)s'),
            'volumev3': ('cinderv3', '%s/volume/v3/%%(project_id)s'),
            'image': ('glance', '%s/image')}
        catalog = {kind: (name, url % self.url)
                   for kind, (name, url) in urls.items()}
        catalog['container'] = ('zun', container_url)
        return catalog


def _read(environ: dict[str, Any]) -> bytes:
    source = environ['wsgi.input']
    length = environ.get('CONTENT_LENGTH')
    if length:
        return source.read(int(length))
    if environ.get('HTTP_TRANSFER_ENCODING', '').lower() == 'chunked':
        return source.read()
    return b''
