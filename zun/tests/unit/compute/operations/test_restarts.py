# SPDX-License-Identifier: Apache-2.0
from zun.compute.operations import restarts
from zun.tests import base

FIRST = restarts.Memory()


def policy(name, count='0'):
    return {'Name': name, 'MaximumRetryCount': count}


class TestDecide(base.BaseTestCase):

    def assertRestarts(self, expected, given, exit_code, before=FIRST):
        after = restarts.decide(given, exit_code, 0.0, before)
        self.assertEqual(expected, after is not None, (given, exit_code))

    def test_no(self):
        for given in (None, {}, policy('no')):
            self.assertRestarts(False, given, 1)

    def test_always(self):
        for name in ('always', 'unless-stopped'):
            for code in (0, 1, None):
                self.assertRestarts(True, policy(name), code)

    def test_on_failure(self):
        for code, expected in ((0, False), (1, True), (137, True),
                               (None, True)):
            self.assertRestarts(expected, policy('on-failure'), code)

    def test_count(self):
        for count, before, expected in (
                ('3', 0, True), ('3', 2, True), ('3', 3, False),
                ('0', 99, True), (None, 99, True), (2, 1, True)):
            self.assertRestarts(expected, policy('on-failure', count), 1,
                                restarts.Memory(before, 0.1))

    def test_delays(self):
        """100 ms, then twice as long each time, at most a minute."""
        memory, delays = FIRST, []
        for __ in range(12):
            memory = restarts.decide(policy('always'), 1, 0.1, memory)
            delays.append(round(memory.delay, 3))
        self.assertEqual([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6,
                          51.2, 60.0, 60.0], delays)
        self.assertEqual(12, memory.count)

    def test_run_of_ten_seconds(self):
        memory = restarts.decide(policy('always'), 1, 10.0,
                                 restarts.Memory(7, 12.8))
        self.assertEqual(restarts.Memory(8, 0.1), memory)


class TestMemory(base.BaseTestCase):

    def test_round_trip(self):
        memory = restarts.Memory(3, 0.4)
        self.assertEqual(memory, restarts.load(memory.dump()))

    def test_nothing_kept(self):
        self.assertEqual(FIRST, restarts.load(None))
