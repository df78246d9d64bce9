# SPDX-License-Identifier: Apache-2.0
"""Identity, networking, block storage and placement in memory.

``Peers(spec)`` answers requests as the recordings' peers did, and keeps a
log of them.  The spec is plain data::

    {"neutron": {"networks": [...], "ports": [...], "security_groups": []},
     "cinder": {"volumes": [...]},
     "placement": {"traits": [...], "candidates": {}, "allocations": {}},
     "faults": [{"service", "method", "path", "status", "body", "refuse"}]}
"""

import copy
import io
import json
from urllib import parse

from requests import adapters
from requests import exceptions
import urllib3

BASE = 'http://peers.test'

_SERVICES = {'identity': 'keystone', 'network': 'neutron',
             'volume': 'cinder', 'placement': 'placement',
             'image': 'glance'}
_TOKENS = {'user-token': 'user', 'service-token': 'service'}
_CATALOGUE = (('identity', '/identity/v3'), ('network', '/network'),
              ('volumev3', '/volume/v3/%s'),
              ('block-storage', '/volume/v3/%s'),
              ('placement', '/placement'), ('image', '/image'))
_COLLECTIONS = {'networks': 'network', 'ports': 'port',
                'subnets': 'subnet', 'security-groups': 'security_group'}
_NOT_FILTERS = ('fields', 'limit', 'marker', 'sort_key', 'sort_dir')


class Refused(Exception):
    """The connection is refused."""


def _matches(item: dict, key: str, wanted: list[str]) -> bool:
    have = item.get(key)
    if key == 'tenant_id':
        have = item.get('tenant_id', item.get('project_id'))
    if isinstance(have, bool):
        return any(str(have).lower() == value.lower() for value in wanted)
    return have in wanted


def _select(items: list[dict], query: list) -> list[dict]:
    filters = {}
    for key, value in query:
        if key not in _NOT_FILTERS:
            filters.setdefault(key, []).append(value)
    return [item for item in items
            if all(_matches(item, *entry) for entry in filters.items())]


def _token(project: str, user: str, roles: list[str]) -> dict:
    domain = {'id': 'default', 'name': 'Default'}

    def service(kind, path):
        url = BASE + (path % project if '%s' in path else path)
        return {'type': kind, 'name': kind, 'id': kind, 'endpoints': [
            {'id': '%s-%s' % (kind, interface), 'interface': interface,
             'region': 'RegionOne', 'region_id': 'RegionOne', 'url': url}
            for interface in ('public', 'internal', 'admin')]}
    return {'token': {
        'methods': ['password'], 'audit_ids': ['aaaaaaaaaaaaaaaaaaaaaa'],
        'issued_at': '2020-01-01T00:00:00.000000Z',
        'expires_at': '2099-01-01T00:00:00.000000Z', 'is_domain': False,
        'project': {'id': project, 'name': 'p', 'domain': domain},
        'user': {'id': user, 'name': 'u', 'domain': domain,
                 'password_expires_at': None},
        'roles': [{'id': role, 'name': role} for role in roles],
        'catalog': [service(*entry) for entry in _CATALOGUE]}}


class Peers:
    """All services under one URL; ``calls`` is the log.

    Requests for tokens aren't logged.
    """

    def __init__(self, spec: dict | None = None) -> None:
        self._spec = copy.deepcopy(spec or {})
        self._volumes_made = 0
        self.calls = []

    def handle(self, method: str, url: str, headers: dict,
               body: bytes | None) -> tuple[int, dict, bytes]:
        """Answer a request: status, headers, body.

        :raises Refused: as a fault of the spec wants.
        """
        parts = parse.urlsplit(url)
        query = parse.parse_qsl(parts.query, keep_blank_values=True)
        name, _slash, rest = parts.path[1:].partition('/')
        service, path = _SERVICES.get(name), '/' + rest
        headers = {key.lower(): value for key, value in headers.items()}
        data = json.loads(body) if body else None
        if service == 'keystone':
            return self._keystone(method, path, data)
        self._log(service, method, path, query, data, headers)
        fault = self._fault(service, method, path)
        if fault:
            return _json(fault['status'], fault.get('body', {}))
        answer = getattr(self, '_' + service, None)
        if answer is None:
            return _json(404, {'error': 'no such service'})
        return answer(method, path, query, data)

    def _log(self, service, method, path, query, data, headers) -> None:
        call = {'service': service, 'method': method, 'path': path}
        if query:
            call['query'] = sorted([list(item) for item in query])
        if data is not None:
            call['body'] = data
        if headers.get('openstack-api-version'):
            call['microversion'] = headers['openstack-api-version']
        token = headers.get('x-auth-token')
        call['as'] = _TOKENS.get(token, 'user' if token else 'nobody')
        self.calls.append(call)

    def _fault(self, service: str, method: str, path: str) -> dict | None:
        for fault in self._spec.get('faults', ()):
            if fault.get('service', service) == service and \
                    fault.get('method', method) == method and \
                    path.startswith(fault.get('path', '')):
                if fault.get('refuse'):
                    raise Refused()
                return fault
        return None

    def _keystone(self, method: str, path: str, data):
        if method == 'POST' and path.endswith('/auth/tokens'):
            return self._issue(data or {})
        version = {'id': 'v3.14', 'status': 'stable', 'media-types': [],
                   'updated': '2020-04-07T00:00:00Z',
                   'links': [{'rel': 'self',
                              'href': BASE + '/identity/v3/'}]}
        if method == 'GET' and path.rstrip('/') == '/v3':
            return _json(200, {'version': version})
        if method == 'GET' and path == '/':
            return _json(300, {'versions': {'values': [version]}})
        return _json(404, {})

    def _issue(self, data: dict):
        identity = data.get('auth', {}).get('identity', {})
        if 'password' in identity.get('methods', ()):
            token = 'service-token'
            scope = ('service-project', 'zun-service', ['admin'])
        else:
            token = identity.get('token', {}).get('id', 'user-token')
            scope = ('user-project', 'user', ['member'])
        for fault in self._spec.get('faults', ()):
            if fault.get('service') == 'keystone' and \
                    fault.get('token', token) == token:
                if fault.get('refuse'):
                    raise Refused()
                return _json(fault['status'], fault.get('body', {}))
        return _json(201, _token(*scope), {'X-Subject-Token': token})

    def _neutron(self, method: str, path: str, query: list, data):
        parts = [part for part in path.split('/') if part]
        plural = parts[1] if parts[:1] == ['v2.0'] and parts[1:] else ''
        single = _COLLECTIONS.get(plural)
        if single is None or method != 'GET':
            return _neutron_error('HTTPNotFound', 'not found')
        plural = plural.replace('-', '_')
        items = self._spec.get('neutron', {}).get(plural, [])
        fields = [value for key, value in query if key == 'fields']
        if len(parts) > 2:
            items = [item for item in items if item['id'] == parts[2]]
            if not items:
                kind = single.capitalize()
                return _neutron_error(kind + 'NotFound',
                                      '%s %s could not be found.' % (
                                          kind, parts[2]))
            return _json(200, {single: _cut(items[0], fields)})
        return _json(200, {plural: [_cut(item, fields) for item
                                    in _select(items, query)]})

    def _cinder(self, method: str, path: str, query: list, data):
        parts = [part for part in path.split('/') if part]
        if not parts:
            return _json(300, {'versions': [{
                'id': 'v3.0', 'status': 'CURRENT', 'version': '3.70',
                'min_version': '3.0', 'updated': '2020-01-01T00:00:00Z',
                'links': [{'rel': 'self', 'href': BASE + '/volume/v3/'}]}]})
        volumes = self._spec.setdefault('cinder', {}).setdefault(
            'volumes', [])
        if parts[2:3] != ['volumes']:
            return _json(404, {'itemNotFound': {
                'code': 404, 'message': 'not found'}})
        if method == 'POST' and len(parts) == 3:
            return self._make_volume(volumes, data['volume'])
        if method == 'GET' and len(parts) > 3 and parts[3] != 'detail':
            for volume in volumes:
                if volume['id'] == parts[3]:
                    return _json(200, {'volume': volume})
            return _json(404, {'itemNotFound': {
                'code': 404,
                'message': 'Volume %s could not be found.' % parts[3]}})
        if method == 'GET':
            query = [item for item in query
                     if item[0] in ('name', 'status', 'id')]
            return _json(200, {'volumes': _select(volumes, query)})
        return _json(202 if method == 'DELETE' else 404)

    def _make_volume(self, volumes: list, wanted: dict):
        self._volumes_made += 1
        volumes.append({
            'id': 'dddddddd-0000-4000-8000-%012d' % self._volumes_made,
            'status': 'creating', 'size': wanted.get('size'),
            'name': wanted.get('name'), 'attachments': [],
            'multiattach': False})
        return _json(202, {'volume': volumes[-1]})

    def _placement(self, method: str, path: str, query: list, data):
        spec = self._spec.get('placement', {})
        if path == '/traits' and method == 'GET':
            names = dict(query).get('name', '').removeprefix('in:')
            return _json(200, {'traits': [
                name for name in names.split(',')
                if name in spec.get('traits', ())]})
        if path.startswith('/traits/') and method == 'PUT':
            return _json(201)
        if path == '/allocation_candidates':
            return _json(200, spec.get('candidates') or {
                'allocation_requests': [], 'provider_summaries': {}})
        if path.startswith('/allocations/') and method == 'GET':
            return _json(200, spec.get('allocations') or {
                'allocations': {}})
        if path.startswith('/allocations/') and method == 'PUT':
            return _json(spec.get('put_status', 204), spec.get('put_body'))
        return _json(404, {'errors': [{'status': 404, 'title': 'Not Found',
                                       'detail': ''}]})


def _cut(item: dict, fields: list[str]) -> dict:
    return {key: value for key, value in item.items()
            if key in fields} if fields else item


def _neutron_error(kind: str, message: str):
    return _json(404, {'NeutronError': {'type': kind, 'message': message,
                                        'detail': ''}})


def _json(status: int, document=None, headers: dict | None = None):
    body = b'' if document is None else json.dumps(document).encode()
    return status, {'Content-Type': 'application/json',
                    **(headers or {})}, body


class Transport:
    """Sends the requests of this process to ``peers`` instead.

    What goes elsewhere is refused.
    """

    def __init__(self) -> None:
        self.peers = Peers()
        self._real = adapters.HTTPAdapter.send
        transport = self

        def send(adapter, request, **kwargs):
            return transport._send(adapter, request)
        adapters.HTTPAdapter.send = send

    def close(self) -> None:
        """Let requests go out again."""
        adapters.HTTPAdapter.send = self._real

    def _send(self, adapter, request):
        if not request.url.startswith(BASE):
            raise exceptions.ConnectionError('no route to ' + request.url)
        try:
            status, headers, body = self.peers.handle(
                request.method, request.url, request.headers, request.body)
        except Refused:
            raise exceptions.ConnectionError('Connection refused',
                                             request=request)
        return adapter.build_response(request, urllib3.HTTPResponse(
            body=io.BytesIO(body), headers=headers, status=status,
            preload_content=False, reason=''))
