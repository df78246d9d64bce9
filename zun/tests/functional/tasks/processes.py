# SPDX-License-Identifier: Apache-2.0
"""What real worker processes do with a queue, and what their death does."""

import signal

from zun.tests.functional.tasks import base

TASK = base.TASK


class ProcessTests:

    def wait_until_finished(self, number):
        base.wait_for(
            lambda: len(self.rows(TASK.c.state == 'done')) == number,
            '%d finished tasks' % number, limit=2 * base.LIMIT)

    def wait_for_effect(self, text, number=1):
        return base.wait_for(
            lambda: (found := self.effects(text)) and
            len(found) >= number and found, 'effect ' + text)

    def test_many_processes_do_each_task_once(self):
        processes = [self.start_process(number) for number in range(3)]
        base.wait_for(lambda: len(self.workers()) == 3, 'three workers')
        for number in range(90):
            self.enqueue('note', lane='lane-%d' % (number % 15)
                         if number % 3 else None)
        self.wait_until_finished(90)
        done = self.effects()
        self.assertEqual(90, len(done))
        self.assertEqual({row.uuid for row in self.rows()},
                         {row.task for row in done})
        places = {row.task: number for number, row in enumerate(done)}
        for lane in {row.lane for row in self.rows()} - {None}:
            order = [places[row.uuid] for row in sorted(
                self.rows(TASK.c.lane == lane), key=lambda r: r.lane_seq)]
            self.assertEqual(sorted(order), order, lane)
        for process in processes:
            process.signal(signal.SIGTERM)
        for process in processes:
            self.assertEqual(0, process.wait())
        self.assertEqual([], self.workers())

    def test_killed_worker_s_task_is_done_by_another(self):
        first = self.start_process(0)
        uuid = self.enqueue('hold', lane='lane-1')
        behind = self.enqueue('note', lane='lane-1')
        self.wait_for_effect('began')
        self.start_process(1)
        base.wait_for(lambda: len(self.workers()) == 2, 'two workers')
        first.signal(signal.SIGKILL)
        first.wait()
        self.say_go()
        self.wait_until_finished(2)
        row = self.row(uuid)
        self.assertEqual((3, 2), (row.epoch, row.attempt))
        self.assertEqual(['began', 'began', 'ended', 'done'],
                         [row.note for row in self.effects()
                          if row.note != 'go'])
        ended, = self.effects('ended')
        self.assertNotEqual(first.pid, ended.pid)
        self.assertEqual(behind, self.effects('done')[0].task)

    def test_stopped_worker_that_comes_back_is_refused(self):
        first = self.start_process(0)
        uuid = self.enqueue('hold', lane='lane-1')
        self.wait_for_effect('began')
        first.signal(signal.SIGSTOP)
        second = self.start_process(1)
        self.wait_for_effect('began', 2)
        self.say_go()
        self.wait_until_finished(1)
        first.signal(signal.SIGCONT)
        # It goes on as a new worker, and then with what is its own.
        base.wait_for(lambda: len(self.workers()) == 2,
                      'the worker that came back')
        second.signal(signal.SIGTERM)
        self.assertEqual(0, second.wait())
        self.enqueue('note')
        done, = self.wait_for_effect('done')
        self.assertEqual(first.pid, done.pid)
        first.signal(signal.SIGTERM)
        self.assertEqual(0, first.wait())
        ended, = self.effects('ended')
        self.assertEqual((uuid, second.pid, 3),
                         (ended.task, ended.pid, ended.epoch))

    def test_asked_to_end_it_ends_its_tasks_first(self):
        first = self.start_process(0)
        uuid = self.enqueue('hold')
        self.wait_for_effect('began')
        first.signal(signal.SIGTERM)
        self.say_go()
        self.assertEqual(0, first.wait())
        self.assertEqual('done', self.row(uuid).state)
        self.assertEqual([], self.workers())
