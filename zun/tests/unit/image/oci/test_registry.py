# SPDX-License-Identifier: Apache-2.0
import hashlib
import io

from zun.image.oci import registry
from zun.tests import base
from zun.tests.unit.image.oci import fake_registry

MANIFEST = {'mediaType': registry.MANIFEST_TYPES[0], 'layers': []}


class RegistryTestCase(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.there = self.useFixture(fake_registry.Registry())

    def client(self, credentials=None, domain=None, **settings):
        return registry.Registry(
            domain or self.there.domain, credentials, registry.Settings(
                **{'insecure': (self.there.domain,), 'timeout': 10,
                   **settings}))


class TestReading(RegistryTestCase):

    def test_manifest_by_tag(self):
        digest = self.there.put('team/app', 'v1', MANIFEST)
        found = self.client().manifest('team/app', 'v1')
        self.assertEqual((digest, MANIFEST), (found.digest, found.document))

    def test_manifest_that_is_not_there(self):
        self.assertIsNone(self.client().manifest('team/app', 'v1'))

    def test_manifest_that_is_another(self):
        wrong = 'sha256:' + 64 * '0'
        self.there.manifests['a', wrong] = b'{}'
        error = self.assertRaises(registry.RegistryError,
                                  self.client().manifest, 'a', wrong)
        self.assertIn('digest', str(error))

    def test_platform_of_an_index(self):
        digest = self.there.put('app', 'arm', MANIFEST)
        self.there.put('app', 'v1', {
            'mediaType': registry.INDEX_TYPES[0], 'manifests': [
                {'digest': 'sha256:1', 'platform': {
                    'os': 'linux', 'architecture': 'amd64'}},
                {'digest': digest, 'platform': {
                    'os': 'linux', 'architecture': 'arm64'}}]})
        client = self.client()
        found = client.manifest('app', 'v1')
        self.assertEqual(digest, client.for_platform(
            'app', found, 'arm64').digest)
        self.assertIsNone(client.for_platform('app', found, 's390x'))

    def test_tags_and_catalogue(self):
        self.there.put('app', 'v1', MANIFEST)
        self.there.catalogue = ['app', 'web']
        client = self.client()
        self.assertEqual(['v1'], client.tags('app'))
        self.assertEqual(['app', 'web'], client.catalogue())

    def test_search(self):
        self.assertIsNone(self.client().search('app'))
        self.there.results = [{'name': 'app'}]
        self.assertEqual([{'name': 'app'}], self.client().search('app'))

    def test_what_is_no_json(self):
        self.there.manifests['a', 'b'] = b'<html>'
        self.assertRaises(registry.RegistryError, self.client().manifest,
                          'a', 'b')

    def test_answer_without_end(self):
        self.there.manifests['a', 'b'] = b' ' * (registry.MAX_DOCUMENT + 1)
        error = self.assertRaises(registry.RegistryError,
                                  self.client().manifest, 'a', 'b')
        self.assertIn('larger', str(error))

    def test_error_of_its_own(self):
        self.there.fault = 502
        error = self.assertRaises(registry.RegistryAway,
                                  self.client().manifest, 'a', 'b')
        self.assertEqual(503, error.code)

    def test_away(self):
        self.assertRaises(
            registry.RegistryAway,
            self.client(domain='127.0.0.1:1', insecure=('127.0.0.1:1',)
                        ).manifest, 'a', 'b')


class TestAuthentication(RegistryTestCase):

    CREDENTIALS = (fake_registry.USER, fake_registry.PASSWORD)

    def manifest(self, credentials):
        self.there.put('app', 'v1', MANIFEST)
        return self.client(credentials).manifest('app', 'v1')

    def test_basic(self):
        self.there.auth = 'basic'
        self.assertIsNotNone(self.manifest(self.CREDENTIALS))

    def test_token(self):
        self.there.auth = 'bearer'
        self.assertIsNotNone(self.manifest(self.CREDENTIALS))

    def test_token_is_kept(self):
        self.there.auth = 'bearer'
        client = self.client(self.CREDENTIALS)
        for __ in range(3):
            client.manifest('app', 'v1')
        self.assertEqual(1, self.there.requests.count(('GET', '/token')))

    def test_wrong_password(self):
        for kind in ('basic', 'bearer'):
            self.there.auth = kind
            self.assertIsNone(self.manifest(('puller', 'guess')))

    def test_nobody(self):
        for kind in ('basic', 'bearer'):
            self.there.auth = kind
            self.assertIsNone(self.manifest(None))


class TestForbidden(RegistryTestCase):
    """What a user may not have this service ask."""

    def test_loopback(self):
        for domain in (self.there.domain, 'localhost:1', '169.254.169.254',
                       '0.0.0.0:1', '[::1]:1', '[::ffff:127.0.0.1]:1'):
            client = self.client(domain=domain, insecure=())
            error = self.assertRaises(registry.RegistryError,
                                      client.manifest, 'a', 'b')
            self.assertIn('no address that registries are asked at',
                          str(error), domain)
        self.assertEqual([], self.there.requests)

    def test_redirect(self):
        other = self.useFixture(fake_registry.Registry())
        self.there.redirect = 'http://%s/secret' % other.domain
        self.assertRaises(registry.RegistryError, self.client().manifest,
                          'a', 'b')
        self.assertEqual([], other.requests)

    def test_redirect_in_a_circle(self):
        self.there.redirect = 'http://%s/again' % self.there.domain
        error = self.assertRaises(registry.RegistryError,
                                  self.client().manifest, 'a', 'b')
        self.assertIn('redirects', str(error))

    def test_redirect_of_an_upload(self):
        self.there.redirect = 'http://%s/other' % self.there.domain
        self.assertRaises(registry.RegistryError, self.client().put_blob,
                          'a', 'sha256:1', 1, io.BytesIO(b'x'))


class TestWriting(RegistryTestCase):

    def test_blob_and_manifest(self):
        data = b'layer'
        digest = 'sha256:' + hashlib.sha256(data).hexdigest()
        client = self.client()
        client.put_blob('app', digest, len(data), io.BytesIO(data))
        self.assertEqual(data, self.there.blobs[digest])
        self.there.requests.clear()
        client.put_blob('app', digest, len(data), io.BytesIO(data))
        self.assertEqual(['HEAD'], [r[0] for r in self.there.requests])
        client.put_manifest('app', 'v1', b'{}', registry.MANIFEST_TYPES[0])
        self.assertEqual(b'{}', self.there.manifests['app', 'v1'])
