# SPDX-License-Identifier: Apache-2.0

from unittest import mock

from zun.compute.tasks import reaper
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy.queries import workers
from zun.db.sqlalchemy import task_models
from zun.tests.unit.compute.tasks import base


class WatchTestCase(base.TaskTestCase):

    def setUp(self):
        super().setUp()
        self.clock = base.Clock()
        self.watch = reaper.Watch(self.clock)

    def observe(self, **beats):
        self.watch.observe([workers.Worker(uuid, 'h', 'b', 'compute', count)
                            for uuid, count in beats.items()])

    def silent(self):
        return {worker.uuid: silence for worker, silence
                in self.watch.silent('own')}

    def test_silence_begins_when_a_count_is_seen_first(self):
        self.observe(a=7)
        self.clock.now += 3
        self.observe(a=7)
        self.assertEqual({'a': 3}, self.silent())

    def test_silence_ends_with_any_other_count(self):
        self.observe(a=7, b=5)
        self.clock.now += 3
        self.observe(a=8, b=4)
        self.assertEqual({'a': 0, 'b': 0}, self.silent())

    def test_own_worker_and_removed_ones_are_not_silent(self):
        self.observe(own=1, a=1)
        self.observe(own=1, b=1)
        self.assertEqual({'b': 0}, self.silent())

    def test_rank_is_the_place_among_the_queue_s_workers(self):
        self.watch.observe([
            workers.Worker(uuid, 'h', 'b', queue, 0) for uuid, queue in
            (('c', 'compute'), ('a', 'compute'), ('b', 'agent:h'))])
        self.assertEqual((0, 2), self.watch.rank('a', 'compute'))
        self.assertEqual((1, 2), self.watch.rank('c', 'compute'))
        self.assertEqual((0, 1), self.watch.rank('b', 'agent:h'))
        self.assertEqual((0, 1), self.watch.rank('unseen', 'compute'))


class ReaperTestCase(base.TaskTestCase):

    def setUp(self):
        super().setUp()
        self.clock = base.Clock()
        self.leads = True
        self.watch = reaper.Watch(self.clock)
        self.reaper = self.new_reaper()

    def new_reaper(self, queue=None):
        return reaper.Reaper(self.watch, lambda: 'own', lambda: self.leads,
                             queue, self.clock)

    def register(self, uuid, queue='compute'):
        with db_api.writer(None) as session:
            workers.register(session, uuid, 'node-1', 'zun-compute', queue)

    def beat(self, uuid):
        with db_api.writer(None) as session:
            return workers.beat(session, uuid)

    def claim(self, owner, queue='compute'):
        with db_api.reader(None) as session:
            found = tasks.candidates(session, queue, 1, 10)
        with db_api.writer(None) as session:
            return tasks.claim(session, found[0], owner)

    def rounds(self, seconds):
        for _ in range(seconds):
            self.clock.now += 1
            self.reaper.round()

    def alive(self):
        with db_api.reader(None) as session:
            return [worker.uuid for worker in workers.seen(session)]

    def test_silent_worker_s_tasks_become_ready(self):
        uuid = self.enqueue(_lane='lane-1')
        self.register('dead')
        self.claim('dead')
        self.rounds(15)
        self.assertEqual('running', self.row(uuid).state)
        self.rounds(3)
        row = self.row(uuid)
        self.assertEqual(('ready', 2, 'dead'),
                         (row.state, row.epoch, row.owner))
        self.assertIsNone(row.lane_running)
        self.assertEqual([], self.alive())

    def test_worker_that_beats_lives(self):
        uuid = self.enqueue()
        self.register('alive')
        self.claim('alive')
        for _ in range(10):
            self.rounds(5)
            self.assertTrue(self.beat('alive'))
        self.assertEqual('running', self.row(uuid).state)

    def test_beat_at_the_last_moment_counts(self):
        uuid = self.enqueue()
        self.register('late')
        self.claim('late')
        self.rounds(15)
        seen = self.watch.silent('own')[0][0]
        self.beat('late')
        self.reaper._reap(seen)
        self.assertEqual('running', self.row(uuid).state)
        self.assertEqual(['late'], self.alive())

    def test_others_wait_for_the_leader_first(self):
        self.leads = False
        self.register('dead')
        self.reaper.round()
        self.rounds(16)
        self.assertEqual(['dead'], self.alive())
        self.rounds(4)
        self.assertEqual([], self.alive())

    def test_agent_is_the_first_to_reap_its_own_queue(self):
        self.leads = False
        self.reaper = self.new_reaper('agent:node-1')
        self.register('dead', 'agent:node-1')
        self.register('other')
        self.reaper.round()
        self.rounds(15)
        self.assertEqual(['other'], self.alive())

    def test_task_of_nobody_is_taken(self):
        uuid = self.enqueue()
        self.claim('never-registered')
        self.reaper.take_strays()
        self.assertEqual('ready', self.row(uuid).state)

    def test_task_of_somebody_is_not_taken(self):
        uuid = self.enqueue()
        self.register('alive')
        self.claim('alive')
        self.reaper.take_strays()
        self.assertEqual('running', self.row(uuid).state)

    def test_tasks_of_a_missing_agent_are_moved_after_a_while(self):
        self.register('agent', 'agent:node-1')
        uuid = self.enqueue('container_stop', _host='node-1')
        self.assertEqual('agent:node-1', self.row(uuid).queue)
        self.reaper.round()
        with db_api.writer(None) as session:
            workers.remove(session, 'agent')
        self.rounds(14)
        self.assertEqual('agent:node-1', self.row(uuid).queue)
        self.rounds(5)
        self.assertEqual('compute', self.row(uuid).queue)

    def test_tasks_of_an_agent_that_was_never_seen_are_moved(self):
        uuid = self.enqueue('container_stop', _host='node-1')
        self.change(uuid, queue='agent:node-1')
        self.rounds(14)
        self.assertEqual('agent:node-1', self.row(uuid).queue)
        self.rounds(40)
        self.assertEqual('compute', self.row(uuid).queue)

    def test_agent_that_comes_back_keeps_its_tasks(self):
        self.register('agent', 'agent:node-1')
        uuid = self.enqueue('container_stop', _host='node-1')
        self.reaper.round()
        with db_api.writer(None) as session:
            workers.remove(session, 'agent')
        self.rounds(10)
        self.register('agent-2', 'agent:node-1')
        for _ in range(40):
            self.beat('agent-2')
            self.rounds(1)
        self.assertEqual('agent:node-1', self.row(uuid).queue)

    def test_tasks_of_a_living_agent_stay(self):
        self.register('agent', 'agent:node-1')
        uuid = self.enqueue('container_stop', _host='node-1')
        for _ in range(60):
            self.beat('agent')
            self.rounds(1)
        self.assertEqual('agent:node-1', self.row(uuid).queue)

    def test_only_the_leader_tidies_up(self):
        self.leads = False
        uuid = self.enqueue()
        self.claim('never-registered')
        self.rounds(60)
        self.assertEqual('running', self.row(uuid).state)

    def test_old_tasks_are_removed_in_batches(self):
        self.useFixture(base.Patch(reaper, 'PURGE_BATCH', 2))
        old = [self.enqueue() for _ in range(5)]
        for uuid in old:
            self.change(uuid, state='done', finished_at=1)
        failed, young = self.enqueue(), self.enqueue()
        table = task_models.task
        eight_days = tasks.now() - 8 * 24 * 3600 * tasks.MICROS
        self.change(failed, state='failed', finished_at=eight_days)
        self.change(young, state='done', finished_at=tasks.now())
        ready = self.enqueue()
        self.reaper.round()
        with db_api.reader(None) as session:
            left = set(session.execute(
                table.select().with_only_columns(table.c.uuid)).scalars())
        self.assertEqual({failed, young, ready}, left)

    def test_waiting_worker_is_told(self):
        self.enqueue()
        self.register('dead')
        self.claim('dead')
        with mock.patch('zun.compute.tasks.wake.poke',
                        autospec=True) as poke:
            self.rounds(18)
        poke.assert_called_once_with('compute')
