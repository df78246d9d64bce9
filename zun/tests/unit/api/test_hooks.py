# SPDX-License-Identifier: Apache-2.0
"""Tests of what happens around each method."""

import json

import fixtures
import webob

from zun.tests.unit.api import base


class ArgumentsTest(base.ApiTestCase):

    def test_read_without_the_path_it_needs(self):
        response = self.get('/v1/containers/logs')
        self.assertEqual(404, response.status_int)

    def test_change_without_the_path_it_needs(self):
        for method, path in (('DELETE', '/v1/containers'),
                             ('PATCH', '/v1/containers'),
                             ('POST', '/v1/containers/start')):
            self.assertEqual(405, self.request(method, path).status_int,
                             (method, path))

    def test_argument_of_the_path_in_a_body(self):
        response = self.request('DELETE', '/v1/capsules',
                                {'capsule_ident': 'none'})
        self.assertEqual(404, response.status_int)

    def test_argument_of_the_path_that_is_no_text(self):
        response = self.request('DELETE', '/v1/capsules',
                                {'capsule_ident': {'a': 1}})
        self.assertEqual(405, response.status_int)


class ErrorTest(base.ApiTestCase):

    def raw(self, path: str, **kwargs) -> webob.Response:
        request = webob.Request.blank('/', **kwargs)
        request.environ['PATH_INFO'] = path
        request.headers.update(base.MEMBER)
        return request.get_response(self.app)

    def test_path_that_is_no_utf8(self):
        self.assertEqual(400, self.raw('/v1/containers/\xff').status_int)

    def test_query_that_is_no_utf8(self):
        self.assertEqual(
            400, self.get('/v1/containers?name=%ff').status_int)

    def test_unknown_character_set(self):
        response = self.raw(
            '/v1/containers', method='POST', body=b'{}',
            headers={'Content-Type': 'application/json; charset=nope'})
        self.assertEqual(415, response.status_int)
        self.assertIn('nope', response.json['errors'][0]['detail'])

    def test_error_body(self):
        response = self.get('/v1/containers/none')
        self.assertEqual('application/json', response.content_type)
        error, = response.json['errors']
        self.assertEqual(
            {'status': 404, 'code': 'container.container-not-found',
             'title': 'Container none could not be found.',
             'detail': 'Container none could not be found.',
             'links': [], 'request_id': ''}, error)

    def test_unexpected_error_is_told_by_its_number_alone(self):
        def fail(*args, **kwargs):
            raise KeyError('secret')
        self.useFixture(fixtures.MonkeyPatch(
            'zun.db.api.list_containers', fail))
        response = self.get('/v1/containers')
        self.assertEqual(500, response.status_int)
        self.assertNotIn('secret', json.dumps(response.json))
