# SPDX-License-Identifier: Apache-2.0
"""Tests of discovery: GET / and GET /v1."""

from zun.tests.unit.api import base


class RootTest(base.ApiTestCase):

    def test_versions(self):
        version, = self.get('/').json['versions']
        self.assertEqual(('v1', 'CURRENT', '1.40', '1.1'), (
            version['id'], version['status'], version['max_version'],
            version['min_version']))

    def test_nobody_may_ask(self):
        self.assertEqual(200, self.get('/', headers={}).status_int)

    def test_other_paths(self):
        for path in ('/v2', '/v1x'):
            self.assertEqual(404, self.get(path).status_int, path)

    def test_version_may_be_left_out_of_a_path(self):
        self.assertEqual({'containers': [], 'next': None},
                         self.get('/containers').json)


class V1Test(base.ApiTestCase):

    def test_resources_are_linked(self):
        document = self.get('/v1').json
        self.assertEqual(
            ['http://localhost/v1/containers/',
             'http://localhost/containers/'],
            [link['href'] for link in document['containers']])

    def test_version_headers(self):
        headers = self.get('/v1/containers', version='1.9').headers
        self.assertEqual(
            ('container 1.9', 'container 1.1', 'container 1.40',
             'OpenStack-API-Version'),
            (headers['OpenStack-API-Version'],
             headers['OpenStack-API-Minimum-Version'],
             headers['OpenStack-API-Maximum-Version'], headers['Vary']))

    def test_latest(self):
        headers = self.get('/v1/containers', version='latest').headers
        self.assertEqual('container 1.40', headers['OpenStack-API-Version'])

    def test_version_that_is_not_served(self):
        for version in ('1.41', '1.0', '2.0', '0.9', '-1.3', '1.99999'):
            answer = self.get('/v1/containers', version=version)
            self.assertEqual(406, answer.status_int, version)
            self.assertEqual(
                'container 1.40',
                answer.headers['OpenStack-API-Maximum-Version'])

    def test_version_that_cannot_be_read(self):
        for version in ('1', 'x', '1.2.3', ''):
            answer = self.get('/v1/containers', version=version)
            self.assertEqual(406, answer.status_int, version)
