# SPDX-License-Identifier: Apache-2.0
"""What Pods say, held to real ones and to the reference's own rules.

``vectors/pods.json`` has Pods of a real kubelet in the states that
containers get into.
"""

import datetime

from zun.container.k8s import status
from zun.tests import base
from zun.tests.unit.container.k8s import fakes

NOW = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)


class TestRealPods(base.BaseTestCase):

    def test_observation(self):
        for case in fakes.vectors('pods'):
            seen = status.observe(case['pod'], case['container'],
                                  now=self.now(case))
            for key, value in case['state'].items():
                self.assertEqual(value, seen.state[key],
                                 (case['name'], key))
            self.assertEqual(case['note'], seen.note, case['name'])
            self.assertEqual(case['health'], seen.health, case['name'])

    def test_failure(self):
        for case in fakes.vectors('pods'):
            seen = status.observe(case['pod'], case['container'])
            failure = seen.failure and [
                seen.failure.reason, seen.failure.text, seen.failure.passing]
            self.assertEqual(case['failure'], failure, case['name'])

    def test_row(self):
        for case in fakes.vectors('pods'):
            now = self.now(case)
            seen = status.observe(case['pod'], case['container'], now=now)
            self.assertEqual(
                case['values'],
                status.row_values('Creating', None, seen, now),
                case['name'])

    @staticmethod
    def now(case):
        return datetime.datetime.fromisoformat(case['now'])


class TestObserve(base.BaseTestCase):

    def test_paused(self):
        seen = status.observe(fakes.running(), 'main', paused=True)
        self.assertTrue(seen.state['Paused'])
        self.assertTrue(seen.running)
        self.assertEqual(
            {'status': 'Paused', 'status_detail': 'Up 4 mins (paused)'},
            status.row_values('Paused', None, seen, NOW))

    def test_container_of_another_name(self):
        seen = status.observe(fakes.running(), 'other')
        self.assertFalse(seen.running or seen.ended)

    def test_rejected_by_the_node(self):
        seen = status.observe(fakes.pod(
            {'phase': 'Failed', 'reason': 'OutOfcpu',
             'message': 'Node has no room'}), 'main')
        self.assertEqual(
            ('OutOfcpu', 'OutOfcpu: Node has no room', False),
            (seen.failure.reason, seen.failure.text, seen.failure.passing))

    def test_node_that_was_lost(self):
        found = fakes.pod({
            'phase': 'Failed', 'conditions': [{
                'type': 'DisruptionTarget', 'status': 'True',
                'reason': 'DeletionByPodGC', 'message': 'node is gone'}],
            'containerStatuses': [{'name': 'main', 'state': {'terminated': {
                'exitCode': 137, 'reason': 'ContainerStatusUnknown',
                'message': 'The container could not be located'}}}]})
        seen = status.observe(found, 'main')
        self.assertEqual(137, seen.exit_code)
        self.assertEqual('ContainerStatusUnknown: The container could not '
                         'be located', seen.note)
        self.assertEqual('DeletionByPodGC: node is gone',
                         status.pod_note(found))

    def test_times(self):
        seen = status.observe(fakes.ended(3), 'main')
        self.assertEqual(9, (seen.finished_at -
                             seen.started_at).total_seconds())

    def test_no_times(self):
        seen = status.observe(fakes.pod(), 'main')
        self.assertIsNone(seen.started_at)
        self.assertIsNone(seen.exit_code)

    def test_health_before_the_first_failure_counts(self):
        found = fakes.running()
        found['spec']['containers'][0]['readinessProbe'] = {
            'periodSeconds': 30, 'failureThreshold': 3, 'timeoutSeconds': 30}
        found['status']['containerStatuses'][0]['ready'] = False
        self.assertEqual(status.STARTING,
                         status.observe(found, 'main').health)
        for seconds, health in ((119, status.STARTING),
                                (121, status.UNHEALTHY)):
            now = datetime.datetime(2026, 1, 2, 3) + datetime.timedelta(
                seconds=seconds)
            self.assertEqual(
                health, status.observe(found, 'main', now=now).health)

    def test_gated_and_over(self):
        self.assertTrue(status.is_gated(fakes.gated()))
        self.assertFalse(status.is_gated(fakes.running()))
        self.assertTrue(status.is_over(fakes.ended(3)))
        self.assertFalse(status.is_over(fakes.running()))


class TestSandbox(base.BaseTestCase):

    def test_running(self):
        found = fakes.running()
        found['status']['startTime'] = '2026-01-02T03:00:00Z'
        self.assertEqual('Up 4 mins', self.detail(found))

    def test_ended(self):
        found = fakes.ended(3)
        found['status']['startTime'] = '2026-01-02T03:00:00Z'
        self.assertEqual('Exited(3) 3 mins ago ', self.detail(found))

    def test_no_room(self):
        found = fakes.pod({'phase': 'Pending', 'conditions': [{
            'type': 'PodScheduled', 'status': 'False',
            'reason': 'Unschedulable', 'message': 'none'}]})
        seen = status.observe_sandbox(found)
        self.assertEqual('Unschedulable', seen.failure.reason)
        self.assertTrue(seen.failure.passing)

    @staticmethod
    def detail(found):
        return status.row_values('Running', None,
                                 status.observe_sandbox(found),
                                 NOW)['status_detail']


class TestRules(base.BaseTestCase):
    """The reference's rules from an engine's words to the row's."""

    def test_task_state_keeps_the_row(self):
        self.assertEqual(
            {'status': 'Stopped', 'status_detail': 'x'},
            status.row_values('Stopped', 'ContainerStarting',
                              status.observe(fakes.running(), 'main'), NOW,
                              detail='x'))

    def test_failure_is_not_told_while_a_task_runs(self):
        found = fakes.pod({'phase': 'Failed', 'reason': 'Evicted'})
        self.assertNotIn('status_reason', status.row_values(
            'Creating', 'ContainerCreating', status.observe(found, 'main'),
            NOW))

    def test_force(self):
        values = status.row_values(
            'Stopped', 'ContainerStarting',
            status.observe(fakes.running(), 'main'), NOW, force=True)
        self.assertEqual('Running', values['status'])

    def test_recorded_states(self):
        checked = 0
        for case in fakes.contract_vectors('engine-state'):
            if 'raises' in case:
                # The reference cannot read a time that is null.
                continue
            before, task_state, force, state = case['in']
            values = status.from_state(before, task_state, state, NOW,
                                       detail='before', force=force)
            values.setdefault('status_reason', None)
            self.assertEqual(case['out'], values, case['in'])
            checked += 1
        self.assertGreater(checked, 50)

    def test_time_that_is_null(self):
        values = status.from_state(
            'Running', None, {'Status': 'running', 'Running': True,
                              'StartedAt': None}, NOW)
        self.assertEqual({'status': 'Running', 'status_detail': None},
                         values)


class TestElapsed(base.BaseTestCase):

    def test_recorded_times(self):
        for case in fakes.contract_vectors('elapsed-text'):
            given = case['in'][0]
            if isinstance(given, dict):
                given = (NOW - datetime.timedelta(
                    seconds=given['seconds_ago'])).strftime(
                        '%Y-%m-%dT%H:%M:%S.%f') + '123Z'
            self.assertEqual(case['out'], status.elapsed(given, NOW), given)

    def test_time_with_an_offset(self):
        self.assertEqual('4 mins', status.elapsed(
            '2026-01-02T05:00:00+02:00', NOW))

    def test_time_to_come(self):
        self.assertIsNone(status.elapsed('2027-01-01T00:00:00Z', NOW))

    def test_never(self):
        self.assertEqual('', status.elapsed(status.NEVER, NOW))

    def test_no_time(self):
        for text in (None, '', 'yesterday'):
            self.assertIsNone(status.elapsed(text, NOW))


class TestRepository(base.BaseTestCase):

    def test_names(self):
        for image, name in (
                ('busybox', 'busybox'), ('busybox:1', 'busybox'),
                ('r.test:5000/a/b', 'r.test:5000/a/b'),
                ('r.test:5000/a/b:2', 'r.test:5000/a/b'),
                ('a/b@sha256:ab', 'a/b'), ('a/b:1@sha256:ab', 'a/b')):
            self.assertEqual(name, status.repository(image))
