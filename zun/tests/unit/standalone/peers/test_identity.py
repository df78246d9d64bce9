# SPDX-License-Identifier: Apache-2.0

import datetime
import json

from zun.standalone.peers import identity
from zun.standalone.peers import service
from zun.tests import base


class IdentityTest(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.service = identity.Identity(
            [identity.User('me', 'secret', {'demo': ('member',),
                                            'lab': ('admin',)}, 'static')],
            {'container': ('zun', 'http://zun/%(project_id)s')})

    def login(self, password='secret', scope=None, **user):
        user.setdefault('name', 'me')
        auth = {'identity': {'methods': ['password'], 'password': {
            'user': dict(user, password=password)}}}
        if scope:
            auth['scope'] = scope
        return self.post(auth)

    def post(self, auth):
        status, headers, data = self.service.handle(service.Request(
            'POST', '/v3/auth/tokens', [], {},
            json.dumps({'auth': auth}).encode(), 'http://x'))
        return status, headers.get('X-Subject-Token'), json.loads(data)

    def test_login(self):
        status, token, body = self.login(
            scope={'project': {'name': 'lab'}})
        self.assertEqual(201, status)
        caller = self.service.caller(token)
        self.assertEqual((identity.project_id('lab'), True),
                         (caller.project_id, caller.admin))
        self.assertEqual(
            'http://zun/' + identity.project_id('lab'),
            body['token']['catalog'][0]['endpoints'][0]['url'])

    def test_first_project_without_a_scope(self):
        _, token, _ = self.login()
        self.assertEqual(identity.project_id('demo'),
                         self.service.caller(token).project_id)

    def test_refused(self):
        for attempt in (
                self.login('wrong'), self.login(name='nobody'),
                self.login(scope={'project': {'name': 'other'}}),
                self.post({'identity': {'methods': ['token'],
                                        'token': {'id': 'forged'}}}),
                self.post({'identity': {'methods': ['password'],
                                        'password': {'user': {
                                            'password': 'secret'}}}})):
            self.assertEqual(401, attempt[0])

    def test_static_token_is_rescoped(self):
        status, token, _ = self.post({
            'identity': {'methods': ['token'], 'token': {'id': 'static'}},
            'scope': {'project': {'name': 'lab'}}})
        self.assertEqual(201, status)
        self.assertTrue(self.service.caller(token).admin)

    def test_expired(self):
        _, token, _ = self.login()
        old = self.service.tokens[token]
        self.service.tokens[token] = identity.Token(
            old.user, old.project, old.issued - datetime.timedelta(1),
            old.issued)
        self.assertIsNone(self.service.caller(token))

    def test_validation_needs_a_token(self):
        status, _, _ = self.service.handle(service.Request(
            'GET', '/v3/auth/tokens', [], {'x-subject-token': 'static'},
            b'', 'http://x'))
        self.assertEqual(401, status)
