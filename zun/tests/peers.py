# SPDX-License-Identifier: Apache-2.0
"""Scripted peers: what is asked of Keystone's catalogue services, without
a network.

The requests go through the real client libraries; only the transport is
replaced. Tokens are given out to whoever asks: ``user-token`` to callers,
``service-token`` to the service account.
"""

import io
import json
from urllib import parse

import fixtures
from keystoneauth1 import loading
import requests
from requests import adapters
import urllib3

from zun.common import keystone
import zun.conf

CONF = zun.conf.CONF

BASE = 'http://peers.test'
USER_TOKEN, SERVICE_TOKEN = 'user-token', 'service-token'
SERVICES = {'network': 'neutron', 'volume': 'cinder',
            'placement': 'placement', 'image': 'glance'}


def token_document() -> dict:
    """The body of a token, with the catalogue."""
    def entry(service_type, path):
        return {'type': service_type, 'name': service_type,
                'id': service_type, 'endpoints': [
                    {'id': '%s-%s' % (service_type, interface),
                     'interface': interface, 'region': 'RegionOne',
                     'region_id': 'RegionOne', 'url': BASE + path}
                    for interface in ('public', 'internal', 'admin')]}
    return {'token': {
        'methods': ['password'], 'audit_ids': ['a'], 'is_domain': False,
        'issued_at': '2020-01-01T00:00:00.000000Z',
        'expires_at': '2099-01-01T00:00:00.000000Z',
        'project': {'id': 'p', 'name': 'p',
                    'domain': {'id': 'default', 'name': 'Default'}},
        'user': {'id': 'u', 'name': 'u', 'password_expires_at': None,
                 'domain': {'id': 'default', 'name': 'Default'}},
        'roles': [{'id': 'admin', 'name': 'admin'}],
        'catalog': [entry('network', '/network'),
                    entry('block-storage', '/volume/v3/p'),
                    entry('placement', '/placement'),
                    entry('image', '/image')]}}


class Peers(fixtures.Fixture):
    """The transport of this process for the length of a test.

    ``calls``: (who, service, method, path with query, body) of each request
    in order; ``headers``: their headers.
    """

    def _setUp(self) -> None:
        self.calls: list[tuple] = []
        self.headers: list[dict] = []
        self.tokens: list[str] = []
        self._answers: dict[tuple, list] = {}
        self._refused: set[str] = set()
        self.useFixture(fixtures.MonkeyPatch(
            'requests.adapters.HTTPAdapter.send', _sender(self)))
        keystone.reset()
        self.addCleanup(keystone.reset)
        # Loading the plug-in registers them too; a later test must not be
        # asked for them.
        options = loading.get_auth_plugin_conf_options('password')
        CONF.register_opts(options, group='keystone_auth')
        self.addCleanup(CONF.unregister_opts, options, group='keystone_auth')
        self.addCleanup(CONF.reset)
        for name, value in (
                ('auth_type', 'password'), ('username', 'zun'),
                ('auth_url', BASE + '/identity/v3'), ('password', 'x'),
                ('project_name', 'service'),
                ('user_domain_name', 'Default'),
                ('project_domain_name', 'Default')):
            CONF.set_override(name, value, group='keystone_auth')

    def answer(self, service: str, method: str, path: str, body=None,
               status: int = 200) -> None:
        """Answer a request with this; of several for one path each is used
        once, the last for ever.
        """
        self._answers.setdefault((service, method, path), []).append(
            (status, body))

    def refuse(self, service: str) -> None:
        """Let nobody connect to a service (``keystone`` too)."""
        self._refused.add(service)

    def handle(self, request) -> tuple[int, dict, bytes]:
        """The answer to a prepared request: status, headers, body."""
        url = parse.urlsplit(request.url)
        first, _sep, rest = url.path.lstrip('/').partition('/')
        if first == 'identity':
            return self._identity(request, rest)
        service = SERVICES[first]
        path = '/' + rest + ('?' + parse.unquote(url.query)
                             if url.query else '')
        body = json.loads(request.body) if request.body else None
        token = request.headers.get('X-Auth-Token')
        who = {USER_TOKEN: 'user', SERVICE_TOKEN: 'service'}.get(token)
        self.calls.append((who, service, request.method, path, body))
        self.headers.append(dict(request.headers))
        self._check(service, request)
        waiting = self._answers.get((service, request.method, path))
        if not waiting:
            return json_answer(404, {'message': 'no answer for ' + path})
        answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return json_answer(*answer)

    def _check(self, service: str, request) -> None:
        if service in self._refused:
            raise requests.exceptions.ConnectionError(
                'Connection refused', request=request)

    def _identity(self, request, rest: str) -> tuple[int, dict, bytes]:
        self._check('keystone', request)
        if request.method == 'GET':
            return json_answer(200, {'version': {
                'id': 'v3.14', 'status': 'stable', 'links': [
                    {'rel': 'self', 'href': BASE + '/identity/v3/'}]}})
        identity = json.loads(request.body)['auth']['identity']
        token = SERVICE_TOKEN if 'password' in identity['methods'] \
            else identity['token']['id']
        self.tokens.append(token)
        return json_answer(201, token_document(), {'X-Subject-Token': token})


def json_answer(status: int, body=None,
                headers=None) -> tuple[int, dict, bytes]:
    """An answer with a JSON body, or with none."""
    raw = b'' if body is None else json.dumps(body).encode()
    return status, dict({'Content-Type': 'application/json'},
                        **headers or {}), raw


def _sender(peers: Peers):
    def send(self: adapters.HTTPAdapter, request, **kwargs):
        status, headers, raw = peers.handle(request)
        return self.build_response(request, urllib3.HTTPResponse(
            body=io.BytesIO(raw), headers=headers, status=status,
            preload_content=False, reason=''))
    return send
