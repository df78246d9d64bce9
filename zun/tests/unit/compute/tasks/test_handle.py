# SPDX-License-Identifier: Apache-2.0

import json

from zun.compute.tasks import errors
from zun.compute.tasks import handle
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks
from zun.tests.unit.compute.tasks import base


class TaskHandleTestCase(base.TaskTestCase):

    def setUp(self):
        super().setUp()
        self.uuid = self.enqueue()
        self.lease_held = True
        self.handle = self.claim()

    def claim(self):
        with db_api.reader(None) as session:
            found = tasks.candidates(session, 'compute', 1, 10)
        with db_api.writer(None) as session:
            row = tasks.claim(session, found[0], 'worker-1')
        return handle.TaskHandle(row, lambda: self.lease_held)

    def take_over(self):
        with db_api.writer(None) as session:
            tasks.take_from(session, 'worker-1')

    def test_step_is_seen_by_the_next_attempt(self):
        self.handle.step_put('attachment', 'a-1')
        self.handle.step_put('port', {'id': 'p-1'})
        self.take_over()
        again = self.claim()
        self.assertEqual('a-1', again.step_get('attachment'))
        self.assertEqual({'id': 'p-1'}, again.step_get('port'))
        self.assertIsNone(again.step_get('volume'))
        self.assertEqual(self.handle.epoch + 2, again.epoch)

    def test_step_is_part_of_the_open_transaction(self):
        try:
            with db_api.writer(None):
                self.handle.step_put('port', 'p-1')
                raise RuntimeError
        except RuntimeError:
            self.assertIsNone(self.row(self.uuid).step)

    def test_step_is_forgotten_with_its_transaction(self):
        self.handle.step_put('volume', 'v-1')
        try:
            with db_api.writer(None):
                self.handle.step_put('port', 'p-1')
                self.handle.step_put('volume', 'v-2')
                raise RuntimeError
        except RuntimeError:
            self.assertIsNone(self.handle.step_get('port'))
        self.handle.step_put('claimed', True)
        self.assertEqual({'volume': 'v-1', 'claimed': True},
                         json.loads(self.row(self.uuid).step))

    def test_step_outlives_later_failures(self):
        with db_api.writer(None):
            self.handle.step_put('port', 'p-1')
        try:
            with db_api.writer(None):
                raise RuntimeError
        except RuntimeError:
            self.assertEqual('p-1', self.handle.step_get('port'))

    def test_step_of_a_lost_task_is_refused(self):
        self.take_over()
        self.assertRaises(errors.LeaseLost, self.handle.step_put, 'a', 1)
        self.assertIsNone(self.row(self.uuid).step)

    def test_check_fails_without_a_good_lease(self):
        self.handle.check()
        self.lease_held = False
        self.assertRaises(errors.LeaseLost, self.handle.check)

    def test_check_fails_after_a_refused_write(self):
        self.take_over()
        self.handle.check()
        self.assertRaises(errors.LeaseLost, self.handle.step_put, 'a', 1)
        self.assertRaises(errors.LeaseLost, self.handle.check)

    def test_fence_changes_the_row(self):
        before = self.row(self.uuid)
        with db_api.writer(None) as session:
            self.handle.fence(session)
        self.assertEqual(before.guard + 1, self.row(self.uuid).guard)
