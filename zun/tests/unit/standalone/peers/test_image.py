# SPDX-License-Identifier: Apache-2.0

import json

from zun.standalone.peers import image
from zun.standalone.peers import service
from zun.tests import base

USER = service.Caller('u', 'p', ('member',))


class ImageTest(base.TestCase):

    def setUp(self):
        super().setUp()
        self.service = image.Image(self.path('images'))
        _, data = self.ask('POST', '/v2/images', b'{"name": "a"}')
        self.url = '/v2/images/' + json.loads(data)['id']

    def ask(self, method, path, body=b'', query=()):
        status, _, data = self.service.handle(service.Request(
            method, path, list(query), {}, body, 'http://x', USER))
        return status, data

    def test_upload_and_download(self):
        self.assertEqual(204, self.ask('PUT', self.url + '/file',
                                       b'data')[0])
        self.assertEqual((200, b'data'),
                         self.ask('GET', self.url + '/file'))
        shown = json.loads(self.ask('GET', self.url)[1])
        self.assertEqual(('active', 4), (shown['status'], shown['size']))

    def test_a_file_is_given_once(self):
        self.ask('PUT', self.url + '/file', b'data')
        self.assertEqual(409, self.ask('PUT', self.url + '/file', b'x')[0])

    def test_patch(self):
        self.ask('PATCH', self.url, json.dumps([
            {'op': 'add', 'path': '/container_format',
             'value': 'docker'}]).encode())
        _, data = self.ask('GET', '/v2/images',
                           query=[('container_format', 'docker')])
        self.assertEqual(['a'], [i['name']
                                 for i in json.loads(data)['images']])

    def test_tags(self):
        self.ask('PUT', self.url + '/tags/v1')
        _, data = self.ask('GET', '/v2/images', query=[('tag', 'v1')])
        self.assertEqual(1, len(json.loads(data)['images']))
        self.assertEqual(404, self.ask('DELETE', self.url + '/tags/v2')[0])
