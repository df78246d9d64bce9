# SPDX-License-Identifier: Apache-2.0
import io
import os
import pathlib
import tarfile
import unittest

import fixtures

from zun.common import exception
from zun.container.runtime import files
from zun.tests import base

LIMIT = 1 << 20


def packed(*members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), 0o640
            info.uid, info.gid = 1234, 4321
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


@unittest.skipIf(os.geteuid(), 'only root can be shut in')
class TestFiles(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        outer = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self.outside = outer / 'outside'
        self.outside.mkdir()
        (self.outside / 'secret').write_text('secret')
        self.root = outer / 'root'
        (self.root / 'data').mkdir(parents=True)
        (self.root / 'data' / 'file').write_bytes(b'text')
        (self.root / 'up').symlink_to('../../../../../outside')
        (self.root / 'absolute').symlink_to(self.outside)

    def get(self, path, limit=LIMIT):
        data, found = files.get(self.root, path, limit)
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            return archive.getnames(), found

    def refused(self, work, *args):
        return str(self.assertRaises(exception.Invalid, work, *args))

    def test_file(self):
        names, found = self.get('/data/file')
        self.assertEqual(['file'], names)
        self.assertEqual(('file', 4, ''), (
            found['name'], found['size'], found['linkTarget']))

    def test_directory(self):
        for path in ('/data', 'data/', '/none/../data'):
            names, found = self.get(path)
            self.assertEqual(['data', 'data/file'], names)
            self.assertTrue(found['mode'] & (1 << 31))

    def test_link_is_not_followed(self):
        names, found = self.get('/up')
        self.assertEqual((['up'], '../../../../../outside'),
                         (names, found['linkTarget']))

    def test_no_way_out(self):
        for path in ('/up/secret', '/absolute/secret',
                     '/../outside/secret', '../outside/secret'):
            self.assertIn('Could not find the file', self.refused(
                files.get, self.root, path, LIMIT), path)

    def test_too_large(self):
        (self.root / 'big').write_bytes(bytes(100000))
        self.assertIn('larger', self.refused(files.get, self.root, '/big',
                                             50000))

    def test_put(self):
        files.put(self.root, '/data', packed(('new', b'put'),
                                             ('sub/x', b'y')))
        made = self.root / 'data' / 'new'
        self.assertEqual(b'put', made.read_bytes())
        self.assertEqual((1234, 4321, 0o640), (
            made.stat().st_uid, made.stat().st_gid,
            made.stat().st_mode & 0o777))

    def test_put_has_no_way_out(self):
        data = packed(('../../../outside/a', b'1'), ('/outside/b', b'2'))
        files.put(self.root, '/data', data)
        self.assertEqual(['secret'], os.listdir(self.outside))
        self.refused(files.put, self.root, '/absolute', packed(('c', b'3')))
        self.assertEqual(['secret'], os.listdir(self.outside))

    def test_put_where_no_directory_is(self):
        for path in ('/data/file', '/none'):
            self.refused(files.put, self.root, path, packed(('a', b'b')))

    def test_put_of_no_archive(self):
        self.refused(files.put, self.root, '/data', b'no archive' * 100)
