# SPDX-License-Identifier: Apache-2.0
import io
import os
import pathlib
import stat
import tarfile

from zun.container.runtime import layer
from zun.tests import base


class LayerTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.folders = {}

    def folder(self, name):
        path = pathlib.Path(self.path(name))
        path.mkdir(parents=True, exist_ok=True)
        return path

    def put(self, where, name, text='x'):
        path = self.folder(where) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def whiteout(self, where, name):
        path = self.folder(where) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.mknod(path, stat.S_IFCHR, os.makedev(0, 0))
        except PermissionError:
            self.skipTest('the user may not make device nodes')

    def opaque(self, where, name):
        path = self.folder(where) / name
        path.mkdir(parents=True, exist_ok=True)
        try:
            os.setxattr(path, 'user.overlay.opaque', b'y')
        except OSError:
            self.skipTest('the file system has no extended attributes')

    def write(self, tops=('upper',), bases=('base',)):
        file = io.BytesIO()
        layer.write(layer.Overlay(
            [str(self.folder(name)) for name in tops],
            [str(self.folder(name)) for name in bases]), file)
        file.seek(0)
        with tarfile.open(fileobj=file) as archive:
            self.contents = {
                member.name: archive.extractfile(member).read()
                for member in archive if member.isreg()}
            return {member.name: member for member in archive}


class TestWrite(LayerTestCase):

    def test_nothing_changed(self):
        self.put('base', 'etc/passwd')
        self.assertEqual({}, self.write())

    def test_new_file_with_all_that_belongs_to_it(self):
        path = self.put('upper', 'etc/new', 'text')
        os.chmod(path, 0o4750)
        os.utime(path, ns=(0, 1234567890123456789))
        made = self.write()
        self.assertEqual(['etc', 'etc/new'], sorted(made))
        self.assertEqual((0o4750, os.getuid(), '1234567890.123456789'), (
            made['etc/new'].mode, made['etc/new'].uid,
            made['etc/new'].pax_headers['mtime']))
        self.assertEqual(b'text', self.contents['etc/new'])

    def test_attributes(self):
        path = self.put('upper', 'file')
        value = bytes(range(256))
        try:
            os.setxattr(path, 'user.note', value)
        except OSError:
            self.skipTest('the file system has no extended attributes')
        headers = self.write()['file'].pax_headers
        self.assertEqual(value, headers['SCHILY.xattr.user.note'].encode(
            'utf-8', 'surrogateescape'))

    def test_links(self):
        first = self.put('upper', 'a', 'text')
        os.link(first, self.folder('upper') / 'b')
        os.symlink('/nowhere', self.folder('upper') / 'c')
        made = self.write()
        self.assertTrue(made['a'].isreg())
        self.assertTrue(made['b'].islnk())
        self.assertEqual(('a', '/nowhere'), (made['b'].linkname,
                                             made['c'].linkname))

    def test_pipe(self):
        os.mkfifo(self.folder('upper') / 'pipe')
        self.assertTrue(self.write()['pipe'].isfifo())

    def test_same_tree_gives_the_same_bytes(self):
        for name in ('b', 'a', 'c/d'):
            os.utime(self.put('upper', name), (1, 1))
        os.utime(self.folder('upper') / 'c', (1, 1))
        overlay = layer.Overlay([str(self.folder('upper'))], [])
        made = []
        for __ in range(2):
            file = io.BytesIO()
            layer.write(overlay, file)
            made.append(file.getvalue())
        self.assertEqual(*made)


class TestRemoved(LayerTestCase):

    def test_file_of_the_image(self):
        self.put('base', 'etc/passwd')
        self.whiteout('upper', 'etc/passwd')
        self.assertEqual(['etc', 'etc/.wh.passwd'], sorted(self.write()))

    def test_file_of_an_earlier_run_alone(self):
        self.put('former', 'data')
        self.whiteout('upper', 'data')
        self.assertEqual({}, self.write(('upper', 'former')))

    def test_file_that_the_image_had_removed_itself(self):
        self.put('lowest', 'data')
        self.whiteout('base', 'data')
        self.whiteout('upper', 'data')
        self.assertEqual({}, self.write(bases=('base', 'lowest')))

    def test_removed_in_an_earlier_run(self):
        self.put('base', 'data')
        self.whiteout('former', 'data')
        self.assertEqual(['.wh.data'], list(self.write(('upper', 'former'))))

    def test_removed_and_made_again(self):
        self.put('base', 'data')
        self.whiteout('former', 'data')
        self.put('upper', 'data', 'new')
        self.assertEqual(['data'], list(self.write(('upper', 'former'))))
        self.assertEqual(b'new', self.contents['data'])

    def test_directory_that_was_replaced(self):
        self.put('base', 'www/old')
        self.opaque('upper', 'www')
        self.put('upper', 'www/new')
        self.assertEqual(['www', 'www/.wh..wh..opq', 'www/new'],
                         sorted(self.write()))

    def test_replaced_in_an_earlier_run(self):
        self.put('base', 'www/old')
        self.opaque('former', 'www')
        self.put('former', 'www/first')
        self.put('upper', 'www/second')
        self.assertEqual(
            ['www', 'www/.wh..wh..opq', 'www/first', 'www/second'],
            sorted(self.write(('upper', 'former'))))

    def test_directory_in_place_of_a_file(self):
        self.put('former', 'data', 'a file')
        self.put('upper', 'data/inside')
        self.assertEqual(['data', 'data/inside'],
                         sorted(self.write(('upper', 'former'))))

    def test_file_in_place_of_a_directory(self):
        self.put('former', 'data/inside')
        self.put('upper', 'data', 'a file')
        self.assertEqual(['data'], sorted(self.write(('upper', 'former'))))


class TestMerged(LayerTestCase):

    def test_upper_one_wins(self):
        self.put('former', 'data', 'first')
        self.put('former', 'more', 'first')
        self.put('upper', 'data', 'second')
        self.write(('upper', 'former'))
        self.assertEqual({'data': b'second', 'more': b'first'},
                         self.contents)


class TestOverlayOf(base.TestCase):

    OPTIONS = ['index=off', 'workdir=/w', 'upperdir=/u', 'lowerdir=/a:/b:/c']

    def test_first_run(self):
        self.assertEqual((['/u'], ['/a', '/b', '/c']),
                         layer.overlay_of(self.OPTIONS, 3))

    def test_later_run(self):
        self.assertEqual((['/u', '/a'], ['/b', '/c']),
                         layer.overlay_of(self.OPTIONS, 2))

    def test_another_kind_of_mount(self):
        self.assertIsNone(layer.overlay_of(['ro'], 1))
        self.assertIsNone(layer.overlay_of(self.OPTIONS, 4))


class TestSeconds(base.TestCase):

    def test_to_the_nanosecond(self):
        for nanoseconds, text in ((0, '0.000000000'),
                                  (1500000000, '1.500000000'),
                                  (-1, '-0.000000001')):
            self.assertEqual(text, layer.seconds(nanoseconds))
