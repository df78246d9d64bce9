# SPDX-License-Identifier: Apache-2.0
"""What a node tells of its containers, asked over its HTTPS endpoint."""

import io
import tarfile
from unittest import mock

from zun.common import exception
from zun.container.k8s import inspection
from zun.tests.lab import cloud
from zun.tests.lab import node_case

BOTH = ['sh', '-c', 'trap "exit 0" TERM; echo out; echo err >&2; '
        'while true; do sleep 0.1; done']


def packed(name, data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as archive:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


class TestStreams(node_case.NodeTestCase):

    def setUp(self):
        super().setUp()
        # Nothing here may come from inside of a container.
        patch = mock.patch.object(
            inspection.Inspection, '_run', autospec=True,
            side_effect=AssertionError('the agent was not asked'))
        self.shut = patch.start
        self.addCleanup(mock.patch.stopall)

    def log(self, container, stdout, stderr, tail='all'):
        return self.cloud.ask('container_logs', container, stdout, stderr,
                              False, tail, None).decode()

    def get(self, container, path):
        data, stat = self.cloud.ask('container_get_archive', container, path,
                                    False)
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            return {member.name: member.isfile() and archive.extractfile(
                member).read() for member in archive}, stat

    def put(self, container, path, name, data):
        self.cloud.ask('container_put_archive', container, path,
                       packed(name, data), False)

    def test_logs_of_one_stream_and_of_all_runs(self):
        container = self.create(command=BOTH)
        self.assertTrue(cloud.wait(
            lambda: self.log(container, True, True).count('\n') == 2))
        self.assertEqual('out\n', self.log(container, True, False))
        self.assertEqual('err\n', self.log(container, False, True))
        self.act('stop', container, '5', status='Stopped')
        self.assertEqual('out\n', self.log(container, True, False))
        self.act('start', container, status='Running')
        self.assertTrue(cloud.wait(
            lambda: self.log(container, False, True) == 'err\nerr\n'))
        self.assertEqual('err\n', self.log(container, False, True, '1'))
        self.delete(container)

    def test_processes_and_figures(self):
        container = self.create()
        self.shut()
        table = self.cloud.ask('container_top', container, None)
        self.assertIn('PID', table['Titles'])
        self.assertIn('trap', ' '.join(
            row[-1] for row in table['Processes']))
        self.assertRaises(exception.Invalid, self.cloud.ask,
                          'container_top', container, '-o comm')
        figures = self.cloud.ask('container_stats', container)
        self.assertEqual(64.0, figures['MEM LIMIT(MiB)'])
        self.assertGreater(figures['CPU %'], 0)
        self.assertLess(figures['CPU %'], 100)
        self.delete(container)

    def test_archives_of_a_stopped_container(self):
        container = self.create()
        self.output(container, 'mkdir /mine; echo some > /mine/file; '
                    'ln -s ../../../../etc /mine/up')
        self.act('stop', container, '2', status='Stopped')
        self.shut()
        files, stat = self.get(container, '/mine')
        self.assertEqual(b'some\n', files['mine/file'])
        self.assertEqual('mine', stat['name'])
        self.put(container, '/mine', 'new', b'put')
        # A link leads no further than the container's own files.
        self.put(container, '/mine/up', '../../../inner', b'in')
        self.assertEqual(b'in', self.get(container, '/inner')[0]['inner'])
        for path in ('/none', '/mine/file/x'):
            self.assertRaises(exception.Invalid, self.get, container, path)
        self.assertRaises(exception.Invalid, self.put, container,
                          '/mine/file', 'x', b'')
        mock.patch.stopall()
        self.act('start', container, status='Running')
        self.assertEqual('put', self.output(container, 'cat /mine/new'))
        self.delete(container)

    def test_archives_of_a_container_without_tar(self):
        container = self.create()
        self.output(container, 'rm /bin/tar')
        self.shut()
        self.put(container, '/tmp', 'new', b'\0binary\xff')
        files, stat = self.get(container, '/tmp/new')
        self.assertEqual({'new': b'\0binary\xff'}, files)
        self.assertEqual(8, stat['size'])
        self.delete(container)

    def test_agent_that_is_away(self):
        container = self.create()
        cloud.CONF.set_override('stream_port', 1, 'agent')
        self.wait_for_log(container, 'hello')
        self.assertIn('PID', self.cloud.ask(
            'container_top', container, None)['Titles'])
        self.delete(container)
