# SPDX-License-Identifier: Apache-2.0
import time

import fixtures

from zun.container.runtime import base as runtime_base
from zun.tests import base

AWAY = runtime_base.RuntimeUnavailable('away')
GONE = runtime_base.ContainerGone('c1')


class Runtime(runtime_base.Runtime):
    """Does what a script says; remembers what it was asked.

    :ivar waits: answers of :meth:`wait`; the last one for ever.
    """

    def __init__(self, waits=(0,), state=runtime_base.State.RUNNING):
        super().__init__()
        self.calls = []
        self.waits = list(waits)
        self.now = state

    def version(self):
        return 'script'

    def find(self, pod_uid, container_name):
        return None

    def state(self, container_id):
        return self.now

    def signal(self, container_id, signum):
        self.calls.append(signum)

    def wait(self, container_id, timeout):
        self.calls.append('wait')
        answer = self.waits.pop(0) if len(self.waits) > 1 else self.waits[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def pause(self, container_id):
        self.calls.append('pause')

    def resume(self, container_id):
        self.calls.append('resume')


class TestStop(base.TestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(fixtures.MockPatchObject(
            runtime_base, '_AWAY_PAUSE', 0.0))

    def stop(self, runtime, timeout=0.01, **options):
        return runtime.stop('c1', timeout, **options)

    def test_ends_when_asked_to(self):
        runtime = Runtime([3])
        self.assertEqual(3, self.stop(runtime, 60))
        self.assertEqual(['resume', 15, 'wait'], runtime.calls)
        self.assertIsNone(runtime.kills.get('c1'))

    def test_killed_in_the_end(self):
        runtime = Runtime([None, 137])
        self.useFixture(fixtures.MockPatchObject(
            runtime_base.time, 'time', iter([0.0, 0.0, 1.0]).__next__))
        self.assertEqual(137, self.stop(runtime, 0.5))
        self.assertEqual(['resume', 15, 'wait', 9, 'wait'], runtime.calls)

    def test_gone_already(self):
        runtime = Runtime([GONE])
        self.assertIsNone(self.stop(runtime, 60))
        self.assertIsNone(runtime.kills.get('c1'))

    def test_outlives_its_kill(self):
        runtime = Runtime([None])
        self.assertRaises(runtime_base.RuntimeError, self.stop, runtime, 0)

    def test_runtime_away_for_a_while(self):
        runtime = Runtime([AWAY, AWAY, 0])
        self.assertEqual(0, self.stop(runtime, 60))
        self.assertEqual(1, runtime.calls.count(15))

    def test_runtime_away_for_good(self):
        runtime = Runtime([AWAY])
        self.assertRaises(runtime_base.RuntimeUnavailable, self.stop,
                          runtime, 0, kill_wait=0.01)
        self.assertIsNotNone(runtime.kills.get('c1'))

    def test_gone_on_with_without_a_second_signal(self):
        runtime = Runtime([137])
        runtime.kills.put('c1', time.time() - 1)
        self.assertEqual(137, self.stop(runtime, 60))
        self.assertEqual([9, 'wait'], runtime.calls)


class TestPaused(base.TestCase):

    def test_meanwhile(self):
        runtime = Runtime()
        with runtime.paused('c1'):
            self.assertEqual(['pause'], runtime.calls)
        self.assertEqual(['pause', 'resume'], runtime.calls)

    def test_frozen_by_somebody_stays_so(self):
        for state in (runtime_base.State.PAUSED,
                      runtime_base.State.STOPPED):
            runtime = Runtime(state=state)
            with runtime.paused('c1'):
                pass
            self.assertEqual([], runtime.calls)

    def test_resumed_after_an_error(self):
        runtime = Runtime()

        def fail():
            with runtime.paused('c1'):
                raise ValueError('x')
        self.assertRaises(ValueError, fail)
        self.assertEqual(['pause', 'resume'], runtime.calls)
