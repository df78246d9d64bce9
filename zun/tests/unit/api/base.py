# SPDX-License-Identifier: Apache-2.0
"""Base of the tests that send requests to the API in this process."""

import json

import sqlalchemy as sa
import webob

from zun.api import app as api_app
from zun.common import context as zun_context
from zun.common import keystone
from zun.common import policy
from zun.compute import rpcapi
from zun.db import api as db_api
from zun.tests import base
from zun.tests import fixtures
from zun.tests import peers

PROJECT = 'a1' * 16
OTHER_PROJECT = 'b2' * 16
USER = 'd4' * 16

MEMBER = {'X-Project-Id': PROJECT, 'X-User-Id': USER, 'X-Roles': 'member',
          'X-Auth-Token': peers.USER_TOKEN}
ADMIN = dict(MEMBER, **{'X-Roles': 'admin'})
OTHER = dict(MEMBER, **{'X-Project-Id': OTHER_PROJECT})


class ApiTestCase(base.TestCase):
    """The API on an empty database; peers are scripted, compute is stubbed.

    ``calls``: (kind, server, method, arguments) of each request to the
    compute side; ``answers``: method to what a call
    returns, raises, or a function of its arguments.
    """

    peers_class = peers.Peers

    def setUp(self) -> None:
        super().setUp()
        self.useFixture(fixtures.Database(self.database_url()))
        self.peers = self.useFixture(self.peers_class())
        policy.reset()
        self.addCleanup(policy.reset)
        keystone.reset()
        self.addCleanup(keystone.reset)
        self.context = zun_context.make_admin_context(all_projects=True)
        self.calls: list[tuple] = []
        self.answers: dict = {}
        self._stub_compute()
        self.app = api_app.setup_app()

    def database_url(self) -> str | None:
        """An empty database; None: SQLite in memory."""
        return None

    def _stub_compute(self) -> None:
        real = rpcapi.API._call, rpcapi.API._cast

        def restore() -> None:
            rpcapi.API._call, rpcapi.API._cast = real

        def call(api, server, method, **kwargs):
            self.calls.append(('call', server, method, kwargs))
            answer = self.answers.get(method)
            if isinstance(answer, Exception):
                raise answer
            return answer(**kwargs) if callable(answer) else answer

        def cast(api, server, method, **kwargs):
            self.calls.append(('cast', server, method, kwargs))
        self.addCleanup(restore)
        rpcapi.API._call, rpcapi.API._cast = call, cast

    def request(self, method: str, path: str, body=None,
                headers: dict | None = None,
                version: str = '1.40') -> webob.Response:
        """Send a request, as a member of PROJECT unless told otherwise."""
        request = webob.Request.blank(path, method=method)
        request.headers.update(MEMBER if headers is None else headers)
        request.headers['OpenStack-API-Version'] = 'container ' + version
        if body is not None:
            request.content_type = 'application/json'
            request.body = json.dumps(body).encode()
        return request.get_response(self.app)

    def get(self, path: str, **kwargs) -> webob.Response:
        return self.request('GET', path, **kwargs)

    def post(self, path: str, body, **kwargs) -> webob.Response:
        return self.request('POST', path, body, **kwargs)

    def put(self, path: str, body=None, **kwargs) -> webob.Response:
        return self.request('PUT', path, body, **kwargs)

    def patch(self, path: str, body, **kwargs) -> webob.Response:
        return self.request('PATCH', path, body, **kwargs)

    def delete(self, path: str, **kwargs) -> webob.Response:
        return self.request('DELETE', path, **kwargs)

    def assert_error(self, response: webob.Response, status: int,
                     code: str) -> str:
        """Check an error; returns what it says."""
        self.assertEqual(status, response.status_int, response.text)
        error, = response.json['errors']
        self.assertEqual('container.' + code, error['code'])
        return error['detail']

    def count_statements(self, function) -> int:
        """How many statements reach the database while a function runs."""
        statements: list[str] = []

        def note(conn, cursor, statement, *args) -> None:
            statements.append(statement)
        engine = db_api.get_engine()
        sa.event.listen(engine, 'before_cursor_execute', note)
        try:
            function()
        finally:
            sa.event.remove(engine, 'before_cursor_execute', note)
        return len(statements)
