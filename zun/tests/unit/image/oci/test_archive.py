# SPDX-License-Identifier: Apache-2.0
import gzip
import io
import json

from zun.image.oci import archive
from zun.image.oci import registry
from zun.tests import base
from zun.tests.unit.image.oci import archives
from zun.tests.unit.image.oci import fake_registry

LIMIT = 1 << 20


def contents(data, limit=LIMIT):
    with archive.Archive(io.BytesIO(data), limit) as found:
        return found.contents()


class TestArchive(base.BaseTestCase):

    def refused(self, data, **kwargs):
        return str(self.assertRaises(archive.ArchiveInvalid, contents, data,
                                     **kwargs))

    def test_docker(self):
        found = contents(archives.docker())
        self.assertEqual(
            ('app:v1', archives.digest(archives.CONFIG), ['l/layer.tar']),
            (found.name, found.config, found.layers))

    def test_docker_without_a_name(self):
        self.assertIsNone(contents(archives.docker(names=())).name)

    def test_oci(self):
        found = contents(archives.oci())
        self.assertEqual(archives.digest(archives.CONFIG), found.config)
        self.assertIsNotNone(found.manifest)

    def test_gzip(self):
        self.assertEqual('app:v1', contents(
            gzip.compress(archives.docker())).name)

    def test_several_images(self):
        for data in (archives.docker(images=2), archives.oci(images=2)):
            self.assertIn('2 images', self.refused(data))

    def test_no_image(self):
        self.assertIn('0 images', self.refused(archives.docker(images=0)))

    def test_no_archive(self):
        for data in (b'', b'no tar' * 1000, b'\x1f\x8bbroken',
                     archives.tar({'a': b'b'})):
            self.refused(data)

    def test_cut_short(self):
        self.refused(archives.docker()[:700])

    def test_lacking_a_layer(self):
        self.assertIn('gone', self.refused(archives.tar({
            'c.json': archives.CONFIG, 'manifest.json': [{
                'Config': 'c.json', 'Layers': ['gone']}]})))

    def test_documents_of_another_shape(self):
        for document in ({}, [{}], [[]], ['x'], [{'Config': 1}]):
            self.refused(archives.tar({'manifest.json': document}))

    def test_too_large(self):
        self.assertIn('more than 5', self.refused(archives.docker(), limit=5))


class TestPush(base.BaseTestCase):

    def push(self, data):
        there = self.useFixture(fake_registry.Registry())
        client = registry.Registry(there.domain, None, registry.Settings(
            insecure=(there.domain,), timeout=10))
        with archive.Archive(io.BytesIO(data), LIMIT) as found:
            digest = archive.push(found, client, 'app', 'v1')
        raw = there.manifests['app', 'v1']
        self.assertEqual(digest, archives.digest(raw))
        return there, json.loads(raw)

    def test_docker(self):
        there, manifest = self.push(archives.docker())
        self.assertEqual({archives.digest(archives.LAYER),
                          archives.digest(archives.CONFIG)},
                         set(there.blobs))
        self.assertEqual('application/vnd.oci.image.layer.v1.tar',
                         manifest['layers'][0]['mediaType'])

    def test_oci_manifest_stays_as_it_is(self):
        data = archives.oci()
        self.assertEqual(json.loads(contents(data).manifest),
                         self.push(data)[1])
