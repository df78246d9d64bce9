# SPDX-License-Identifier: Apache-2.0
import contextlib
import pathlib
import subprocess
from unittest import mock

import fixtures

from zun.common import exception
from zun.common.k8s import errors as k8s_errors
from zun.container import errors
from zun.container.k8s import layers
from zun.container.k8s import nodeside
from zun.container.k8s import streams
from zun.container.runtime import base as runtime_base
from zun.container.runtime import files
from zun.tests.unit.container.k8s import base
from zun.tests.unit.container.k8s import fakes

BOX = runtime_base.RuntimeContainer('box-1', runtime_base.State.RUNNING)
TABLE = b'''UID    PID  CMD
root     7  sh -c x
root    77  other
root   8 sleep 1
'''


class NodeTestCase(base.DriverTestCase):

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(
            self.useFixture(fixtures.TempDir()).path)
        self.runtime = mock.Mock(spec=runtime_base.Runtime)
        self.runtime.find.return_value = BOX
        self.runtime.list_images.return_value = []
        self.runtime.logs = None
        self.runtime.root.return_value = contextlib.nullcontext(self.folder)
        self.driver.runtime = self.runtime

    def file(self, name, text):
        path = self.folder / name
        path.write_bytes(text)
        return path


class TestLogs(NodeTestCase):

    def logs(self, **kwargs):
        return self.driver.show_logs(None, fakes.container(), **{
            'stdout': True, 'stderr': True, 'timestamps': False,
            'tail': None, 'since': None, **kwargs})

    def setUp(self):
        super().setUp()
        self.runtime.logs = mock.Mock()
        self.runtime.logs.runs.return_value = [
            (0, self.file('0.log', b't stdout F first\nt stderr F bad\n'))]
        self.runtime.log_path.return_value = self.file(
            'live.log', b't stdout F second\n')
        self.put(fakes.running())

    def test_all_runs_and_the_last_one(self):
        self.assertEqual(b'first\nbad\nsecond\n', self.logs())
        self.assertEqual(b'second\n', self.logs(tail=1))

    def test_one_stream(self):
        self.assertEqual(b'first\nsecond\n', self.logs(stderr=False))
        self.assertEqual(b'bad\n', self.logs(stdout=False))

    def test_terminal_has_one_stream_alone(self):
        container = fakes.container(tty=True)
        self.assertIn(b'second', self.driver.show_logs(
            None, container, stdout=False, stderr=True, timestamps=False,
            tail=None, since=None))

    def test_run_that_is_saved_is_not_read_twice(self):
        self.runtime.logs.runs.return_value = [
            (1, self.file('1.log', b't stdout F saved\n'))]
        self.assertEqual(b'saved\n', self.logs())


class TestArchives(NodeTestCase):

    def put_archive(self):
        with mock.patch.object(files, 'put', autospec=True) as put:
            self.driver.put_archive(None, fakes.container(), '/d', b'data')
        put.assert_called_once_with(self.folder, '/d', b'data')

    def test_get(self):
        self.put(fakes.running())
        with mock.patch.object(files, 'get', autospec=True,
                               return_value=(b'data', {'name': 'd'})):
            self.assertEqual((b'data', {'name': 'd'}),
                             self.driver.get_archive(
                                 None, fakes.container(), '/d'))
        self.runtime.root.assert_called_once_with('box-1')

    def test_put_into_one_that_runs(self):
        self.put(fakes.running())
        self.put_archive()
        self.runtime.commit.assert_not_called()

    def test_what_is_put_into_one_that_ended_is_kept(self):
        self.put(fakes.ended())
        self.runtime.commit.return_value = runtime_base.RuntimeImage(
            'zun.local/kept/x:1', 'sha256:1')
        self.put_archive()
        self.assertEqual({'main': 'zun.local/kept/x:1'},
                         layers.kept_of(self.pod()).images)

    def test_one_that_has_never_run(self):
        self.put(fakes.gated())
        self.runtime.find.return_value = None
        self.assertRaises(errors.NotRunning, self.driver.get_archive, None,
                          fakes.container(), '/d')


class TestTop(NodeTestCase):

    def setUp(self):
        super().setUp()
        self.put(fakes.running())
        self.runtime.pids.return_value = [7, 8]

    def top(self, output=TABLE, code=0, arguments=None):
        done = subprocess.CompletedProcess([], code, output, b'bad option')
        with mock.patch.object(nodeside.subprocess, 'run', autospec=True,
                               return_value=done) as run:
            table = self.driver.top(None, fakes.container(), arguments)
        self.command = run.call_args.args[0]
        return table

    def test_its_own_processes(self):
        self.assertEqual(
            {'Titles': ['UID', 'PID', 'CMD'],
             'Processes': [['root', '7', 'sh -c x'],
                           ['root', '8', 'sleep 1']]}, self.top())
        self.assertEqual(['/bin/ps', '-ef'], self.command)

    def test_arguments(self):
        self.top(arguments="-eo 'pid,args'")
        self.assertEqual(['/bin/ps', '-eo', 'pid,args'], self.command)

    def test_arguments_without_the_pid(self):
        error = self.assertRaises(exception.Invalid, self.top,
                                  b'COMMAND\nsh\n')
        self.assertIn('PID', str(error))

    def test_other_column_by_that_name(self):
        for arguments in ('-eo uid=PID,args', '-eo "args=X PID"',
                          '--format=uid=PID'):
            error = self.assertRaises(exception.Invalid, self.top,
                                      arguments=arguments)
            self.assertIn('must not call', str(error))

    def test_agent_without_ps(self):
        with mock.patch.object(nodeside.subprocess, 'run', autospec=True,
                               side_effect=FileNotFoundError):
            self.assertRaises(runtime_base.NotSupported, self.driver.on_node,
                              'top', fakes.container(), {'arguments': []})

    def test_bad_arguments(self):
        error = self.assertRaises(exception.Invalid, self.top, b'', 1)
        self.assertIn('bad option', str(error))


class TestStats(NodeTestCase):

    def test_figures(self):
        self.put(fakes.running())
        self.runtime.figures.return_value = {
            'cpu_stats': {'cpu_usage': {'total_usage': 5}},
            'memory_stats': {'usage': 3 << 20, 'limit': 6 << 20,
                             'stats': {'inactive_file': 1 << 20}},
            'blkio_stats': {'io_service_bytes_recursive': []}, 'pid': 0}
        found = self.driver.stats(None, fakes.container())
        self.assertEqual((2.0, 6.0, '0/0'), (
            found['MEM USAGE(MiB)'], found['MEM LIMIT(MiB)'],
            found['NET I/O(B)']))


class TestErrors(NodeTestCase):

    def setUp(self):
        super().setUp()
        self.put(fakes.running())

    def stats(self, error):
        self.runtime.figures.side_effect = error
        return self.driver.on_node('stats', fakes.container(), {})

    def test_in_the_words_of_who_asks(self):
        for error, expected in (
                (runtime_base.ContainerGone('box-1'), errors.NotRunning),
                (runtime_base.NotSupported('vm'),
                 runtime_base.NotSupported),
                (runtime_base.RuntimeUnavailable('x'),
                 k8s_errors.Unavailable),
                (runtime_base.RuntimeError('x'), exception.Conflict)):
            self.assertRaises(expected, self.stats, error)


class TestAskingTheAgent(base.DriverTestCase):

    def setUp(self):
        super().setUp()
        self.put(fakes.running())
        patch = mock.patch.object(streams, 'is_configured', autospec=True,
                                  return_value=True)
        patch.start()
        self.addCleanup(patch.stop)

    def logs(self, ask):
        with mock.patch.object(streams, 'ask', ask):
            return self.driver.show_logs(
                None, fakes.container(), stdout=True, stderr=False,
                timestamps=False, tail=3, since=None)

    def test_asked(self):
        ask = mock.Mock(return_value=({}, b'said'))
        self.assertEqual(b'said', self.logs(ask))
        self.assertEqual('logs', ask.call_args.args[1])
        self.assertEqual(
            {'stdout': True, 'stderr': False, 'timestamps': False,
             'tail': 3, 'since': None}, ask.call_args.args[3])

    def test_away(self):
        ask = mock.Mock(side_effect=streams.AgentAway('x'))
        with mock.patch('zun.common.k8s.stream.log', autospec=True,
                        return_value=b'of Kubernetes'):
            self.assertEqual(b'of Kubernetes', self.logs(ask))


class TestExport(NodeTestCase):

    def setUp(self):
        super().setUp()
        self.runtime.paused.side_effect = (
            lambda container_id: contextlib.nullcontext())

    def export(self, **fields):
        self.driver.export(None, fakes.container(**fields), 'file', 'r:v1')

    def test_frozen_meanwhile(self):
        self.put(fakes.running())
        self.export()
        self.runtime.paused.assert_called_once_with('box-1')
        made = self.runtime.commit.call_args.args[1]
        self.assertEqual((made, 'file', 'r:v1'),
                         self.runtime.export_archive.call_args.args)
        self.runtime.remove_image.assert_called_once_with(made)

    def test_failure_leaves_nothing(self):
        self.put(fakes.running())
        self.runtime.export_archive.side_effect = OSError('full')
        self.assertRaises(OSError, self.export)
        self.runtime.remove_image.assert_called_once()

    def test_one_that_an_agent_left_frozen_runs_again(self):
        self.put(fakes.running())
        self.export(status='Running')
        self.runtime.resume.assert_called_once_with('box-1')

    def test_paused_one_stays_so(self):
        self.put(fakes.running())
        self.export(status='Paused')
        self.runtime.resume.assert_not_called()

    def test_ended_one_that_the_node_has_removed(self):
        found = fakes.ended()
        found['metadata'].setdefault('annotations', {})[
            layers.names.KEPT] = layers.Kept({'main': 'kept:1'}).dump()
        self.put(found)
        self.runtime.find.return_value = None
        self.export()
        self.assertEqual(('kept:1', 'file', 'r:v1'),
                         self.runtime.export_archive.call_args.args)

    def test_without_a_runtime(self):
        self.put(fakes.running())
        self.driver.runtime = None
        self.assertRaises(errors.AgentNeeded, self.export)
