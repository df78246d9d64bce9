# SPDX-License-Identifier: Apache-2.0
from unittest import mock

from google.protobuf import any_pb2

from zun.container.runtime import access
from zun.container.runtime import base as runtime_base
from zun.container.runtime import containerd_pb2 as pb
from zun.tests import base

OVERLAY = pb.Mount(type='overlay', source='overlay', options=[
    'index=off', 'workdir=/w', 'upperdir=/u', 'lowerdir=/a:/b'])


class TestMount(base.BaseTestCase):

    def test_overlay_to_be_written(self):
        self.assertEqual(
            ['mount', '-t', 'overlay', '-o', 'index=off,workdir=/w,'
             'upperdir=/u,lowerdir=/a:/b,nosuid,nodev,noexec', '--',
             'overlay', '/t'], access.mount_command(OVERLAY, '/t', True))

    def test_overlay_to_be_read(self):
        self.assertIn('index=off,lowerdir=/u:/a:/b,ro,nosuid,nodev,noexec',
                      access.mount_command(OVERLAY, '/t', False))

    def test_bind(self):
        mount = pb.Mount(type='bind', source='/s', options=['rbind', 'rw'])
        self.assertEqual(
            ['mount', '--bind', '-o', 'ro,nosuid,nodev,noexec', '--', '/s',
             '/t'], access.mount_command(mount, '/t', False))


class TestFigures(base.BaseTestCase):

    def figures(self, name, message, runtime='io.containerd.runc.v2'):
        answers = {
            'Tasks.Get': pb.GetTaskResponse(process=pb.Process(
                pid=7, status=pb.RUNNING)),
            'Tasks.Metrics': pb.MetricsResponse(metrics=[pb.Metric(
                data=any_pb2.Any(type_url=name,
                                 value=message.SerializeToString()))]),
            'Containers.Get': pb.GetContainerResponse(
                container=pb.Container(runtime=pb.Handler(name=runtime)))}
        connection = mock.Mock()
        connection.call = lambda method, request: answers[method]
        return access.Access(connection).figures('id')

    def test_version_1(self):
        found = self.figures('io.containerd.cgroups.v1.Metrics', pb.CgroupV1(
            cpu=pb.CpuV1(usage=pb.CpuUsageV1(total=5)),
            memory=pb.MemoryV1(total_inactive_file=3, usage=pb.MemoryEntryV1(
                usage=10, limit=64)),
            blkio=pb.BlockV1(io_service_bytes_recursive=[
                pb.BlockEntryV1(op='Read', value=9)])))
        self.assertEqual(
            {'cpu_stats': {'cpu_usage': {'total_usage': 5}},
             'memory_stats': {'usage': 10, 'limit': 64,
                              'stats': {'total_inactive_file': 3}},
             'blkio_stats': {'io_service_bytes_recursive': [
                 {'op': 'Read', 'value': 9}]}, 'pid': 7}, found)

    def test_version_2(self):
        found = self.figures('io.containerd.cgroups.v2.Metrics', pb.CgroupV2(
            cpu=pb.CpuV2(usage_usec=5),
            memory=pb.MemoryV2(usage=10, usage_limit=(1 << 64) - 1,
                               inactive_file=3),
            io=pb.BlockV2(usage=[pb.BlockEntryV2(rbytes=1, wbytes=2)])))
        self.assertEqual(5000,
                         found['cpu_stats']['cpu_usage']['total_usage'])
        self.assertEqual({'usage': 10, 'limit': 0,
                          'stats': {'inactive_file': 3}},
                         found['memory_stats'])
        self.assertEqual([('read', 1), ('write', 2)], [
            (entry['op'], entry['value']) for entry in
            found['blkio_stats']['io_service_bytes_recursive']])

    def test_virtual_machine_has_no_process_here(self):
        self.assertEqual(0, self.figures(
            'io.containerd.cgroups.v1.Metrics', pb.CgroupV1(),
            'io.containerd.kata.v2')['pid'])

    def test_kind_that_is_not_known(self):
        self.assertRaises(runtime_base.NotSupported, self.figures,
                          'x.Metrics', pb.CgroupV1())
