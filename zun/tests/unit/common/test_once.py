# SPDX-License-Identifier: Apache-2.0
import threading

from zun.common import once
from zun.tests import base


class TestOnce(base.BaseTestCase):

    def run_two(self, work):
        """Ask twice while the work is under way; what both get."""
        begun, go = threading.Event(), threading.Event()
        calls, answers = [], []

        def slow():
            calls.append(1)
            begun.set()
            go.wait(10)
            return work()

        there = once.Once()

        def ask():
            try:
                answers.append(there.do('key', slow))
            except ValueError as exc:
                answers.append(exc)

        threads = [threading.Thread(target=ask) for __ in range(2)]
        threads[0].start()
        begun.wait(10)
        waiting = there._running['key']
        asked = threading.Event()
        get = waiting.get

        def noted():
            asked.set()
            return get()

        waiting.get = noted
        threads[1].start()
        asked.wait(10)
        go.set()
        for thread in threads:
            thread.join(10)
        self.assertEqual(1, len(calls))
        return answers

    def test_both_get_the_answer(self):
        self.assertEqual([7, 7], self.run_two(lambda: 7))

    def test_both_get_the_error(self):
        def fail():
            raise ValueError('no')
        self.assertEqual(['no', 'no'],
                         [str(item) for item in self.run_two(fail)])

    def test_again_afterwards(self):
        there = once.Once()
        answers = iter([1, 2])
        self.assertEqual([1, 2], [there.do('key', lambda: next(answers))
                                  for __ in range(2)])
