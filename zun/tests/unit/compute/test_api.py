# SPDX-License-Identifier: Apache-2.0
"""Tests of what rows and tasks are written through."""

import fixtures
from oslo_db import exception as db_exc
from oslo_utils import uuidutils
import sqlalchemy as sa

from zun.common import consts
from zun.common import context as zun_context
from zun.common import exception
from zun.compute import api as compute_api
from zun.db import api as db_api
from zun.db.sqlalchemy import task_models
from zun import objects
from zun.tests import base
from zun.tests import fixtures as zun_fixtures

CLIENT = 'zun.scheduler.client.'


class ComputeApiTestCase(base.TestCase):

    def setUp(self) -> None:
        super().setUp()
        self.useFixture(zun_fixtures.Database())
        # Pokes are sent by a thread, which would share the one connection
        # that a database in memory has.
        self.config('task', poke=False)
        self.context = zun_context.RequestContext(
            project_id='p', user_id='u', request_id='req-1')
        self.api = compute_api.API(self.context)

    def container(self, **values) -> 'objects.Container':
        """A container that is not saved."""
        return objects.Container(self.context, **{
            'uuid': uuidutils.generate_uuid(), 'name': 'web',
            'image': 'nginx', 'project_id': 'p', 'user_id': 'u',
            'status': consts.RUNNING, 'host': 'compute-1', **values})

    def saved(self, **values) -> 'objects.Container':
        container = self.container(**values)
        container.create(self.context)
        return container

    def rows(self) -> list[dict]:
        return db_api.list_containers(self.context, consts.TYPE_CONTAINER)

    def tasks(self) -> list[str]:
        """The kinds of the tasks that are queued, in their order."""
        table = task_models.task
        with db_api.reader(self.context) as session:
            return list(session.execute(sa.select(table.c.kind).order_by(
                table.c.id)).scalars())

    def actions(self, container) -> list[str]:
        return [row['action'] for row in
                db_api.actions_get(self.context, container.uuid)]


class CastTest(ComputeApiTestCase):

    def test_action_and_task_are_one_transaction(self):
        container = self.saved()
        self.api.container_stop(self.context, container, 10)
        self.assertEqual(['container_stop'], self.tasks())
        self.assertEqual(['stop'], self.actions(container))

    def test_what_follows_a_cast_can_undo_it(self):
        container = self.saved()

        def stop_and_fail():
            with db_api.writer(self.context):
                self.api.container_reboot(self.context, container, 10)
                raise ValueError('later')
        self.assertRaises(ValueError, stop_and_fail)
        self.assertEqual([], self.tasks())
        self.assertEqual([], self.actions(container))
        self.assertEqual(consts.RUNNING, self.rows()[0]['status'])

    def test_cast_that_loses_is_run_again_as_a_whole(self):
        container = self.saved()
        cast, failures = self.api.rpcapi.container_reboot, [
            db_exc.DBDeadlock()]

        def lose_once(*args):
            if failures:
                raise failures.pop()
            cast(*args)
        self.useFixture(fixtures.MockPatchObject(
            self.api.rpcapi, 'container_reboot', lose_once))
        self.api.container_reboot(self.context, container, 10)
        self.assertEqual(['container_reboot'], self.tasks())
        self.assertEqual(['reboot'], self.actions(container))
        self.assertEqual(consts.RESTARTING, self.rows()[0]['status'])


class CreateTest(ComputeApiTestCase):

    def setUp(self) -> None:
        super().setUp()
        self.released: list = []
        self.failure: Exception | None = None

        def select(_self, context, containers, extra_spec):
            self.assertFalse(db_api.in_transaction())
            if self.failure:
                raise self.failure
            return [{'host': 'compute-1', 'nodename': 'compute-1',
                     'limits': {}}]
        self.useFixture(fixtures.MonkeyPatch(
            CLIENT + 'query.SchedulerClient.select_destinations', select))
        self.release = self.released.append
        test = self

        class Report:
            def __init__(self, context):
                self.delete_allocation_for_container = test.release
        self.useFixture(fixtures.MonkeyPatch(
            CLIENT + 'report.SchedulerReportClient', Report))

    def create(self, container, insert=None) -> None:
        def write() -> dict:
            container.create(self.context)
            return {container.uuid: []}
        self.api.container_create(self.context, container, {}, [],
                                  insert or write, False)

    def test_container_action_and_task(self):
        container = self.container()
        self.create(container)
        self.assertEqual(1, len(self.rows()))
        self.assertEqual(['container_create'], self.tasks())
        self.assertEqual(['create'], self.actions(container))

    def test_no_host(self):
        self.failure = exception.NoValidHost(reason='full')
        self.create(self.container())
        row, = self.rows()
        self.assertEqual((consts.ERROR, compute_api.NO_VALID_HOST),
                         (row['status'], row['status_reason']))
        self.assertEqual([], self.tasks())

    def test_other_failure_of_the_scheduler(self):
        self.failure = exception.Conflict('taken')
        self.assertRaises(exception.Conflict, self.create, self.container())
        self.assertEqual([], self.rows())
        self.assertEqual([], self.released)

    def test_rows_that_cannot_be_written(self):
        container = self.container()

        def insert():
            container.create(self.context)
            raise exception.OverQuota(overs='cpu')
        self.assertRaises(exception.OverQuota, self.create, container,
                          insert)
        self.assertEqual([], self.rows())
        self.assertEqual([container.uuid], self.released)

    def test_claim_that_cannot_be_given_back(self):
        def fail(uuid):
            raise exception.Conflict('placement')
        self.release = fail

        def insert():
            raise exception.OverQuota(overs='cpu')
        self.assertRaises(exception.OverQuota, self.create,
                          self.container(), insert)


class CallTest(ComputeApiTestCase):

    def call(self, failure: Exception):
        def stats(_self, container):
            raise failure
        self.useFixture(fixtures.MonkeyPatch(
            'zun.compute.rpcapi.API.container_stats', stats))
        return self.assertRaises(
            exception.ZunException, self.api.container_stats, self.context,
            self.saved())

    def test_failure_without_a_status(self):
        error = self.call(exception.DockerError('no cgroup'))
        self.assertIsInstance(error, compute_api.OperationFailed)
        self.assertEqual(409, error.code)
        self.assertIn('no cgroup', str(error))

    def test_failure_with_a_status(self):
        self.assertEqual(400, self.call(exception.InvalidValue('x')).code)

    def test_host_that_is_down(self):
        error = self.call(exception.ContainerHostNotUp(
            container='web', host='compute-1'))
        self.assertIsInstance(error, exception.ContainerHostNotUp)
