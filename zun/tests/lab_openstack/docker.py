# SPDX-License-Identifier: Apache-2.0
"""What the Tempest plugin asks a Docker daemon for, and nothing else.

The plugin speaks with ``tcp://localhost:2375`` by itself: a test of images
in Glance pulls ``alpine`` there, saves it, uploads the archive to Glance and
removes it; below microversion 1.27 the clean-up of a class lists the
networks and removes those of its own. This stand-in answers both. The
archive is the lab registry's image in the form of ``docker save``, so that
the container made of it runs.
"""

import hashlib
import http.server
import io
import json
import tarfile
import threading

import requests

PORT = 2375
_MANIFEST = 'application/vnd.oci.image.manifest.v1+json'


def saved(registry: str, name: str) -> bytes:
    """An image of a registry as ``docker save`` writes it.

    :param registry: host and port, without TLS.
    """
    base = 'http://%s/v2/%s' % (registry, name)
    manifest = _get(base + '/manifests/latest').json()
    config = _get(base + '/blobs/' + manifest['config']['digest']).content
    layers = [_get(base + '/blobs/' + layer['digest']).content
              for layer in manifest['layers']]
    files = {'%d/layer.tar' % number: layer
             for number, layer in enumerate(layers)}
    config_name = hashlib.sha256(config).hexdigest() + '.json'
    index = [{'Config': config_name, 'RepoTags': [name + ':latest'],
              'Layers': list(files)}]
    files[config_name] = config
    files['manifest.json'] = json.dumps(index).encode()
    return _tar(files)


def _get(url):
    answer = requests.get(url, headers={'Accept': _MANIFEST}, timeout=60)
    answer.raise_for_status()
    return answer


def _tar(files):
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode='w') as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return output.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    """The paths that the plugin asks for; anything else is not there."""

    protocol_version = 'HTTP/1.1'
    registry = ''

    def _answer(self):
        self.rfile.read(int(self.headers.get('Content-Length') or 0))
        words = self.path.partition('?')[0].strip('/').split('/')
        if words[0].startswith('v1'):
            words.pop(0)
        status, kind, body = 200, 'application/json', b'[]'
        match [self.command, *words]:
            case ['GET', 'version']:
                body = b'{"ApiVersion": "1.40", "Version": "19.03"}'
            case ['GET', 'images', *name, 'get']:
                kind = 'application/x-tar'
                body = saved(self.registry, '/'.join(name).partition(':')[0])
            case ['GET', 'images', *_, 'json']:
                body = b'{"Id": "sha256:0", "RepoTags": ["alpine:latest"]}'
            case ['POST', 'images', 'create']:
                body = b'{"status": "Status: Image is up to date"}\r\n'
            case ['DELETE', 'images' | 'networks', *_]:
                pass
            case ['GET', 'networks', *_]:
                pass
            case _:
                status, body = 404, b'{"message": "page not found"}'
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_DELETE = _answer

    def log_message(self, *arguments):
        """Say nothing: Tempest has a log."""


class Docker:
    """The stand-in, for the length of a ``with``."""

    def __init__(self, registry: str):
        handler = type('Handler', (Handler,), {'registry': registry})
        self._server = http.server.ThreadingHTTPServer(
            ('127.0.0.1', PORT), handler)
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
