# SPDX-License-Identifier: Apache-2.0

import threading

import sqlalchemy as sa

from zun.common import exception
from zun.compute.tasks import errors
from zun.compute.tasks import queue
from zun.compute.tasks import wake
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import workers
from zun.tests.unit.compute.tasks import base


class EnqueueTestCase(base.TaskTestCase):

    def register_agent(self, host):
        with db_api.writer(None) as session:
            workers.register(session, self.new_uuid(), host,
                             'zun-compute-agent', 'agent:' + host)

    def test_keeps_who_asked(self):
        row = self.row(self.enqueue(_lane='lane-1'))
        self.assertEqual(
            ('noop', 'compute', 'ready', 'lane-1', 1, 0, 0, 8),
            (row.kind, row.queue, row.state, row.lane, row.lane_seq,
             row.attempt, row.epoch, row.max_attempts))
        self.assertEqual(
            (self.context.request_id, 'project-1', 'user-1'),
            (row.request_id, row.project_id, row.user_id))

    def test_is_undone_with_the_transaction(self):
        try:
            with db_api.writer(self.context):
                uuid = self.enqueue()
                raise RuntimeError
        except RuntimeError:
            self.assertRaises(sa.exc.NoResultFound, self.row, uuid)

    def test_lane_is_numbered(self):
        numbers = [self.row(self.enqueue(_lane='lane-1')).lane_seq
                   for _ in range(3)]
        self.assertEqual([1, 2, 3], numbers)
        self.assertEqual(1, self.row(self.enqueue(_lane='lane-2')).lane_seq)
        self.assertIsNone(self.row(self.enqueue()).lane_seq)

    def test_creation_starts_its_lane(self):
        self.assertEqual(
            [1, 2, 3],
            [self.row(self.enqueue(kind, _lane='lane-1')).lane_seq
             for kind in ('container_create', 'container_create',
                          'container_stop')])

    def test_same_dedup_key_gives_the_same_task(self):
        first = self.enqueue(_dedup_key='restart:pod-1')
        self.assertEqual(first, self.enqueue(_dedup_key='restart:pod-1'))
        self.change(first, state='done')
        self.assertEqual(first, self.enqueue(_dedup_key='restart:pod-1'))
        self.assertNotEqual(first, self.enqueue(_dedup_key='restart:pod-2'))

    def test_dedup_key_in_a_lane(self):
        first = self.enqueue(_dedup_key='k', _lane='lane-1')
        self.assertEqual(first, self.enqueue(_dedup_key='k', _lane='lane-1'))

    def test_delay(self):
        row = self.row(self.enqueue(_delay=30))
        self.assertTrue(29e6 <= row.run_at - row.created_at <= 31e6)

    def test_too_much_is_refused(self):
        self.config(group='task', max_payload_size=1024)
        error = self.assertRaises(errors.PayloadTooLarge, self.enqueue,
                                  text='x' * 1024)
        self.assertEqual(400, error.code)
        self.assertIn('at most 1024', str(error))

    def test_node_local_work_goes_to_the_agent(self):
        self.register_agent('node-1')
        for kind, host, expected in (
                ('container_stop', 'node-1', 'agent:node-1'),
                ('container_stop', 'node-2', 'compute'),
                ('container_stop', None, 'compute'),
                ('container_start', 'node-1', 'compute')):
            row = self.row(self.enqueue(kind, _host=host))
            self.assertEqual(expected, row.queue, (kind, host))

    def test_creates_take_up_a_place_of_their_node(self):
        row = self.row(self.enqueue('container_create', _host='node-1'))
        self.assertEqual('node-1', row.host)
        row = self.row(self.enqueue('container_start', _host='node-1'))
        self.assertIsNone(row.host)

    def test_delete_hastens_what_waits_in_its_lane(self):
        create = self.enqueue('container_create', _lane='lane-1')
        other = self.enqueue('container_create', _lane='lane-2')
        fresh = self.enqueue('container_start', _lane='lane-1')
        for uuid in (create, other):
            self.change(uuid, epoch=3, run_at=2 ** 60)
        self.change(fresh, run_at=2 ** 60)
        self.enqueue('container_delete', _lane='lane-1')
        self.assertLess(self.row(create).run_at, 2 ** 60)
        self.assertEqual(2 ** 60, self.row(other).run_at)
        self.assertEqual(2 ** 60, self.row(fresh).run_at)

    def test_workers_are_told_after_the_commit(self):
        poked = []

        def listener():
            poked.append('compute')
        wake.subscribe('compute', listener)
        self.addCleanup(wake.unsubscribe, 'compute', listener)
        with db_api.writer(self.context):
            self.enqueue()
            self.enqueue()
            self.assertEqual([], poked)
        self.assertEqual(2, len(poked))


class WaitTestCase(base.TaskTestCase):

    def wait(self, uuid, timeout=base.LIMIT):
        return queue.wait(self.context, uuid, 'noop', timeout)

    def test_result(self):
        self.operations.add('noop', lambda context: {'uuid': 'u-1'})
        self.start_worker()
        self.assertEqual({'uuid': 'u-1'}, self.wait(self.enqueue()))

    def test_error(self):
        def run(context):
            raise exception.ContainerNotFound(container='c-1')
        self.operations.add('noop', run)
        self.start_worker()
        uuid = self.enqueue()
        error = self.assertRaises(exception.ContainerNotFound,
                                  self.wait, uuid)
        self.assertEqual('Container c-1 could not be found.', str(error))

    def test_task_that_nobody_begins_is_cancelled(self):
        uuid = self.enqueue()
        error = self.assertRaises(errors.TaskTimeout, self.wait, uuid, 0.05)
        self.assertIn('nothing was changed', str(error))
        self.assertEqual('cancelled', self.row(uuid).state)

    def test_task_that_runs_goes_on(self):
        goes_on = threading.Event()
        self.operations.add('noop', lambda context: goes_on.wait(base.LIMIT))
        self.start_worker()
        self.addCleanup(goes_on.set)
        uuid = self.enqueue()
        self.wait_for_state(uuid, 'running')
        error = self.assertRaises(errors.TaskTimeout, self.wait, uuid, 0.05)
        self.assertIn('still being worked on', str(error))
        goes_on.set()
        self.assertTrue(self.wait(uuid))
