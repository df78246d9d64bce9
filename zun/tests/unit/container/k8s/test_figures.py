# SPDX-License-Identifier: Apache-2.0
from zun.container.k8s import figures
from zun.tests import base

COMMON = """\
/proc/stat:cpu  10 0 20 300 0 0 0 0 0 0
/proc/stat:cpu0 10 0 20 300 0 0 0 0 0 0
/proc/net/dev:Inter-|   Receive                        |  Transmit
/proc/net/dev: face |bytes    packets errs drop|bytes    packets
/proc/net/dev:    lo:      77       1 0 0 0 0 0 0       77       1 0 0 0
/proc/net/dev:  eth0:    1000       9 0 0 0 0 0 0     2000       8 0 0 0
/proc/net/dev:  eth1:       1       1 0 0 0 0 0 0        2       1 0 0 0
/proc/meminfo:MemTotal:        2048 kB
"""
GROUP_2 = """\
/sys/fs/cgroup/cpu.stat:usage_usec 330
/sys/fs/cgroup/cpu.stat:user_usec 200
/sys/fs/cgroup/memory.current:1048576
/sys/fs/cgroup/memory.max:max
/sys/fs/cgroup/memory.stat:anon 4096
/sys/fs/cgroup/memory.stat:inactive_file 524288
/sys/fs/cgroup/io.stat:8:0 rbytes=100 wbytes=200 rios=1 wios=2
/sys/fs/cgroup/io.stat:8:16 rbytes=1 wbytes=2 rios=1 wios=2
"""
GROUP_1 = """\
/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage:330000
/sys/fs/cgroup/memory/memory.usage_in_bytes:1048576
/sys/fs/cgroup/memory/memory.limit_in_bytes:1572864
/sys/fs/cgroup/memory/memory.stat:total_inactive_file 524288
/sys/fs/cgroup/blkio/blkio.throttle.io_service_bytes:8:0 Read 100
/sys/fs/cgroup/blkio/blkio.throttle.io_service_bytes:8:0 Write 200
/sys/fs/cgroup/blkio/blkio.throttle.io_service_bytes:8:0 Total 300
"""


def summary(text):
    return figures.summary('box', figures.parse(text.encode()))


class TestFigures(base.BaseTestCase):

    def test_control_groups_2(self):
        made = summary(COMMON + GROUP_2)
        self.assertEqual('box', made['CONTAINER'])
        self.assertEqual('101/202', made['BLOCK I/O(B)'])
        self.assertEqual('1001/2002', made['NET I/O(B)'])
        self.assertAlmostEqual(330000 / (330 * 10 ** 7) * 100,
                               made['CPU %'])

    def test_control_groups_1(self):
        made = summary(COMMON + GROUP_1)
        self.assertEqual('100/200', made['BLOCK I/O(B)'])
        self.assertEqual(1.5, made['MEM LIMIT(MiB)'])
        self.assertAlmostEqual(330000 / (330 * 10 ** 7) * 100,
                               made['CPU %'])

    def test_limit_without_one_is_all_there_is(self):
        self.assertEqual(2.0, summary(COMMON + GROUP_2)['MEM LIMIT(MiB)'])

    def test_share_of_memory(self):
        made = summary(COMMON + GROUP_2)
        self.assertAlmostEqual(
            made['MEM USAGE(MiB)'] / made['MEM LIMIT(MiB)'] * 100,
            made['MEM %'])

    def test_no_figures(self):
        made = summary('')
        self.assertEqual((0.0, 0.0, '0/0', '0/0'), (
            made['CPU %'], made['MEM %'], made['BLOCK I/O(B)'],
            made['NET I/O(B)']))


class TestProcessTable(base.BaseTestCase):

    def test_rows(self):
        self.assertEqual(
            {'Titles': ['PID', 'USER', 'COMMAND'],
             'Processes': [['1', 'root', 'sh -c sleep 5'],
                           ['7', 'root', 'sleep 5']]},
            figures.process_table(
                b'PID   USER     COMMAND\n    1 root     sh -c sleep 5\n'
                b'    7 root     sleep 5\n\n'))

    def test_nothing(self):
        self.assertEqual({'Titles': [], 'Processes': []},
                         figures.process_table(b''))
