# SPDX-License-Identifier: Apache-2.0
import hashlib
import os
from unittest import mock

import fixtures

from zun.common import clients
from zun.common import exception
from zun.container.runtime import base as runtime_base
from zun.image.glance import driver
from zun.image.glance import images
from zun.tests import base
from zun.tests.unit.image.oci import archives

ID = '5e1f5f7e-0000-4000-8000-000000000001'
DATA = archives.docker()


def image(**fields):
    return {'id': ID, 'name': 'app', 'container_format': 'docker',
            'size': len(DATA), 'visibility': 'private', 'owner': 'p',
            'checksum': hashlib.md5(DATA, usedforsecurity=False).hexdigest(),
            **fields}


class Glance:
    """Answers as Glance does."""

    def __init__(self, *found):
        self.found = list(found)
        self.members = {}
        self.requests = []

    def get(self, url, stream=False):
        self.requests.append(url)
        answer = mock.Mock()
        if url.startswith('/v2/images?'):
            answer.json.return_value = {'images': self.found}
        elif url.endswith('/file'):
            answer.iter_content.return_value = [DATA]
        elif '/members/' in url:
            answer.json.return_value = self._one(
                self.members, url.rpartition('/')[2])
        else:
            answer.json.return_value = self._one(
                {item['id']: item for item in self.found},
                url.rpartition('/')[2])
        return answer

    @staticmethod
    def _one(known, key):
        if key not in known:
            raise clients.PeerRefused('Glance', 'none', 404)
        return known[key]


class GlanceTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.glance = Glance(image())
        patch = mock.patch.object(clients.OpenStackClients, 'glance',
                                  lambda *args: self.glance)
        patch.start()
        self.addCleanup(patch.stop)
        self.context = mock.Mock(auth_token=None, project_id='p')
        self.config(group='glance',
                    images_directory=self.useFixture(
                        fixtures.TempDir()).path)


class TestFind(GlanceTestCase):

    def test_by_name_and_id(self):
        for name in ('app', ID):
            self.assertEqual(ID, images.find(self.context, name)['id'])

    def test_none(self):
        for name in ('ap', ID.replace('1', '2')):
            error = self.assertRaises(exception.ImageNotFound, images.find,
                                      self.context, name)
            self.assertEqual('Image %s could not be found.' % name,
                             str(error))

    def test_part_of_a_name(self):
        self.assertEqual([ID], [found['id'] for found in images.matching(
            self.context, 'ap', exact=False)])

    def test_two_of_a_name(self):
        self.glance.found.append(image())
        error = self.assertRaises(exception.Conflict, images.find,
                                  self.context, 'app')
        self.assertEqual('Multiple images exist with same name app. Please '
                         'use the image id instead.', str(error))

    def test_no_container_image(self):
        self.glance.found = [image(container_format='bare')]
        for name in ('app', ID):
            self.assertRaises(exception.ImageNotFound, images.find,
                              self.context, name)

    def test_of_another_project(self):
        self.glance.found = [image(owner='other')]
        for name in ('app', ID):
            self.assertRaises(exception.ImageNotFound, images.find,
                              self.context, name)

    def test_of_all(self):
        for visibility in ('public', 'community'):
            self.glance.found = [image(owner='other',
                                       visibility=visibility)]
            images.find(self.context, ID)

    def test_shared(self):
        self.glance.found = [image(owner='other', visibility='shared')]
        self.assertRaises(exception.ImageNotFound, images.find,
                          self.context, ID)
        self.glance.members['p'] = {'status': 'pending'}
        self.assertRaises(exception.ImageNotFound, images.find,
                          self.context, ID)
        self.glance.members['p'] = {'status': 'accepted'}
        images.find(self.context, ID)

    def test_who_asks_with_a_token_sees_what_glance_shows(self):
        self.glance.found = [image(owner='other')]
        images.find(mock.Mock(auth_token='t', project_id='p'), ID)


class TestFetch(GlanceTestCase):

    def setUp(self):
        super().setUp()
        self.runtime = mock.create_autospec(runtime_base.Runtime,
                                            instance=True)
        self.there = {}
        self.runtime.usable.side_effect = self.there.get
        self.runtime.image.side_effect = self.there.get
        self.runtime.import_archive.side_effect = self.take

    def take(self, source, name, labels):
        self.taken = source.read()
        self.there[name] = runtime_base.RuntimeImage(name, 'sha256:i', 7,
                                                     labels)
        return self.there[name]

    def fetch(self, found=None):
        return driver.fetch(self.context, self.runtime, found or image())

    def test_imported_once(self):
        found = self.fetch()
        self.assertEqual(DATA, self.taken)
        self.assertEqual(
            ('zun.local/glance/%s:%s' % (ID, image()['checksum']),
             'sha256:i', 7, 'app', 'v1'), found)
        self.assertEqual(found, self.fetch())
        self.runtime.import_archive.assert_called_once()

    def test_no_file_stays(self):
        self.fetch()
        self.assertEqual([], os.listdir(
            driver.CONF.glance.images_directory))

    def test_wrong_checksum(self):
        error = self.assertRaises(exception.ZunException, self.fetch,
                                  image(checksum='0' * 32))
        self.assertIn('Cannot download image from glance', str(error))
        self.runtime.import_archive.assert_not_called()

    def test_sha512_comes_first(self):
        self.fetch(image(checksum='0' * 32, os_hash_algo='sha512',
                         os_hash_value=hashlib.sha512(DATA).hexdigest()))

    def test_larger_than_allowed(self):
        self.config(group='kubernetes', max_image_size=1024)
        error = self.assertRaises(exception.Invalid, self.fetch)
        self.assertIn('max_image_size', str(error))

    def test_not_uploaded_yet(self):
        self.assertRaises(exception.Invalid, self.fetch,
                          image(checksum=None))

    def test_several_images_in_it(self):
        data = archives.docker(images=2)
        with mock.patch.object(images, 'downloaded', autospec=True) as down:
            path = self.useFixture(fixtures.TempDir()).join('a.tar')
            with open(path, 'wb') as out:
                out.write(data)
            down.return_value.__enter__.return_value = path
            self.assertRaises(exception.Invalid, self.fetch)


class TestResolve(GlanceTestCase):

    def resolve(self, fetch, **fields):
        return driver.GlanceDriver().resolve(
            self.context, mock.Mock(**{
                'image': 'app:v7', 'image_pull_policy': None, **fields}),
            fetch)

    def test_never_pulled_by_the_node(self):
        asked = []

        def fetch(found, only_look):
            asked.append((found['id'], only_look))
            return driver.driver.OnNode('zun.local/glance/x:1', 'i', 5)

        self.assertEqual(('zun.local/glance/x:1', 'never', None),
                         self.resolve(fetch))
        self.resolve(fetch, image_pull_policy='never')
        self.assertEqual([(ID, False), (ID, True)], asked)

    def test_not_there_and_not_to_be_pulled(self):
        error = self.assertRaises(
            exception.Invalid, self.resolve, lambda *args: None,
            image_pull_policy='never')
        self.assertEqual('Image app not present with pull policy of Never',
                         str(error))


class TestUpload(base.BaseTestCase):

    def test_says_what_it_is(self):
        glance = mock.Mock()
        path = self.useFixture(fixtures.TempDir()).join('a.tar')
        with open(path, 'wb') as out:
            out.write(b'archive')
        sent = {}

        def request(url, method, json=None, data=None, headers=None):
            sent[method, url] = json or (data.read(), headers)

        glance.request = request
        with mock.patch.object(clients.OpenStackClients, 'glance',
                               lambda *args: glance):
            images.upload(None, ID, 'v1', path)
        self.assertEqual(
            [('container_format', 'docker'), ('disk_format', 'qcow2'),
             ('tags', ['v1'])],
            [(op['path'][1:], op['value'])
             for op in sent['PATCH', '/v2/images/' + ID]])
        data, headers = sent['PUT', '/v2/images/%s/file' % ID]
        self.assertEqual((b'archive', '7'),
                         (data, headers['Content-Length']))

    def test_only_an_active_one_has_bytes(self):
        glance = mock.Mock()
        with mock.patch.object(clients.OpenStackClients, 'glance',
                               lambda *args: glance):
            for status in ('queued', 'saving', 'active'):
                glance.get.return_value.json.return_value = {
                    'status': status}
                self.assertIs(status == 'active',
                              images.has_bytes(None, ID))
        glance.get.assert_called_with('/v2/images/' + ID)
