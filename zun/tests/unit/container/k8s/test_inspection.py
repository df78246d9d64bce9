# SPDX-License-Identifier: Apache-2.0
import datetime
from unittest import mock

import fixtures

from zun.common import exception
from zun.common.k8s import errors as k8s_errors
from zun.common.k8s import stream
from zun.container import errors
from zun.container.k8s import names
from zun.tests.unit.container.k8s import base
from zun.tests.unit.container.k8s import fake_cluster
from zun.tests.unit.container.k8s import fakes

BOTH = {'stdout': True, 'stderr': True, 'timestamps': False, 'tail': None,
        'since': None}
MISSING = stream.Outcome(127, 'exec: "x": executable file not found')


def output(stdout=b'', code=0, error=None, timed_out=False, stderr=b''):
    return stream.Output(stdout + stderr, stdout, stderr,
                         stream.Outcome(code, error), timed_out)


class TestLogs(base.DriverTestCase):

    def setUp(self):
        super().setUp()
        self.log = mock.Mock(return_value=b'')
        self.useFixture(fixtures.MockPatchObject(stream, 'log', self.log))

    def logs(self, container=None, **kwargs):
        return self.driver.show_logs(None, container or fakes.container(),
                                     **{**BOTH, **kwargs})

    def two_generations(self):
        self.put(fakes.ended(0))
        second = fakes.running()
        second['metadata']['name'] = names.pod_name(fakes.UUID, 2)
        second['metadata']['labels'][names.GENERATION] = '2'
        self.put(second)
        self.log.side_effect = lambda cluster, namespace, pod, *args, **kw: (
            b'first\n1\n' if pod == fakes.POD else b'second\n2\n')

    def test_all_runs_in_their_order(self):
        self.two_generations()
        self.assertEqual(b'first\n1\nsecond\n2\n', self.logs())

    def test_tail_over_runs(self):
        self.two_generations()
        for tail, data in ((3, b'1\nsecond\n2\n'), (0, b''),
                           (-1, b'first\n1\nsecond\n2\n')):
            self.assertEqual(data, self.logs(tail=tail))

    def test_newest_where_there_is_too_much(self):
        self.two_generations()
        self.config('kubernetes', max_log_size=1024)
        self.log.side_effect = lambda *args, limit, **kw: b'x' * limit
        self.assertEqual(1024, len(self.logs()))
        self.assertEqual(1, self.log.call_count)

    def test_options(self):
        self.put(fakes.running())
        self.logs(timestamps=True, tail=7,
                  since=datetime.datetime(2026, 1, 2, 3, 4, 5))
        kwargs = self.log.call_args.kwargs
        self.assertEqual(
            (True, 7, '2026-01-02T03:04:05.000000Z', None),
            (kwargs['timestamps'], kwargs['tail'], kwargs['since_time'],
             kwargs['which']))

    def test_one_stream(self):
        self.put(fakes.running())
        self.logs(stderr=False)
        self.assertEqual('Stdout', self.log.call_args.kwargs['which'])
        self.logs(stdout=False)
        self.assertEqual('Stderr', self.log.call_args.kwargs['which'])

    def test_terminal_has_one_stream_alone(self):
        self.put(fakes.running())
        self.logs(fakes.container(tty=True), stderr=False)
        self.assertIsNone(self.log.call_args.kwargs['which'])

    def test_cluster_that_cannot_tell_streams_apart(self):
        self.put(fakes.running())
        self.log.side_effect = k8s_errors.Invalid('stream: Forbidden')
        self.assertRaises(errors.AgentNeeded, self.logs, stderr=False)

    def test_no_stream(self):
        self.put(fakes.running())
        self.assertRaises(exception.Invalid, self.logs, stdout=False,
                          stderr=False)

    def test_not_started(self):
        self.put(fakes.gated())
        self.assertEqual(b'', self.logs())

    def test_image_being_pulled(self):
        self.put(fakes.pod())
        self.log.side_effect = k8s_errors.Invalid('is waiting to start')
        self.assertEqual(b'', self.logs())

    def test_missing(self):
        self.assertRaises(errors.ContainerMissing, self.logs)


class InspectionTestCase(base.DriverTestCase):

    def setUp(self):
        super().setUp()
        self.put(fakes.running())

    def answer(self, given):
        self.run = fake_cluster.session(given)
        self.useFixture(fixtures.MockPatchObject(stream, 'run', self.run))


class TestExecute(InspectionTestCase):

    def execute(self, container=None):
        return self.driver.execute_run(
            None, container or fakes.container(), ['ls', '/'], 5)

    def test_exit_code(self):
        self.answer(output(b'out', 3))
        self.assertEqual((b'out', 3), self.execute())
        self.assertEqual(
            (fakes.NAMESPACE, fakes.POD, 'main', ['ls', '/']),
            self.run.call_args.args[1:])

    def test_no_such_command(self):
        self.answer(output(b'', *MISSING))
        done = self.execute()
        self.assertEqual(127, done.exit_code)
        self.assertIn(b'not found', done.output)

    def test_timeout(self):
        self.answer(output(b'', None, timed_out=True))
        error = self.assertRaises(exception.Conflict, self.execute)
        self.assertIn('5 seconds', str(error))

    def test_connection_lost(self):
        self.answer(output(b'', None, 'gone'))
        self.assertRaises(exception.Conflict, self.execute)

    def test_paused(self):
        error = self.assertRaises(
            exception.Conflict, self.execute,
            fakes.container(status='Paused'))
        self.assertIn('paused', str(error))

    def refuse(self, error):
        self.answer([error])

    def test_not_running(self):
        self.put(fakes.ended(0))
        for error in (k8s_errors.Invalid('x', status=400),
                      k8s_errors.NotFound('x', status=404),
                      k8s_errors.Unavailable('x', status=500)):
            self.refuse(error)
            self.assertRaises(errors.NotRunning, self.execute)

    def test_api_server_away(self):
        self.refuse(k8s_errors.Unavailable('connection refused'))
        self.assertRaises(k8s_errors.Unavailable, self.execute)

    def test_node_away(self):
        self.refuse(k8s_errors.Unavailable('kubelet', status=502))
        self.assertRaises(k8s_errors.Unavailable, self.execute)

    def test_no_rights(self):
        self.put(fakes.ended(0))
        self.refuse(k8s_errors.Forbidden('x', status=403))
        self.assertRaises(k8s_errors.Forbidden, self.execute)


class TestTop(InspectionTestCase):

    def top(self, args=None):
        return self.driver.top(None, fakes.container(), args)

    def test_arguments(self):
        self.answer(output(b'PID CMD\n1 sh\n'))
        for given, command in ((None, ['ps', '-ef']), ('', ['ps', '-ef']),
                               ('None', ['ps', '-ef']),
                               ('-o pid', ['ps', '-o', 'pid']),
                               ('; reboot', ['ps', ';', 'reboot'])):
            self.assertEqual([['1', 'sh']], self.top(given)['Processes'])
            self.assertEqual(command, self.run.call_args.args[4])

    def test_bad_quotes(self):
        self.answer(output())
        self.assertRaises(exception.Invalid, self.top, '"')

    def test_bad_arguments(self):
        self.answer(output(code=1, stderr=b'ps: bad option'))
        error = self.assertRaises(exception.Invalid, self.top, '-Z')
        self.assertIn('bad option', str(error))

    def test_image_without_ps(self):
        self.answer(output(b'', *MISSING))
        self.assertRaises(errors.AgentNeeded, self.top)


class TestStats(InspectionTestCase):

    def test_name(self):
        self.answer(output(b'/proc/meminfo:MemTotal: 1024 kB\n', 1))
        made = self.driver.stats(None, fakes.container(name='box'))
        self.assertEqual(('box', 1.0),
                         (made['CONTAINER'], made['MEM LIMIT(MiB)']))

    def test_image_without_grep(self):
        self.answer(output(b'', *MISSING))
        self.assertRaises(errors.AgentNeeded, self.driver.stats, None,
                          fakes.container())


class TestArchives(InspectionTestCase):

    def test_put(self):
        self.answer(output())
        self.driver.put_archive(None, fakes.container(), '/srv', b'\0tar')
        self.assertEqual(b'\0tar', self.run.call_args.kwargs['stdin'])

    def test_put_too_much(self):
        self.config('kubernetes', max_archive_size=1024)
        error = self.assertRaises(
            exception.Invalid, self.driver.put_archive, None,
            fakes.container(), '/srv', b'x' * 1025)
        self.assertIn('1024', str(error))

    def test_get_nothing(self):
        self.answer(output(code=1, stderr=b'tar: nope: No such file'))
        self.assertRaises(exception.Invalid, self.driver.get_archive, None,
                          fakes.container(), '/nope')


class TestTerminal(InspectionTestCase):

    def test_command(self):
        with mock.patch.object(stream, 'open_exec',
                               autospec=True) as opened:
            self.driver.open_terminal(None, fakes.container(), ['sh'], True)
        self.assertEqual({'stdin': True, 'tty': True},
                         opened.call_args.kwargs)

    def test_attach(self):
        with mock.patch.object(stream, 'open_attach',
                               autospec=True) as opened:
            self.driver.open_terminal(
                None, fakes.container(interactive=False), [], False)
        self.assertEqual({'stdin': False, 'tty': False},
                         opened.call_args.kwargs)

    def test_not_running(self):
        self.put(fakes.ended(0))
        with mock.patch.object(
                stream, 'open_exec', autospec=True,
                side_effect=k8s_errors.Invalid('x', status=400)):
            self.assertRaises(
                errors.NotRunning, self.driver.open_terminal, None,
                fakes.container(), ['sh'], True)
