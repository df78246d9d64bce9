# SPDX-License-Identifier: Apache-2.0
import signal
from unittest import mock

from zun.common import exception
from zun.common.k8s import client
from zun.common.k8s import errors as k8s_errors
from zun.common.k8s import stream
from zun.container import errors
from zun.container.k8s import power
from zun.container.runtime import base as runtime_base
from zun.tests import base as tests_base
from zun.tests.unit.container.k8s import base
from zun.tests.unit.container.k8s import fake_cluster
from zun.tests.unit.container.k8s import fakes

RUNNING = runtime_base.RuntimeContainer('c1', runtime_base.State.RUNNING, 7)
PAUSED = runtime_base.RuntimeContainer('c1', runtime_base.State.PAUSED, 7)


class PowerTestCase(base.DriverTestCase):

    def ends(self, code=137):
        """The container ends while it is waited for."""
        def happen():
            found = fakes.ended(code)
            found['metadata']['uid'] = self.pod()['metadata']['uid']
            self.cluster.put(client.PODS, found)
        self.cluster.happening.append(happen)

    def give_runtime(self, found=RUNNING):
        self.runtime = mock.Mock(spec=runtime_base.Runtime)
        self.runtime.find.return_value = found
        self.runtime.list_images.return_value = []
        self.runtime.commit.side_effect = lambda container_id, name, labels: (
            runtime_base.RuntimeImage(name, 'sha256:1'))
        self.runtime.logs = None
        self.driver.runtime = self.runtime


class TestStart(PowerTestCase):

    def test_gate_is_opened(self):
        self.put(fakes.gated())
        self.assertTrue(self.driver.start(None, fakes.container()))
        self.assertEqual([], self.pod()['spec']['schedulingGates'])

    def test_started_already(self):
        self.put(fakes.running())
        self.assertTrue(self.driver.start(None, fakes.container()))
        self.assertEqual([], self.cluster.patches)

    def test_ended(self):
        self.put(fakes.ended(0))
        self.assertFalse(self.driver.start(None, fakes.container()))

    def await_start(self):
        return self.driver.await_start(None, fakes.container(), 1)

    def test_running_in_the_end(self):
        self.put(fakes.pod())
        self.cluster.happening.append(lambda: self.put(fakes.running()))
        self.assertTrue(self.await_start().done)

    def test_ended_at_once(self):
        self.put(fakes.ended(3))
        self.assertTrue(self.await_start().done)

    def test_not_yet(self):
        self.put(fakes.pod({'phase': 'Pending', 'conditions': [{
            'type': 'PodScheduled', 'status': 'False',
            'reason': 'Unschedulable', 'message': 'full'}]}))
        seen = self.await_start()
        self.assertEqual((False, 'Unschedulable'), (seen.done, seen.reason))

    def test_all_goes_well_but_slowly(self):
        self.put(fakes.pod())
        seen = self.await_start()
        self.assertEqual((False, None), (seen.done, seen.reason))

    def test_image_that_does_not_exist(self):
        self.put(fakes.pod({'phase': 'Pending', 'containerStatuses': [{
            'name': 'main', 'state': {'waiting': {
                'reason': 'ErrImagePull', 'message': 'x: not found'}}}]}))
        error = self.assertRaises(errors.StartFailed, self.await_start)
        self.assertEqual(('ErrImagePull', True),
                         (error.reason, error.before_run))

    def test_command_that_does_not_exist(self):
        self.put(fakes.pod({'phase': 'Failed', 'containerStatuses': [{
            'name': 'main', 'state': {'terminated': {
                'exitCode': 128, 'reason': 'StartError',
                'message': 'no such file'}}}]}))
        error = self.assertRaises(errors.StartFailed, self.await_start)
        self.assertFalse(error.before_run)
        self.assertEqual('no such file', str(error))

    def test_removed_meanwhile(self):
        self.assertRaises(errors.ContainerMissing, self.await_start)


class TestStopWithoutAgent(PowerTestCase):

    def stop(self, timeout=None):
        return self.driver.stop(None, fakes.container(), timeout)

    def test_by_deadline(self):
        self.put(fakes.running())
        self.ends()
        self.assertEqual(power.LAYER_LOST, self.stop().note)
        self.assertEqual(1, self.pod()['spec'].get(
            'activeDeadlineSeconds', 1))
        self.assertEqual({'activeDeadlineSeconds': 1},
                         self.cluster.patches[0][2]['spec'])

    def test_nothing_runs(self):
        for found in (fakes.ended(0), fakes.gated()):
            self.put(found)
            self.assertIsNone(self.stop().note)
        self.assertEqual([], self.cluster.patches)

    def test_node_that_does_not_report(self):
        self.put(fakes.running())
        error = self.assertRaises(k8s_errors.Unavailable, self.stop)
        self.assertTrue(error.transient)

    def test_removed_meanwhile(self):
        self.put(fakes.running())
        self.cluster.happening.append(lambda: self.cluster.take_away(
            client.PODS, fakes.POD, fakes.NAMESPACE))
        self.assertRaises(errors.ContainerMissing, self.stop)


class TestStopWithAgent(PowerTestCase):

    def setUp(self):
        super().setUp()
        self.give_runtime()

    def stop(self, timeout=None):
        return self.driver.stop(None, fakes.container(), timeout)

    def test_timeouts(self):
        self.config('kubernetes', stop_timeout=11)
        for given, used in ((None, 11), (0, 0), (5, 5)):
            self.put(fakes.running())
            self.ends()
            self.assertIsNone(self.stop(given).note)
            self.runtime.stop.assert_called_with('c1', used)

    def test_container_by_its_pod_and_name(self):
        self.put(fakes.running())
        self.ends()
        self.stop()
        self.runtime.find.assert_called_with('u1', 'main')

    def test_runtime_that_is_away(self):
        self.runtime.find.side_effect = runtime_base.RuntimeUnavailable('x')
        self.put(fakes.running())
        self.ends()
        self.assertEqual(power.LAYER_LOST, self.stop().note)

    def test_runtime_that_went_away(self):
        self.runtime.stop.side_effect = runtime_base.RuntimeUnavailable('x')
        self.put(fakes.running())
        error = self.assertRaises(k8s_errors.Unavailable, self.stop)
        self.assertTrue(error.transient)

    def test_process_that_cannot_be_ended(self):
        self.runtime.stop.side_effect = runtime_base.RuntimeError('stuck')
        self.put(fakes.running())
        error = self.assertRaises(exception.Conflict, self.stop)
        self.assertIn('stuck', str(error))


class TestKillWithoutAgent(PowerTestCase):

    def kill(self, signal_name, *outcomes):
        self.run = fake_cluster.session([
            stream.Output(b'', b'', b'', outcome) for outcome in outcomes])
        with mock.patch.object(stream, 'run', self.run):
            self.driver.kill(None, fakes.container(), signal_name)

    def commands(self):
        return [call.args[4] for call in self.run.mock_calls]

    def test_sent_from_inside(self):
        self.put(fakes.running())
        self.kill('HUP', stream.Outcome(0))
        self.assertEqual([['kill', '-s', 'HUP', '1']], self.commands())

    def test_shell_that_can_kill(self):
        self.put(fakes.running())
        self.kill(10, stream.Outcome(127, 'not found'), stream.Outcome(0))
        self.assertEqual(['sh', '-c', 'kill -s "$0" 1', 'USR1'],
                         self.commands()[1])

    def test_image_without_kill(self):
        self.put(fakes.running())
        away = stream.Outcome(127, 'not found')
        self.assertRaises(errors.AgentNeeded, self.kill, 'HUP', away, away)

    def test_refused(self):
        self.put(fakes.running())
        self.assertRaises(exception.Conflict, self.kill, 'HUP',
                          stream.Outcome(1))

    def test_kill_is_a_deadline(self):
        """Process 1 does not hear a SIGKILL from its own namespace."""
        self.put(fakes.running())
        self.ends()
        self.kill(None)
        self.assertEqual([], self.commands())
        self.assertEqual(1, len(self.cluster.patches))

    def test_nothing_runs(self):
        for name in ('HUP', 'KILL'):
            self.put(fakes.ended(0))
            self.assertRaises(errors.NotRunning, self.kill, name)


class TestKillWithAgent(PowerTestCase):

    def kill(self, signal_name):
        self.driver.kill(None, fakes.container(), signal_name)

    def test_signal(self):
        self.give_runtime()
        self.put(fakes.running())
        self.kill('SIGUSR1')
        self.runtime.signal.assert_called_once_with('c1', signal.SIGUSR1)

    def test_sigkill_waits_for_the_end(self):
        self.give_runtime()
        self.put(fakes.running())
        self.ends()
        self.kill(None)
        self.runtime.signal.assert_called_once_with('c1', signal.SIGKILL)
        self.assertEqual([], self.cluster.happening)

    def test_frozen_process_is_thawed_to_die(self):
        self.give_runtime(PAUSED)
        self.put(fakes.running())
        self.ends()
        self.kill('KILL')
        self.assertEqual(['resume', 'signal'], [
            call[0] for call in self.runtime.mock_calls[1:3]])

    def test_gone(self):
        self.give_runtime()
        self.runtime.signal.side_effect = runtime_base.ContainerGone('c1')
        self.put(fakes.running())
        self.assertRaises(errors.NotRunning, self.kill, 'HUP')


class TestPause(PowerTestCase):

    def test_pause_and_unpause(self):
        self.put(fakes.running())
        self.give_runtime()
        self.driver.pause(None, fakes.container())
        self.runtime.pause.assert_called_once_with('c1')
        self.give_runtime(PAUSED)
        self.driver.unpause(None, fakes.container())
        self.runtime.resume.assert_called_once_with('c1')

    def test_wrong_state(self):
        self.put(fakes.running())
        self.give_runtime(PAUSED)
        self.assertRaises(errors.NotRunning, self.driver.pause, None,
                          fakes.container())
        self.give_runtime()
        self.assertRaises(errors.NotPaused, self.driver.unpause, None,
                          fakes.container())

    def test_no_agent(self):
        self.put(fakes.running())
        error = self.assertRaises(errors.AgentNeeded, self.driver.pause,
                                  None, fakes.container())
        self.assertIn('zun-compute-agent', str(error))

    def test_nothing_runs(self):
        self.put(fakes.ended(0))
        self.give_runtime()
        self.assertRaises(errors.NotRunning, self.driver.pause, None,
                          fakes.container())


class TestExplain(base.DriverTestCase):

    def test_newest_warning(self):
        self.put(fakes.pod())
        for number, when in ((1, '03:00'), (2, '05:00'), (3, '04:00')):
            self.cluster.put(client.EVENTS, {
                'metadata': {'name': str(number),
                             'namespace': fakes.NAMESPACE},
                'reason': 'FailedMount', 'message': 'number %d' % number,
                'lastTimestamp': '2026-01-02T%s:00Z' % when})
        self.assertEqual('FailedMount: number 2',
                         self.driver.explain(None, fakes.container()))

    def test_nothing_to_tell(self):
        self.assertIsNone(self.driver.explain(None, fakes.container()))
        self.put(fakes.pod())
        self.assertIsNone(self.driver.explain(None, fakes.container()))


class TestSignalNumber(tests_base.BaseTestCase):

    def test_signals(self):
        for given, number in ((None, 9), ('None', 9), ('', 9), ('9', 9),
                              (15, 15), ('TERM', 15), ('sigterm', 15),
                              ('SIGUSR1', 10), ('64', 64)):
            self.assertEqual(number, power.signal_number(given))

    def test_no_signals(self):
        for given in ('65', '0', '-1', 'SIGWHAT', 'SIG', '1.5'):
            self.assertRaises(exception.Invalid, power.signal_number, given)
