# SPDX-License-Identifier: Apache-2.0

import base64
import json

from zun.standalone.cluster import images
from zun.tests import base


class NormalizeTest(base.BaseTestCase):

    def test_names(self):
        for text, wanted in (
                ('busybox', 'docker.io/library/busybox:latest'),
                ('team/app:1', 'docker.io/team/app:1'),
                ('localhost/a', 'localhost/a:latest'),
                ('127.0.0.1:5050/a/b:2', '127.0.0.1:5050/a/b:2'),
                ('quay.io/a@sha256:' + 'a' * 64,
                 'quay.io/a@sha256:' + 'a' * 64)):
            self.assertEqual(wanted, images.normalize(text))

    def test_nonsense(self):
        error = self.assertRaises(images.ImageError, images.normalize,
                                  'Bad Image:::')
        self.assertEqual('InvalidImageName', error.reason)


class RegistryTest(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.registry = images.Registry((
            images.Image('busybox'), images.Image('app:1'),
            images.Image('reg.example/private',
                         credentials=('me', 'secret'))))

    def pull(self, name, auths=()):
        return self.registry.pull(images.normalize(name), list(auths)).name

    def test_any_tag_of_a_name_without_one(self):
        self.assertEqual('busybox', self.pull('busybox:1.36'))

    def test_only_the_tag_of_a_name_with_one(self):
        self.assertEqual('app:1', self.pull('app:1'))
        error = self.assertRaises(images.ImageError, self.pull, 'app:2')
        self.assertEqual('ErrImagePull', error.reason)

    def test_private(self):
        secret = {'data': {'.dockerconfigjson': base64.b64encode(json.dumps(
            {'auths': {'reg.example': {
                'username': 'me', 'password': 'secret'}}}).encode())}}
        auths = images.secret_auths(secret)
        self.assertEqual('reg.example/private',
                         self.pull('reg.example/private', [auths]))
        auths['reg.example']['password'] = 'wrong'
        self.assertRaises(images.ImageError, self.pull,
                          'reg.example/private', [auths])
