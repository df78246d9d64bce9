# SPDX-License-Identifier: Apache-2.0
"""Keystone, Neutron and Placement that answer at once, always the same.

What is measured is the API; its peers must not be the bottleneck, so this
is a bare asyncio server: ``python peers.py PORT``.
"""

import asyncio
import json
import sys
from urllib import parse

HOSTS = 10
NETWORK = '00000000-0000-4000-8000-0000000000a1'
PROVIDER = '00000000-0000-4000-8000-%012d'


def token_document(base: str) -> dict:
    """A token that is good for everything until 2099."""
    def entry(service_type, path):
        return {'type': service_type, 'name': service_type,
                'id': service_type, 'endpoints': [
                    {'id': '%s-%s' % (service_type, interface),
                     'interface': interface, 'region': 'RegionOne',
                     'region_id': 'RegionOne', 'url': base + path}
                    for interface in ('public', 'internal', 'admin')]}
    named = {'id': 'default', 'name': 'Default'}
    return {'token': {
        'methods': ['password'], 'audit_ids': ['a'], 'is_domain': False,
        'issued_at': '2020-01-01T00:00:00.000000Z',
        'expires_at': '2099-01-01T00:00:00.000000Z',
        'project': {'id': 'p', 'name': 'p', 'domain': named},
        'user': {'id': 'u', 'name': 'u', 'domain': named,
                 'password_expires_at': None},
        'roles': [{'id': 'admin', 'name': 'admin'}],
        'catalog': [entry('identity', '/identity/v3'),
                    entry('network', '/network'),
                    entry('placement', '/placement')]}}


def candidates() -> dict:
    """An answer of Placement that offers every host."""
    providers = [PROVIDER % number for number in range(HOSTS)]
    resources = {'VCPU': 1, 'MEMORY_MB': 512}
    offered = {name: {'capacity': 10 ** 6, 'used': 0} for name in resources}
    return {
        'allocation_requests': [
            {'allocations': {uuid: {'resources': resources}},
             'mappings': {'': [uuid]}} for uuid in providers],
        'provider_summaries': {
            uuid: {'resources': offered, 'traits': [],
                   'parent_provider_uuid': None,
                   'root_provider_uuid': uuid} for uuid in providers}}


class Answers:
    """The answers, encoded once."""

    def __init__(self, base: str):
        version = {'id': 'v3.14', 'status': 'stable', 'media-types': [],
                   'links': [{'rel': 'self',
                              'href': base + '/identity/v3/'}]}
        network = {'id': NETWORK, 'name': 'net', 'tenant_id': 'p',
                   'project_id': 'p', 'shared': False,
                   'router:external': False, 'status': 'ACTIVE',
                   'created_at': '2025-01-01T00:00:00Z'}
        self._token = json.dumps(token_document(base)).encode()
        self._by_start = [
            ('GET /identity', self._encode({'version': version})),
            ('GET /network/v2.0/networks',
             self._encode({'networks': [network]})),
            ('GET /placement/allocation_candidates',
             self._encode(candidates())),
            ('GET /placement/allocations/', self._encode(
                {'allocations': {}})),
            ('PUT /placement/', self._encode(None, 204))]
        self._missing = self._encode({}, 404)

    @staticmethod
    def _encode(body, status: int = 200, headers: str = '') -> bytes:
        raw = b'' if body is None else json.dumps(body).encode()
        return Answers._frame(raw, status, headers)

    @staticmethod
    def _frame(raw: bytes, status: int, headers: str = '') -> bytes:
        return ('HTTP/1.1 %d X\r\nContent-Type: application/json\r\n'
                '%sContent-Length: %d\r\n\r\n' % (
                    status, headers, len(raw))).encode() + raw

    def to(self, method: str, target: str, body: bytes) -> bytes:
        """The whole answer to a request."""
        if target.endswith('/auth/tokens'):
            identity = json.loads(body)['auth']['identity']
            token = identity.get('token', {}).get('id', 'service-token')
            return self._frame(self._token, 201,
                               'X-Subject-Token: %s\r\n' % token)
        if target.startswith('/placement/traits?'):
            names = parse.unquote(target).partition('in:')[2].split(',')
            return self._encode({'traits': names})
        start = '%s %s' % (method, target)
        for prefix, answer in self._by_start:
            if start.startswith(prefix):
                return answer
        return self._missing


class Connection(asyncio.Protocol):
    """One connection, kept alive."""

    def __init__(self, answers: Answers):
        self._answers = answers
        self._received = b''

    def connection_made(self, transport):
        self._transport = transport

    def data_received(self, data):
        self._received += data
        while self._answer_one():
            pass

    def _answer_one(self) -> bool:
        head, found, rest = self._received.partition(b'\r\n\r\n')
        if not found:
            return False
        lines = head.decode('latin-1').split('\r\n')
        length = next((int(line.partition(':')[2]) for line in lines
                       if line.lower().startswith('content-length:')), 0)
        if len(rest) < length:
            return False
        method, target, _version = lines[0].split(' ')
        self._received = rest[length:]
        self._transport.write(self._answers.to(method, target,
                                               rest[:length]))
        return True


async def serve(port: int) -> None:
    """Answer on a port of this machine until the process ends."""
    answers = Answers('http://127.0.0.1:%d' % port)
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(answers), '127.0.0.1', port)
    await server.serve_forever()


if __name__ == '__main__':
    asyncio.run(serve(int(sys.argv[1])))
