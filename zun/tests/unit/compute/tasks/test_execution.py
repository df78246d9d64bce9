# SPDX-License-Identifier: Apache-2.0

import json
import threading
from unittest import mock

from oslo_db import exception as db_exc

from zun.common import exception
from zun.compute.tasks import errors
from zun.compute.tasks import execution
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy.queries import workers
from zun import objects
from zun.tests.unit.compute.tasks import base


class Transient(Exception):
    transient = True


class ExecutionTestCase(base.TaskTestCase):

    def setUp(self):
        super().setUp()
        self.closing = threading.Event()
        self.executor = execution.Executor(self.operations, self.closing)
        self.undone = []

    def claim(self):
        with db_api.reader(None) as session:
            found = tasks.candidates(session, 'compute', 1, 10)
        with db_api.writer(None) as session:
            return tasks.claim(session, found[0], 'worker-1')

    def run_once(self):
        self.executor.run(self.claim(), lambda: True)

    def undo(self, context, error, **arguments):
        self.undone.append((error, arguments))

    def failing(self, error, failed=None):
        def run(context, **arguments):
            raise error
        self.operations.add('noop', run, failed or self.undo)

    def test_result_is_kept(self):
        self.operations.add('noop', lambda context: {'uuid': 'u-1'})
        uuid = self.enqueue()
        self.run_once()
        row = self.row(uuid)
        self.assertEqual('done', row.state)
        self.assertEqual({'uuid': 'u-1'}, json.loads(row.result))

    def test_operation_gets_the_identity_of_the_request(self):
        got = []
        self.operations.add('noop', lambda context: got.append(context))
        self.enqueue()
        self.run_once()
        self.assertEqual(self.context.request_id, got[0].request_id)
        self.assertEqual('project-1', got[0].project_id)
        self.assertEqual('user-1', got[0].user_id)
        self.assertEqual(['member'], got[0].roles)
        self.assertIsNone(got[0].auth_token)
        self.assertFalse(got[0].is_admin)

    def test_transient_error_is_retried_later(self):
        self.failing(Transient('away'))
        uuid = self.enqueue(_lane='lane-1')
        self.run_once()
        row = self.row(uuid)
        self.assertEqual('ready', row.state)
        self.assertEqual(1, row.attempt)
        self.assertIsNone(row.lane_running)
        self.assertIsNone(row.owner)
        self.assertIn('away', row.error)
        self.assertTrue(1.5e6 <= row.run_at - row.started_at <= 2.5e6,
                        row.run_at - row.started_at)
        self.assertEqual([], self.undone)

    def test_pause_doubles_up_to_five_minutes(self):
        for attempt, middle in ((1, 2), (2, 4), (3, 8), (8, 256), (9, 300),
                                (1000, 300)):
            for _ in range(20):
                pause = execution.pause_after(attempt)
                self.assertTrue(.8 * middle <= pause <= 1.2 * middle, pause)

    def test_permanent_error_is_undone_and_fails(self):
        self.failing(exception.Invalid('no such thing'))
        uuid = self.enqueue(_lane='lane-1', name='n')
        self.run_once()
        row = self.row(uuid)
        self.assertEqual('failed', row.state)
        self.assertIsNone(row.lane_running)
        self.assertIsNotNone(row.finished_at)
        error, arguments = self.undone[0]
        self.assertIsInstance(error, exception.Invalid)
        self.assertEqual({'name': 'n'}, arguments)
        self.assertEqual('Invalid: no such thing', errors.message(row.error))

    def test_last_attempt_of_a_transient_error_fails(self):
        self.failing(Transient('away'))
        uuid = self.enqueue()
        self.change(uuid, attempt=7)
        self.run_once()
        self.assertEqual('failed', self.row(uuid).state)
        self.assertEqual(1, len(self.undone))

    def test_waiting_uses_up_no_attempt(self):
        self.failing(errors.Retry('image pull', after=20))
        uuid = self.enqueue()
        self.run_once()
        row = self.row(uuid)
        self.assertEqual(('ready', 0), (row.state, row.attempt))
        self.assertTrue(19e6 <= row.run_at - row.started_at <= 21e6)

    def test_delete_ends_the_waiting_before_it(self):
        for error in (errors.Retry('image pull', after=20),
                      Transient('away')):
            self.failing(error)
            uuid = self.enqueue(_lane='lane-1')
            delete = self.enqueue('container_delete', _lane='lane-1')
            self.run_once()
            self.assertEqual('failed', self.row(uuid).state)
            self.assertIsInstance(self.undone[-1][0], errors.Superseded)
            self.change(delete, state='done')

    def test_start_behind_it_ends_no_waiting(self):
        self.failing(errors.Retry('image pull', after=20))
        uuid = self.enqueue(_lane='lane-1')
        self.enqueue('container_start', _lane='lane-1')
        self.run_once()
        self.assertEqual('ready', self.row(uuid).state)

    def test_spent_attempts_are_only_undone(self):
        ran = []
        self.operations.add('noop', lambda context: ran.append(1), self.undo)
        uuid = self.enqueue()
        self.change(uuid, attempt=8)
        self.run_once()
        self.assertEqual([], ran)
        self.assertIsInstance(self.undone[0][0], errors.GaveUp)
        self.assertEqual('failed', self.row(uuid).state)

    def test_undoing_that_fails_is_repeated_alone(self):
        broken = mock.Mock(side_effect=[Transient('Neutron'), None])
        run = mock.Mock(side_effect=exception.Conflict('taken'))
        self.operations.add('noop', run, broken)
        uuid = self.enqueue()
        self.run_once()
        self.assertEqual('ready', self.row(uuid).state)
        self.change(uuid, run_at=0)
        self.run_once()
        self.assertEqual('failed', self.row(uuid).state)
        self.assertEqual(1, run.call_count)
        first, second = (call.args[1] for call in broken.call_args_list)
        self.assertIsInstance(second, exception.Conflict)
        self.assertEqual(str(first), str(second))

    def test_undoing_is_not_repeated_for_ever(self):
        self.failing(exception.Conflict('taken'),
                     mock.Mock(side_effect=Transient('Neutron')))
        uuid = self.enqueue()
        self.change(uuid, attempt=17, max_attempts=8)
        self.run_once()
        self.assertEqual('failed', self.row(uuid).state)

    def test_kind_of_another_release_waits_for_it(self):
        uuid = self.enqueue('from_the_future')
        self.run_once()
        row = self.row(uuid)
        self.assertEqual(('ready', 0), (row.state, row.attempt))
        self.assertIn('from_the_future', row.error)

    def test_object_that_an_earlier_attempt_removed(self):
        objects.register_all()
        for name in ('Capsule', 'Container', 'Image', 'ZunNetwork'):
            with self.subTest(name):
                self.operations.add('image_delete',
                                    lambda context, container: None)
                uuid = self.enqueue('image_delete')
                text = json.loads(self.row(uuid).payload)
                text['arguments'] = {
                    'container': {'$ref': [name, self.new_uuid()]}}
                self.change(uuid, payload=json.dumps(text), attempt=1)
                self.run_once()
                self.assertEqual('done', self.row(uuid).state)

    def test_object_that_is_gone_cancels(self):
        self.operations.add('noop', lambda context, container: None)
        uuid = self.enqueue()
        row = self.row(uuid)
        text = json.loads(row.payload)
        text['arguments'] = {
            'container': {'$ref': ['Container', self.new_uuid()]}}
        self.change(uuid, payload=json.dumps(text))
        self.run_once()
        row = self.row(uuid)
        self.assertEqual('cancelled', row.state)
        self.assertIn('ContainerNotFound', row.error)

    def test_writes_under_an_old_epoch_are_refused(self):
        seen = []

        def run(context):
            with db_api.writer(None) as session:
                tasks.take_from(session, 'worker-1')
            try:
                with db_api.writer(context) as session:
                    workers.register(session, 'w', 'h', 'b', 'q')
            except errors.LeaseLost as error:
                seen.append(error)
                raise
        self.operations.add('noop', run, self.undo)
        uuid = self.enqueue()
        self.run_once()
        row = self.row(uuid)
        self.assertEqual(('ready', 2), (row.state, row.epoch))
        self.assertEqual([], self.undone)
        self.assertEqual(1, len(seen))
        with db_api.reader(None) as session:
            self.assertEqual([], workers.seen(session))

    def test_result_of_a_lost_task_is_refused(self):
        def run(context):
            with db_api.writer(None) as session:
                tasks.take_from(session, 'worker-1')
        self.operations.add('noop', run)
        uuid = self.enqueue()
        self.run_once()
        self.assertEqual('ready', self.row(uuid).state)

    def test_outcome_is_written_once_the_database_is_back(self):
        self.operations.add('noop', lambda context: None)
        uuid = self.enqueue()
        row = self.claim()
        tries = []
        real = tasks.finish

        def finish(*args, **kwargs):
            tries.append(args)
            if len(tries) < 3:
                raise db_exc.DBConnectionError()
            return real(*args, **kwargs)
        self.useFixture(base.Patch(execution, 'ERROR_PAUSE', 0))
        with mock.patch.object(tasks, 'finish', finish):
            self.executor.run(row, lambda: True)
        self.assertEqual('done', self.row(uuid).state)
        self.assertEqual(3, len(tries))

    def test_outcome_is_left_to_others_when_the_process_ends(self):
        self.operations.add('noop', lambda context: None)
        uuid = self.enqueue()
        row = self.claim()
        self.closing.set()
        with mock.patch.object(tasks, 'finish', autospec=True,
                               side_effect=db_exc.DBConnectionError):
            self.assertRaises(db_exc.DBConnectionError, self.executor.run,
                              row, lambda: True)
        self.assertEqual('running', self.row(uuid).state)

    def test_result_without_a_form_in_json_fails(self):
        self.operations.add('noop', lambda context: object(), self.undo)
        uuid = self.enqueue()
        self.run_once()
        self.assertEqual('failed', self.row(uuid).state)
        self.assertEqual(1, len(self.undone))
