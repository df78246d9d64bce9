# SPDX-License-Identifier: Apache-2.0
import pathlib
import threading
import time
from unittest import mock

import fixtures

from zun.container.runtime import base as runtime_base
from zun.container.runtime import kills
from zun.tests import base

LIMIT = 30


class TestPendingKills(base.TestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(fixtures.MockPatchObject(kills, '_PATIENCE', 0.0))
        self.useFixture(fixtures.MockPatchObject(kills, '_AGAIN', 0.01))
        self.file = pathlib.Path(self.path('state')) / 'kills.json'
        self.pending = kills.PendingKills(self.file)
        self.runtime = mock.Mock(spec=runtime_base.Runtime)
        self.killed = threading.Event()
        self.runtime.signal.side_effect = self.signal
        self.answers = []

    def signal(self, container_id, signum):
        answer = self.answers.pop(0) if self.answers else None
        if answer is not None:
            raise answer
        self.killed.set()

    def run_it(self, pending):
        thread = threading.Thread(target=pending.run, args=(self.runtime,))
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(pending.end)

    def test_another_process_knows_it(self):
        self.pending.put('c1', 12.5)
        self.assertEqual(12.5, kills.PendingKills(self.file).get('c1'))

    def test_forgotten(self):
        self.pending.put('c1', 12.5)
        self.pending.drop('c1')
        self.pending.drop('c1')
        self.assertIsNone(kills.PendingKills(self.file).get('c1'))

    def test_killed_once_it_is_due(self):
        self.run_it(self.pending)
        self.pending.put('c1', time.time() + 0.05)
        self.assertTrue(self.killed.wait(LIMIT))
        self.runtime.signal.assert_called_with('c1', 9)

    def test_not_before(self):
        self.pending.put('c1', time.time() + 1000)
        self.pending.put('c2', time.time() - 1)
        self.run_it(self.pending)
        self.assertTrue(self.killed.wait(LIMIT))
        self.assertEqual({'c2'}, {call[0][0] for call in
                                  self.runtime.signal.call_args_list})

    def test_gone_on_with_after_a_restart(self):
        self.pending.put('c1', time.time() - 1)
        self.run_it(kills.PendingKills(self.file))
        self.assertTrue(self.killed.wait(LIMIT))

    def test_tried_until_the_runtime_answers(self):
        self.answers = [runtime_base.RuntimeUnavailable('away')] * 2
        self.pending.put('c1', time.time() - 1)
        self.run_it(self.pending)
        self.assertTrue(self.killed.wait(LIMIT))

    def test_ended_in_time(self):
        self.answers = [runtime_base.ContainerGone('c1')]
        self.pending.put('c1', time.time() - 1)
        self.pending.put('c2', time.time() - 1)
        self.run_it(self.pending)
        self.assertTrue(self.killed.wait(LIMIT))
        self.assertIsNone(self.pending.get('c1'))
