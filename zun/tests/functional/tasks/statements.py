# SPDX-License-Identifier: Apache-2.0
"""What the statements of the queue promise, on any database."""

import threading
import time

from oslo_utils import uuidutils
import sqlalchemy as sa
from sqlalchemy import orm

from zun.compute.tasks import errors
from zun.compute.tasks import handle
from zun.compute.tasks import worker
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import task_admin
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy.queries import workers
from zun.tests.functional.tasks import base

TASK = base.TASK


def take_on(engine, row):
    """Take a task from its holder, whatever conflicts there are."""
    while True:
        with orm.Session(engine) as session:
            tasks.take(session, row.id, row.epoch)
            if commits(session):
                return


def commits(session):
    try:
        session.commit()
    except sa.exc.DBAPIError:
        return False
    return True


class EnqueueTests:

    def test_enqueue_is_part_of_the_transaction(self):
        def add():
            with db_api.writer(self.context) as session:
                session.execute(base.effect.insert().values(note='row'))
                self.enqueue(lane='lane-1')
                raise RuntimeError
        self.assertRaises(RuntimeError, add)
        self.assertEqual([], self.rows())
        self.assertEqual([], self.effects())

    def test_lane_is_numbered_by_many_at_once(self):
        self.together(8, lambda index: [self.enqueue(lane='lane-1')
                                        for _ in range(5)])
        numbers = [row.lane_seq for row in self.rows()]
        self.assertEqual(40, len(numbers))
        self.assertEqual(40, len(set(numbers)))

    def test_lane_is_numbered_inside_open_transactions(self):
        @db_api.retry_on_conflict
        def add(index):
            with db_api.writer(self.context) as session:
                # The transaction's view of the table is from now on.
                session.execute(base.effect.select())
                return self.enqueue(lane='lane-1')
        self.together(6, add)
        self.assertEqual(6, len({row.lane_seq for row in self.rows()}))

    def test_dedup_key_lets_one_task_in(self):
        uuids = self.together(8, lambda index: self.enqueue(
            lane='lane-1', dedup_key='restart:pod-1'))
        self.assertEqual(1, len(set(uuids)))
        self.assertEqual(1, len(self.rows()))

    def test_dedup_key_leaves_the_transaction_usable(self):
        first = self.enqueue(dedup_key='k')
        with db_api.writer(self.context) as session:
            self.assertEqual(first, self.enqueue(dedup_key='k'))
            session.execute(base.effect.insert().values(note='row'))
        self.assertEqual(1, len(self.effects()))


class ClaimTests:

    def test_each_task_is_claimed_by_one(self):
        for _ in range(24):
            self.enqueue()
        found = self.candidates()

        def claim_all(index):
            return [candidate.uuid for candidate in found
                    if self.try_claim(candidate, 'worker-%d' % index)]
        claimed = sum(self.together(6, claim_all), [])
        self.assertEqual(24, len(claimed))
        self.assertEqual(24, len(set(claimed)))
        self.assertEqual([], self.candidates())

    def try_claim(self, candidate, owner):
        try:
            return self.claim(owner, candidate)
        except worker.LOST_ERRORS:
            return None

    def test_lane_has_one_running_task_in_its_order(self):
        expected = [self.enqueue(lane='lane-1') for _ in range(8)]
        order = []

        def work(index):
            while len(order) < 8:
                for candidate in self.candidates():
                    row = self.try_claim(candidate, 'worker-%d' % index)
                    if row is None:
                        continue
                    running = self.rows(TASK.c.state == 'running')
                    self.assertEqual([row.uuid],
                                     [other.uuid for other in running])
                    order.append(row.uuid)
                    self.finish(row)
        self.together(4, work)
        self.assertEqual(expected, order)

    @db_api.retry_on_conflict
    def finish(self, row):
        with db_api.writer(None) as session:
            self.assertTrue(tasks.finish(session, self.holder(row), 'done'))

    def test_pause_of_a_begun_task_holds_its_lane(self):
        self.enqueue(lane='lane-1')
        self.enqueue(lane='lane-1')
        row = self.claim()
        with db_api.writer(None) as session:
            tasks.put_back(session, self.holder(row), 1000, counts=False)
        self.assertEqual([], self.candidates())

    def test_delay_of_a_task_not_begun_holds_nobody(self):
        self.enqueue(lane='lane-1', delay=1000)
        second = self.enqueue(lane='lane-1')
        self.assertEqual([second],
                         [found.uuid for found in self.candidates()])

    def test_running_task_holds_the_lane_of_any_other(self):
        self.enqueue(lane='lane-1', delay=1000)
        self.enqueue(lane='lane-1')
        self.claim()
        with db_api.writer(None) as session:
            session.execute(TASK.update().where(TASK.c.state == 'ready')
                            .values(run_at=0))
        self.assertEqual([], self.candidates())

    def test_second_running_task_of_a_lane_is_impossible(self):
        self.enqueue(lane='lane-1')
        found = self.candidates()[0]
        self.enqueue(lane='lane-1')
        self.claim()
        second = self.rows(TASK.c.state == 'ready')[0]
        self.assertIsNone(self.try_claim(
            found._replace(id=second.id, epoch=0), 'worker-2'))
        self.assertEqual('ready', self.row(second.uuid).state)

    def test_host_does_a_few_at_once(self):
        for _ in range(8):
            self.enqueue('container_create', host='node-1')
        other = self.enqueue('container_create', host='node-2')
        found = [candidate for candidate in self.candidates()
                 if candidate.host == 'node-1']

        def claim_all(index):
            return [candidate for candidate in found
                    if self.try_claim_slot(candidate, index)]
        claimed = sum(self.together(4, claim_all), [])
        self.assertTrue(1 <= len(claimed) <= 2, claimed)
        for candidate in found:
            self.try_claim_slot(candidate, 9)
        self.assertEqual(2, len(self.rows(TASK.c.state == 'running')))
        self.assertEqual([other], [candidate.uuid for candidate
                                   in self.candidates(places=2)])

    def try_claim_slot(self, candidate, index):
        self.config(group='task', node_creates=2)
        try:
            with db_api.writer(None) as session:
                slot = worker._free_slot('node-1', tasks.taken_slots(
                    session, 'node-1'))
                return slot and tasks.claim(
                    session, candidate, 'worker-%d' % index, slot)
        except worker.LOST_ERRORS:
            return None

    def test_names_of_hosts_are_not_patterns(self):
        self.enqueue('container_create', host='node_1')
        with db_api.writer(None) as session:
            tasks.claim(session, self.candidates()[0], 'w', 'node_1#0')
        with db_api.reader(None) as session:
            self.assertEqual({'node_1#0'},
                             tasks.taken_slots(session, 'node_1'))
            self.assertEqual(set(), tasks.taken_slots(session, 'node-1'))
            self.assertEqual(set(), tasks.taken_slots(session, 'node%'))

    def test_only_what_is_due_in_the_queue_is_found(self):
        self.enqueue(delay=1000)
        with db_api.writer(None) as session:
            workers.register(session, 'agent', 'node-1', 'zun-compute-agent',
                             'agent:node-1')
        self.enqueue('container_stop', host='node-1')
        now = self.enqueue()
        self.assertEqual([now], [found.uuid for found in self.candidates()])
        with db_api.reader(None) as session:
            found, seen = tasks.candidates_and_workers(
                session, 'agent:node-1', 24, 10)
        self.assertEqual(1, len(found))
        self.assertEqual('agent', seen[0].uuid)

    def test_sooner_comes_first(self):
        later = self.enqueue('container_start')
        sooner = self.enqueue('container_stop')
        with db_api.writer(None) as session:
            session.execute(TASK.update().values(run_at=5))
        self.assertEqual([sooner, later],
                         [found.uuid for found in self.candidates()])


class FenceTests:

    def setUp(self):
        super().setUp()
        self.enqueue()
        self.claimed = self.claim()
        self.context.task = handle.TaskHandle(self.claimed, lambda: True)
        self.context.fence = self.context.task.fence

    @db_api.retry_on_conflict
    def take_over(self):
        with db_api.writer(None) as session:
            return tasks.take_from(session, self.claimed.owner)

    def test_holder_writes(self):
        base.note(self.context, 'x')
        self.assertEqual(1, len(self.effects()))

    def test_late_holder_writes_nothing(self):
        self.take_over()
        self.assertRaises(errors.LeaseLost, base.note, self.context, 'x')
        self.assertEqual([], self.effects())
        self.claim('worker-2')
        self.assertRaises(errors.LeaseLost, base.note, self.context, 'x')
        self.assertEqual([], self.effects())

    def test_late_holder_finishes_nothing(self):
        self.take_over()
        self.claim('worker-2')
        holder = self.holder(self.claimed)
        for write in (lambda s: tasks.finish(s, holder, 'done'),
                      lambda s: tasks.put_back(s, holder, 1),
                      lambda s: tasks.put_step(s, holder, '{}'),
                      lambda s: tasks.condemn(s, holder, '{}'),
                      lambda s: tasks.fence(s, holder)):
            with db_api.writer(None) as session:
                self.assertFalse(write(session))
        row = self.rows()[0]
        self.assertEqual(('running', 3, 'worker-2'),
                         (row.state, row.epoch, row.owner))

    def test_own_earlier_claim_is_refused_too(self):
        self.take_over()
        self.claim(self.claimed.owner)
        self.assertRaises(errors.LeaseLost, base.note, self.context, 'x')

    def test_only_one_of_holder_and_taker_commits_first(self):
        # On a cluster through different nodes, where nothing blocks.
        mine, others = (self.engine(url) for url
                        in (self.urls[0], self.urls[-1]))
        for number in range(4):
            row = self.row(self.claimed.uuid)
            with orm.Session(mine) as session:
                self.assertTrue(tasks.fence(session, self.holder(row)))
                session.execute(base.effect.insert().values(
                    note='round-%d' % number))
                taker = threading.Thread(target=take_on, daemon=True,
                                         args=(others, row))
                taker.start()
                if number % 2 and self.server == 'galera':
                    taker.join(base.LIMIT)
                committed = commits(session)
            taker.join(base.LIMIT)
            self.assertFalse(taker.is_alive())
            after = base.wait_for(
                lambda: [found for found in self.rows()
                         if found.state == 'ready'], 'the taken task')[0]
            self.assertEqual(row.epoch + 1, after.epoch)
            self.assertEqual(committed,
                             bool(self.effects('round-%d' % number)))
            self.claim('worker-%d' % number)

    def engine(self, url):
        options = {'timeout': base.LIMIT} if self.server is None else {}
        engine = sa.create_engine(url, connect_args=options)
        self.addCleanup(engine.dispose)
        return engine

    def test_steps_go_with_the_task(self):
        self.context.task.step_put('port', 'p-1')
        self.take_over()
        again = handle.TaskHandle(self.claim('worker-2'), lambda: True)
        self.assertEqual('p-1', again.step_get('port'))


class TidyTests:

    def test_take_over_needs_a_worker_that_stands_still(self):
        uuid = self.register()
        self.enqueue()
        self.claim(uuid)
        with db_api.writer(None) as session:
            workers.beat(session, uuid)
            self.assertFalse(workers.remove(session, uuid, 0))
            self.assertTrue(workers.remove(session, uuid, 1))
            self.assertFalse(workers.beat(session, uuid))

    def test_stray_tasks_are_found(self):
        known = self.register()
        for owner in (known, uuidutils.generate_uuid()):
            self.enqueue()
            self.claim(owner)
        with db_api.writer(None) as session:
            stray, = tasks.running_without_worker(session)
            self.assertNotEqual(known, stray.owner)
            self.assertTrue(tasks.take(session, stray.id, stray.epoch))
            self.assertFalse(tasks.take(session, stray.id, stray.epoch))
            self.assertEqual([], tasks.running_without_worker(session))
            self.assertEqual(1, len(tasks.running_of(session, known)))

    def test_queue_is_moved(self):
        self.register(queue='agent:node-1')
        self.enqueue('container_stop', host='node-1')
        with db_api.writer(None) as session:
            self.assertEqual(['agent:node-1'], tasks.waiting_queues(session))
            self.assertEqual(1, tasks.move_queue(session, 'agent:node-1',
                                                 'compute'))
            self.assertEqual(['compute'], tasks.waiting_queues(session))

    def test_old_tasks_are_removed_a_few_at_a_time(self):
        old = [self.enqueue() for _ in range(5)]
        young = self.enqueue()
        with db_api.writer(None) as session:
            session.execute(TASK.update().values(state='done',
                                                 finished_at=tasks.now()))
            session.execute(TASK.update().where(TASK.c.uuid.in_(old))
                            .values(finished_at=1))
        removed = []
        while not removed or removed[-1]:
            with db_api.writer(None) as session:
                removed.append(task_admin.purge(session, ['done'], 3600, 2))
        self.assertEqual([2, 2, 1, 0], removed)
        self.assertEqual([young], [row.uuid for row in self.rows()])

    def test_depth_and_age(self):
        self.enqueue()
        self.enqueue()
        self.claim()
        with db_api.reader(None) as session:
            depths = {(row.kind, row.state): row
                      for row in task_admin.depths(session)}
        self.assertEqual({('noop', 'ready'), ('noop', 'running')},
                         set(depths))
        self.assertEqual(1, depths['noop', 'ready'].number)
        self.assertTrue(0 <= depths['noop', 'ready'].age < 600e6)

    def test_operators_requeue_and_cancel(self):
        uuid = self.enqueue(lane='lane-1')
        with db_api.writer(None) as session:
            self.assertFalse(task_admin.requeue(session, uuid, 8))
            self.assertTrue(task_admin.cancel(session, uuid, '{}'))
            self.assertTrue(task_admin.requeue(session, uuid, 8))
        self.claim()
        with db_api.writer(None) as session:
            self.assertFalse(task_admin.cancel(session, uuid))
            self.assertTrue(task_admin.cancel(session, uuid, force=True))
            listed, = task_admin.listing(session, ['cancelled'], 'lane-1')
            self.assertEqual(uuid, listed['uuid'])
            self.assertNotIn('payload', listed)
            self.assertEqual('cancelled', task_admin.state_of(session, uuid))

    def test_clock_is_the_database_s_and_utc(self):
        uuid = self.enqueue()
        with db_api.reader(None) as session:
            now = session.execute(sa.select(tasks.now())).scalar_one()
        row = self.row(uuid)
        self.assertTrue(0 <= now - row.created_at < 600e6)
        self.assertLess(abs(now / 1e6 - time.time()), 600)
