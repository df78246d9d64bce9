# SPDX-License-Identifier: Apache-2.0

from unittest import mock

from oslo_db import exception as db_exc

from zun.compute.tasks import lease
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy.queries import workers
from zun.tests.unit.compute.tasks import base


class LeaseTestCase(base.TaskTestCase):

    def setUp(self):
        super().setUp()
        self.clock = base.Clock()
        self.lease = lease.Lease('node-1', 'zun-compute', 'compute',
                                 self.clock)

    def seen(self):
        with db_api.reader(None) as session:
            return workers.seen(session)

    def claim(self):
        with db_api.reader(None) as session:
            found = tasks.candidates(session, 'compute', 1, 10)
        with db_api.writer(None) as session:
            return tasks.claim(session, found[0], self.lease.uuid)

    def test_nothing_is_held_before_the_registration(self):
        self.assertFalse(self.lease.held())

    def test_registers(self):
        self.lease.register()
        self.assertEqual(
            [workers.Worker(self.lease.uuid, 'node-1', 'zun-compute',
                            'compute', 0)], self.seen())
        self.assertTrue(self.lease.held())

    def test_beat_counts_up_and_prolongs(self):
        self.lease.register()
        self.clock.now += 14
        self.lease.beat()
        self.assertEqual(1, self.seen()[0].beats)
        self.clock.now += 14
        self.assertTrue(self.lease.held())

    def test_silence_ends_the_lease(self):
        self.lease.register()
        self.clock.now += 15
        self.assertFalse(self.lease.held())

    def test_lease_counts_from_before_the_write(self):
        self.lease.register()
        real = workers.beat

        def slow(session, uuid):
            self.clock.now += 10
            return real(session, uuid)
        with mock.patch.object(workers, 'beat', slow):
            self.lease.beat()
        self.clock.now += 5
        self.assertFalse(self.lease.held())

    def test_beat_that_fails_prolongs_nothing(self):
        self.lease.register()
        self.clock.now += 14
        with mock.patch.object(workers, 'beat', autospec=True,
                               side_effect=db_exc.DBConnectionError):
            self.assertRaises(db_exc.DBConnectionError, self.lease.beat)
        self.clock.now += 1
        self.assertFalse(self.lease.held())

    def test_late_beat_revives_a_worker_that_was_not_given_up(self):
        self.lease.register()
        self.clock.now += 100
        self.lease.beat()
        self.assertTrue(self.lease.held())

    def test_worker_that_was_given_up_goes_on_as_another(self):
        self.lease.register()
        old = self.lease.uuid
        with db_api.writer(None) as session:
            workers.remove(session, old)
        self.lease.beat()
        self.assertNotEqual(old, self.lease.uuid)
        self.assertEqual([self.lease.uuid],
                         [worker.uuid for worker in self.seen()])
        self.assertTrue(self.lease.held())
        self.assertFalse(self.lease.held_by(old))

    def test_stop_gives_up_what_is_still_held(self):
        uuid = self.enqueue()
        self.lease.start()
        self.claim()
        self.lease.stop()
        row = self.row(uuid)
        self.assertEqual(('ready', 2), (row.state, row.epoch))
        self.assertEqual([], self.seen())
        self.assertTrue(self.lease.uuid)
