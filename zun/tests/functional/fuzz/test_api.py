# SPDX-License-Identifier: Apache-2.0
"""Whatever is sent to the API, no answer is a 5xx and no traceback leaves.

``ZUN_FUZZ_REQUESTS`` sets how many requests are sent, e.g. 20000 by hand;
``ZUN_FUZZ_SEED`` makes them others than the fixed ones;
``ZUN_FUZZ_DATABASE`` (``mariadb``, ``postgresql``) is another database than
SQLite, stricter and slower.
"""

import io
import logging
import os
import sqlite3
import sys
from urllib import parse

import hypothesis
from oslo_utils import uuidutils

from zun.api import openapi
from zun.db import api as db_api
from zun.db.sqlalchemy import models
from zun import objects
from zun.tests import databases
from zun.tests.functional.fuzz import generous_peers
from zun.tests.functional.fuzz import rows
from zun.tests.functional.fuzz import strategies
from zun.tests.unit.api import base

REQUESTS = int(os.environ.get('ZUN_FUZZ_REQUESTS', 1500))
SEED = os.environ.get('ZUN_FUZZ_SEED')
DATABASE = os.environ.get('ZUN_FUZZ_DATABASE')


def environ(request: strategies.Request) -> dict:
    """What a server makes of a request."""
    env = {
        'REQUEST_METHOD': request.method, 'SCRIPT_NAME': '',
        'PATH_INFO': parse.unquote(request.path, 'latin-1'),
        'QUERY_STRING': request.query, 'SERVER_NAME': 'localhost',
        'SERVER_PORT': '80', 'HTTP_HOST': 'localhost:80',
        'SERVER_PROTOCOL': 'HTTP/1.1', 'wsgi.version': (1, 0),
        'wsgi.url_scheme': 'http', 'wsgi.input': io.BytesIO(request.body),
        'wsgi.errors': sys.stderr, 'wsgi.multithread': False,
        'wsgi.multiprocess': False, 'wsgi.run_once': False,
        'CONTENT_LENGTH': str(len(request.body))}
    for name, value in request.headers.items():
        name = name.upper().replace('-', '_')
        env[name if name == 'CONTENT_TYPE' else 'HTTP_' + name] = value
    return env


class FuzzTest(base.ApiTestCase):

    peers_class = generous_peers.GenerousPeers

    def setUp(self) -> None:
        super().setUp()
        # Errors are what matters; a log of each request would fill memory.
        logging.disable(logging.INFO)
        self.addCleanup(logging.disable, logging.NOTSET)
        # However long it takes, the host stays up.
        self.config(service_down_time=10 ** 6)
        self._answer_for_compute()
        rows.insert(self.context)
        self.restore = self._sqlite_restorer() if DATABASE is None else \
            self._insert_anew
        self.document = openapi.document()

    def database_url(self) -> str | None:
        if DATABASE is None:
            return None
        server = databases.get(DATABASE)
        url = server.create_database()
        self.addCleanup(server.drop_database, url)
        return url

    def _sqlite_restorer(self):
        """What puts the database back to how it is now."""
        live = db_api.get_engine().raw_connection().driver_connection
        copy = sqlite3.connect(':memory:', check_same_thread=False)
        self.addCleanup(copy.close)
        live.backup(copy)
        return lambda: copy.backup(live)

    def _insert_anew(self) -> None:
        with db_api.get_engine().begin() as connection:
            for table in reversed(models.Base.metadata.sorted_tables):
                connection.execute(table.delete())
        rows.insert(self.context)

    def _answer_for_compute(self) -> None:
        self.answers.update({
            'container_logs': 'a line\n', 'container_attach': 'token-1',
            'container_exec': {'output': '', 'exit_code': 0,
                               'exec_id': 'a' * 64, 'token': 'token-2'},
            'container_top': {'Titles': [], 'Processes': []},
            'container_stats': {}, 'image_search': [{'name': 'nginx'}],
            'container_get_archive': ('', {}),
            'container_update': lambda container, patch: container,
            'container_commit': {'uuid': uuidutils.generate_uuid()},
            'network_create': objects.ZunNetwork(
                self.context, uuid=uuidutils.generate_uuid(), name='net-a',
                project_id=base.PROJECT, user_id=base.USER,
                network_id=rows.NET, neutron_net_id=rows.NET)})

    def send(self, request: strategies.Request) -> tuple[int, bytes]:
        got = {}

        def start_response(status, headers, exc_info=None):
            got['status'] = int(status.split(' ')[0])
            return lambda data: None
        answer = self.app(environ(request), start_response)
        try:
            body = b''.join(answer)
        finally:
            getattr(answer, 'close', lambda: None)()
        return got['status'], body

    def test_no_request_breaks_the_api(self):
        settings = hypothesis.settings(
            max_examples=REQUESTS, deadline=None, database=None,
            derandomize=SEED is None, report_multiple_bugs=False,
            suppress_health_check=list(hypothesis.HealthCheck))

        @settings
        @hypothesis.given(strategies.requests(self.document))
        def check(request):
            self.restore()
            status, body = self.send(request)
            self.assertLess(status, 500, request)
            self.assertNotIn(b'Traceback', body)
        if SEED is not None:
            check = hypothesis.seed(int(SEED))(check)
        check()
