# SPDX-License-Identifier: Apache-2.0
import io
import tarfile

from zun.common import exception
from zun.common.k8s import stream
from zun.container.k8s import archive
from zun.tests import base


def packed(name, kind=tarfile.REGTYPE, data=b'', **fields):
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, len(data)
    member.mtime = 1767323045
    for key, value in fields.items():
        setattr(member, key, value)
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode='w') as made:
        made.addfile(member, io.BytesIO(data))
    return file.getvalue()


def output(code, error=None, stderr=b''):
    return stream.Output(stderr, b'', stderr, stream.Outcome(code, error))


class TestCommands(base.BaseTestCase):

    def test_pack(self):
        for path, parent, name in (
                ('/etc/hosts', '/etc', 'hosts'), ('/etc/', '/', 'etc'),
                ('/', '/', '.'), ('etc', '/', 'etc'),
                ('/a/../b', '/', 'b'), ('/-C', '/', '-C')):
            self.assertEqual(['tar', '-cf', '-', '-C', parent, '--', name],
                             archive.pack_command(path))

    def test_unpack(self):
        self.assertEqual(['tar', '-xf', '-', '-C', '/srv'],
                         archive.unpack_command('srv'))


class TestDescribe(base.BaseTestCase):

    def test_file(self):
        self.assertEqual(
            {'name': 'hosts', 'size': 3, 'mode': 0o644, 'linkTarget': '',
             'mtime': '2026-01-02T03:04:05Z'},
            archive.describe('/etc/hosts', packed('hosts', data=b'abc')))

    def test_directory(self):
        made = archive.describe('/', packed('.', tarfile.DIRTYPE,
                                            mode=0o755))
        self.assertEqual('/', made['name'])
        self.assertEqual((1 << 31) | 0o755, made['mode'])

    def test_link(self):
        made = archive.describe('/l', packed('l', tarfile.SYMTYPE,
                                             linkname='/etc', mode=0o777))
        self.assertEqual('/etc', made['linkTarget'])
        self.assertEqual((1 << 27) | 0o777, made['mode'])

    def test_no_archive(self):
        self.assertRaises(exception.Invalid, archive.describe, '/x',
                          b'no tar' * 200)

    def test_empty(self):
        self.assertRaises(exception.Invalid, archive.describe, '/x',
                          b'\0' * 1024)


class TestCheck(base.BaseTestCase):

    def test_success(self):
        self.assertIsNone(archive.check('/x', output(0)))

    def test_no_such_path(self):
        error = self.assertRaises(
            exception.Invalid, archive.check, '/x',
            output(1, stderr=b'tar: x: No such file\n'))
        self.assertIn('/x failed: tar: x: No such file', str(error))

    def test_no_tar_in_the_image(self):
        error = self.assertRaises(
            exception.Conflict, archive.check, '/x',
            output(127, 'exec: "tar": executable file not found'))
        self.assertIn('no tar', str(error))
