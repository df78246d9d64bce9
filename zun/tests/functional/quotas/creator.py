# SPDX-License-Identifier: Apache-2.0
"""A process that has an API and creates containers with it, all at once.

    python -m zun.tests.functional.quotas.creator URL DIRECTORY REQUESTS

Says ``ready``, waits for a line, sends the requests from as many threads and
prints the answers as JSON: a list of [status, code, detail].
"""

import io
import json
import logging
import os
import sys
import threading

from zun.tests.contract import target
from zun.tests import peers

HOST = '00000000-0000-4000-8000-0000000000f1'
NETWORK = {'id': '00000000-0000-4000-8000-0000000000a1', 'name': 'net',
           'tenant_id': 'p', 'shared': False, 'router:external': False,
           'created_at': '2025-01-01T00:00:00Z'}
BODY = json.dumps({'image': 'nginx', 'cpu': 1, 'memory': '64', 'disk': 1,
                   'nets': [{'network': NETWORK['id']}]}).encode()
HEADERS = {
    'X-Auth-Token': peers.USER_TOKEN, 'X-Project-Id': 'p', 'X-User-Id': 'u',
    'X-Roles': 'member,reader', 'OpenStack-API-Version': 'container 1.40'}


class GenerousPeers(peers.Peers):
    """Peers that have room for everything."""

    def handle(self, request):
        path = request.path_url
        if '/allocations/' in path:
            return (204, {}, b'') if request.method == 'PUT' else \
                peers.json_answer(200, {'allocations': {}})
        if '/allocation_candidates' in path:
            resources = {'VCPU': 1, 'MEMORY_MB': 64}
            return peers.json_answer(200, {
                'allocation_requests': [{
                    'allocations': {HOST: {'resources': resources}},
                    'mappings': {'': [HOST]}}],
                'provider_summaries': {}})
        if '/traits' in path:
            return peers.json_answer(200, {'traits': [
                'CUSTOM_ZUN_COMPUTE_STATUS_DISABLED']})
        if '/networks' in path:
            return peers.json_answer(200, {'networks': [NETWORK]})
        return super().handle(request)


def create(app) -> list:
    """Ask for one container: [status, code, detail]."""
    environ = {
        'REQUEST_METHOD': 'POST', 'SCRIPT_NAME': '', 'QUERY_STRING': '',
        'PATH_INFO': '/v1/containers', 'SERVER_NAME': 'localhost',
        'SERVER_PORT': '80', 'SERVER_PROTOCOL': 'HTTP/1.1',
        'HTTP_HOST': 'localhost', 'wsgi.version': (1, 0),
        'wsgi.url_scheme': 'http', 'wsgi.input': io.BytesIO(BODY),
        'wsgi.errors': sys.stderr, 'wsgi.multithread': True,
        'wsgi.multiprocess': True, 'wsgi.run_once': False,
        'CONTENT_TYPE': 'application/json',
        'CONTENT_LENGTH': str(len(BODY))}
    for name, value in HEADERS.items():
        environ['HTTP_' + name.upper().replace('-', '_')] = value
    status = []
    chunks = app(environ, lambda line, *args: status.append(int(line[:3])))
    body = json.loads(b''.join(chunks))
    error = body.get('errors', [{}])[0]
    return [status[0], error.get('code'), error.get('detail')]


def main() -> None:
    url, directory, requests = sys.argv[1:]
    logging.basicConfig(filename=os.path.join(directory, 'log'),
                        level=logging.ERROR)
    app = target.make_app(url, directory)
    answers: list = []
    with GenerousPeers():
        threads = [threading.Thread(
            target=lambda: answers.append(create(app)), daemon=True)
            for _number in range(int(requests))]
        print('ready', flush=True)
        sys.stdin.readline()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(json.dumps(answers), flush=True)


if __name__ == '__main__':
    main()
