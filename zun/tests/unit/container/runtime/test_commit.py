# SPDX-License-Identifier: Apache-2.0
import io
import json
import tarfile
from unittest import mock

import fixtures

from zun.container.runtime import base as runtime_base
from zun.container.runtime import commit
from zun.container.runtime import containerd_pb2 as pb
from zun.container.runtime import store
from zun.tests import base

D = ['sha256:' + digit * 64 for digit in '1234']


class FakeStore:
    """Blobs and images in memory."""

    def __init__(self):
        self.blobs, self.names, self.labels = {}, {}, {}

    def write(self, data, labels):
        digest = store.digest_of(data)
        self.blobs[digest] = data
        self.labels[digest] = labels
        return digest

    def read(self, digest):
        return self.blobs[digest]

    def read_json(self, digest):
        return json.loads(self.blobs[digest])

    def chunks(self, digest):
        data = self.blobs[digest]
        yield data[:3]
        yield data[3:]

    def image(self, name):
        return self.names.get(name)

    def images(self):
        return list(self.names.values())

    def manifest(self, digest):
        return digest, self.read_json(digest)

    def mounts(self, key):
        return [pb.Mount(type='overlay', options=[
            'upperdir=/u', 'lowerdir=/b:/a'])]

    def put_image(self, name, digest, size, labels):
        self.names[name] = pb.Image(name=name, labels=labels, target=(
            pb.Descriptor(digest=digest, size=size)))
        return self.names[name]

    put_manifest = store.Store.put_manifest
    describe = store.Store.describe
    unpack = mock.Mock()


class CommitTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.store = FakeStore()
        connection = mock.MagicMock()
        connection.call.side_effect = lambda method, request: (
            pb.GetContainerResponse(container=self.box))
        self.commits = commit.Commits(connection)
        self.commits._store = self.store
        self.written = []
        self.useFixture(fixtures.MockPatchObject(
            commit.layer, 'write', self._write))
        self.useFixture(fixtures.MockPatchObject(
            commit.layer, 'is_complete', lambda: True))
        self.useFixture(fixtures.MockPatchObject(
            commit, 'Upload', lambda connection: mock.Mock(
                finish=lambda: (D[2], 30))))

    def _write(self, overlay, upload):
        self.written.append(overlay)

    def put_base(self):
        config = {'config': {'Cmd': ['sh'], 'Labels': {'a': 'b'}},
                  'rootfs': {'type': 'layers', 'diff_ids': D[:1]},
                  'history': [{'created_by': 'x'}]}
        layers = [{'mediaType': store.LAYER, 'digest': D[0], 'size': 10}]
        digest, size = self.store.put_manifest(config, layers)
        self.store.put_image('busybox', digest, size, {})
        self.run_from('busybox')

    def run_from(self, name):
        """A container of an image."""
        document = self.store.read_json(self.store.names[name].target.digest)
        self.box = pb.Container(id='c1', image=name, snapshot_key='c1')
        self.box.extensions[commit._CRI_METADATA].value = json.dumps({
            'Metadata': {'ImageRef': document['config']['digest']}}).encode()

    def commit(self, name):
        made = self.commits.commit('c1', name, {'own': 'label'}, True)
        document = self.store.read_json(made.digest)
        return made, document, self.store.read_json(
            document['config']['digest'])


class TestCommit(CommitTestCase):

    def test_one_layer_more(self):
        self.put_base()
        made, document, config = self.commit('x:1')
        self.assertEqual([D[0], D[2]], [
            layer['digest'] for layer in document['layers']])
        self.assertEqual([D[0], D[2]], config['rootfs']['diff_ids'])
        self.assertEqual((40, 30), (made.size, made.added))
        self.assertEqual(['sh'], config['config']['Cmd'])
        self.assertEqual(2, len(config['history']))

    def test_never_more_than_one(self):
        self.put_base()
        self.commit('x:1')
        self.run_from('x:1')
        __, document, config = self.commit('x:2')
        self.assertEqual(2, len(document['layers']))
        self.assertEqual(2, len(config['history']))
        self.assertEqual((['/u', '/b'], ['/a']), self.written[1])

    def test_labels(self):
        self.put_base()
        made, __, config = self.commit('x:1')
        self.assertEqual({**store.MANAGED, **store.PINNED, 'own': 'label',
                          store.ADDED_BYTES: '30'}, made.labels)
        self.assertEqual({'a': 'b', commit.BASE_LAYERS: '1'},
                         config['config']['Labels'])

    def test_tag_has_moved(self):
        self.put_base()
        self.store.names['old'] = self.store.names.pop('busybox')
        self.assertEqual(2, len(self.commit('x:1')[1]['layers']))

    def test_image_is_gone(self):
        self.put_base()
        self.store.names.clear()
        self.assertRaises(runtime_base.ObjectMissing, self.commit, 'x:1')


class TestExport(CommitTestCase):

    def export(self, name, tag=None):
        out = io.BytesIO()
        size = self.commits.export(name, out, tag)
        self.assertEqual(len(out.getvalue()), size)
        out.seek(0)
        with tarfile.open(fileobj=out) as archive:
            return {member.name: archive.extractfile(member).read()
                    for member in archive}

    def test_both_kinds_of_archive_in_one(self):
        self.put_base()
        self.store.blobs[D[0]] = b'0123456789'
        files = self.export('busybox', 'app:v2')
        self.assertEqual(b'0123456789',
                         files['blobs/sha256/' + D[0].partition(':')[2]])
        index = json.loads(files['index.json'])
        self.assertEqual(
            self.store.names['busybox'].target.digest,
            index['manifests'][0]['digest'])
        docker, = json.loads(files['manifest.json'])
        self.assertEqual(['app:v2'], docker['RepoTags'])
        self.assertIn(docker['Config'], files)
        self.assertIn('oci-layout', files)

    def test_no_such_image(self):
        self.assertRaises(runtime_base.ObjectMissing, self.export, 'none')


class TestChainId(base.TestCase):

    def test_by_the_rule_of_oci(self):
        self.assertEqual(D[0], store.chain_id(D[:1]))
        self.assertEqual(
            store.digest_of(('%s %s' % (D[0], D[1])).encode()),
            store.chain_id(D[:2]))


class TestHistory(base.TestCase):

    def test_of_all_layers(self):
        empty = {'empty_layer': True}
        self.assertEqual(3, len(commit._history([{}, empty], 1)))
        self.assertEqual(2, len(commit._history([{}, {}], 1)))

    def test_that_is_not_whole(self):
        self.assertEqual([], commit._history([{}], 2))
        self.assertEqual([], commit._history(None, 1))
