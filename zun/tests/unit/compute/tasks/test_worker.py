# SPDX-License-Identifier: Apache-2.0

import threading
from unittest import mock

from oslo_db import exception as db_exc

from zun.compute.tasks import errors
from zun.compute.tasks import worker
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy.queries import workers
from zun.tests import base as test_base
from zun.tests.unit.compute.tasks import base


class PaceTestCase(test_base.BaseTestCase):

    def test_pause_grows_while_there_is_nothing(self):
        pace = worker.Pace(.05, 1)
        pauses = [pace.next() for _ in range(20)]
        self.assertTrue(.05 <= pauses[0] <= .1)
        self.assertTrue(1 <= pauses[-1] <= 2)

    def test_pause_is_short_after_work(self):
        pace = worker.Pace(.05, 1)
        for _ in range(20):
            pace.next()
        pace.found()
        self.assertTrue(.05 <= pace.next() <= .1)


class WorkerTestCase(base.TaskTestCase):

    def setUp(self):
        super().setUp()
        self.release = threading.Event()
        self.running = []
        self.operations.add('noop', lambda context, **kw: None)
        self.operations.add('held', self.hold)

    def start_worker(self):
        started = super().start_worker()
        self.addCleanup(self.release.set)
        return started

    def hold(self, context, name=None):
        self.running.append(name)
        self.release.wait(base.LIMIT)

    def test_runs_a_task_with_its_arguments(self):
        got = []
        self.operations.add('noop', lambda context, **kw: got.append(kw))
        uuid = self.enqueue(number=7, text='x')
        self.start_worker()
        row = self.wait_for_state(uuid, 'done')
        self.assertEqual([{'number': 7, 'text': 'x'}], got)
        self.assertEqual((1, 1), (row.epoch, row.attempt))
        self.assertIsNone(row.lane_running)

    def test_runs_several_at_once_but_not_of_one_lane(self):
        self.start_worker()
        for lane in ('a', 'a', 'b', 'c'):
            self.enqueue('held', name=lane, _lane=lane)
        base.wait_for(lambda: len(self.running) == 3, 'three running tasks')
        self.assertEqual(['a', 'b', 'c'], sorted(self.running))
        self.release.set()
        base.wait_for(lambda: len(self.running) == 4, 'the fourth')

    def test_runs_a_lane_in_its_order(self):
        order = []
        self.operations.add('noop', lambda context, name: order.append(name))
        last = [self.enqueue(name=number, _lane='lane-1')
                for number in range(10)][-1]
        self.start_worker()
        self.wait_for_state(last, 'done')
        self.assertEqual(list(range(10)), order)

    def test_runs_no_more_than_its_concurrency(self):
        self.config(group='task', concurrency=2)
        self.start_worker()
        waiting = [self.enqueue('held') for _ in range(3)]
        base.wait_for(lambda: len(self.running) == 2, 'two running tasks')
        states = sorted(self.row(uuid).state for uuid in waiting)
        self.assertEqual(['ready', 'running', 'running'], states)
        self.release.set()
        for uuid in waiting:
            self.wait_for_state(uuid, 'done')

    def test_node_does_a_few_creates_at_once(self):
        self.config(group='task', node_creates=2)
        self.operations.add('container_create', self.hold)
        self.start_worker()
        for name in ('a', 'b', 'c'):
            self.enqueue('container_create', name=name, _host='node-1')
        self.enqueue('container_create', name='other', _host='node-2')
        base.wait_for(lambda: len(self.running) == 3, 'three creates')
        self.assertIn('other', self.running)
        self.release.set()
        base.wait_for(lambda: len(self.running) == 4, 'the last create')

    def test_does_not_stop_at_creates_of_a_full_node(self):
        self.config(group='task', node_creates=1)
        self.operations.add('container_create', self.hold)
        for _ in range(30):
            self.enqueue('container_create', _host='node-1')
        behind = self.enqueue()
        self.start_worker()
        self.wait_for_state(behind, 'done')

    def test_stop_waits_for_what_runs(self):
        started = self.start_worker()
        uuid = self.enqueue('held')
        self.wait_for_state(uuid, 'running')
        stopping = threading.Thread(target=started.stop)
        stopping.start()
        base.wait_for(lambda: not started._thread.is_alive(), 'its claimer')
        after = self.enqueue()
        self.release.set()
        stopping.join(base.LIMIT)
        self.assertEqual('done', self.row(uuid).state)
        self.assertEqual('ready', self.row(after).state)
        with db_api.reader(None) as session:
            self.assertEqual([], workers.seen(session))

    def test_stop_leaves_to_others_what_does_not_end(self):
        started = self.start_worker()
        uuid = self.enqueue('held')
        self.wait_for_state(uuid, 'running')
        started.stop(0.01)
        row = self.row(uuid)
        self.assertEqual(('ready', 2), (row.state, row.epoch))
        # What it still does is not written any more.
        self.release.set()
        base.wait_for(lambda: not started._mine, 'the end of the task')
        self.assertEqual('ready', self.row(uuid).state)

    def test_claim_of_unknown_end_is_put_back(self):
        real = tasks.claim
        lost = []

        def claim(session, *args, **kwargs):
            row = real(session, *args, **kwargs)
            if row is not None and not lost:
                # The commit succeeds, the answer to it does not arrive.
                session.commit()
                lost.append(row)
                raise db_exc.DBConnectionError()
            return row
        self.useFixture(base.Patch(worker, 'ERROR_PAUSE', 0))
        self.useFixture(base.Patch(tasks, 'claim', claim))
        uuid = self.enqueue(_lane='lane-1')
        self.start_worker()
        row = self.wait_for_state(uuid, 'done')
        self.assertEqual(1, len(lost))
        self.assertEqual((3, 2), (row.epoch, row.attempt))

    def test_what_is_broken_off_is_put_back_if_nobody_has_it(self):
        attempts = []

        def break_off(context):
            attempts.append(context.task.epoch)
            if len(attempts) == 1:
                raise errors.LeaseLost(task=context.task.uuid,
                                       epoch=context.task.epoch)

        self.operations.add('noop', break_off)
        uuid = self.enqueue()
        self.start_worker()
        self.wait_for_state(uuid, 'done')
        self.assertEqual([1, 3], attempts)

    def test_claims_nothing_with_a_lease_in_doubt(self):
        uuid = self.enqueue()
        with mock.patch('zun.compute.tasks.lease.Lease.held', autospec=True,
                        return_value=False):
            started = self.start_worker()
            base.wait_for(lambda: started._looked_at > 0, 'a look')
            self.assertEqual('ready', self.row(uuid).state)
        self.wait_for_state(uuid, 'done')

    def test_workers_choose_different_candidates(self):
        for _ in range(20):
            self.enqueue()
        seen = [workers.Worker(uuid, 'h', 'b', 'compute', 0)
                for uuid in ('worker-1', 'worker-2', 'worker-3')]
        chosen = []
        for one in seen:
            made = self.make_worker()
            made.lease.uuid = one.uuid
            made._watch.observe(seen)
            made._look()
            chosen.append({found.uuid for found in made._candidates})
        self.assertEqual(sum(map(len, chosen)), len(set.union(*chosen)))
        self.assertGreater(len(set.union(*chosen)), 8)

    def test_begins_with_the_most_urgent(self):
        uuids = [self.enqueue() for _ in range(5)]
        made = self.make_worker()
        made._look()
        self.assertEqual(uuids, [found.uuid for found
                                 in reversed(made._candidates)])

    def test_unusable_address_costs_no_more_than_pokes(self):
        self.config(group='task', poke=True, poke_host='192.0.2.1')
        uuid = self.enqueue()
        self.start_worker()
        self.wait_for_state(uuid, 'done')

    def test_takes_what_is_meant_for_others_if_there_is_no_more(self):
        self.enqueue()
        seen = [workers.Worker('worker-%d' % number, 'h', 'b', 'compute', 0)
                for number in range(50)]
        for one in seen:
            made = self.make_worker()
            made.lease.uuid = one.uuid
            made._watch.observe(seen)
            made._look()
            self.assertEqual(1, len(made._candidates))
