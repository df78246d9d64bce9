# SPDX-License-Identifier: Apache-2.0

import threading

from zun.common import exception
from zun.compute.tasks import errors
from zun.compute.tasks import queue
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks
from zun.tests.unit.compute.tasks import base


class WorkerTestCase(base.TaskTestCase):

    def test_runs_a_task_with_its_arguments(self):
        got = []
        self.operations.add('noop', lambda context, **kw: got.append(kw))
        uuid = self.enqueue(number=7, text='x')
        self.start_worker()
        row = self.wait_for_state(uuid, 'done')
        self.assertEqual([{'number': 7, 'text': 'x'}], got)
        self.assertEqual((1, 1), (row.epoch, row.attempt))
        self.assertIsNone(row.lane_running)
