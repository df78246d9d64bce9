# SPDX-License-Identifier: Apache-2.0
from zun.common import consts
from zun.common import exception
from zun.common.k8s import errors as k8s_errors
from zun.compute.operations import policy
from zun.compute.operations import restarts
from zun.container import errors
from zun.db import api as db_api
from zun.tests.unit.compute.operations import base
from zun.tests.unit.container import fake_driver

RUNNING, EXITED = fake_driver.RUNNING, fake_driver.EXITED
MEMORY = restarts.Memory(1, 0.1)


class TestRestart(base.OperationTestCase):

    def put(self, state=EXITED, **fields):
        return self.put_container(state, **{
            'status': consts.RESTARTING, **fields})

    def schedule(self, container):
        with db_api.writer(self.context):
            policy.schedule(container, MEMORY)
        with db_api.reader(None) as session:
            return session.execute(base.TASK.select()).all()

    def restart(self, container, pod=None):
        return self.do('container_restart', container,
                       pod=pod or container.container_id,
                       memory=MEMORY.dump())

    def states(self):
        return [state for __, state in self.engine.containers.values()]

    def test_scheduled_once(self):
        container = self.put()
        self.schedule(container)
        task, = self.schedule(container)
        self.assertEqual(('container_restart', container.uuid),
                         (task.kind, task.lane))
        task = self.run_task(task.uuid)
        self.assertEqual('done', task.state)
        self.assertRow(container, status=consts.RUNNING)

    def test_next_generation(self):
        container = self.put()
        self.assertEqual('done', self.restart(container).state)
        self.assertEqual([EXITED, RUNNING], self.states())
        self.assertRow(container, status=consts.RUNNING,
                       container_id='fake-2')

    def test_unhealthy_one_is_stopped_first(self):
        self.restart(self.put(RUNNING))
        self.assertEqual([EXITED, RUNNING], self.states())

    def test_removed_one_is_made_from_its_row(self):
        container = self.put()
        self.engine.containers.clear()
        self.assertEqual('done', self.restart(container).state)
        self.assertEqual([RUNNING], self.states())
        self.assertRow(container, status=consts.RUNNING)

    def test_something_else_was_done_meanwhile(self):
        for fields, pod in (({'status': consts.STOPPED}, None),
                            ({'status': consts.RUNNING}, None),
                            ({}, 'another')):
            container = self.put(**fields)
            self.assertEqual('done', self.restart(container, pod).state)
            self.assertNotIn('recreate', self.engine.calls)

    def test_deleted_meanwhile(self):
        container = self.put()
        uuid = self.ask('container_restart', container,
                        pod=container.container_id, memory=MEMORY.dump())
        container.destroy(self.context)
        self.assertEqual('cancelled', self.run_task(uuid).state)
        self.assertEqual([EXITED], self.states())

    def test_cannot_run(self):
        container = self.put()
        self.engine.faults['await_start'] = [
            errors.StartFailed('no such file', 'StartError')]
        self.assertEqual('failed', self.restart(container).state)
        self.assertRow(container, status=consts.ERROR,
                       status_reason='no such file')

    def test_engine_refuses(self):
        container = self.put()
        self.engine.faults['recreate'] = [exception.Conflict('no')]
        self.restart(container)
        self.assertRow(container, status=consts.ERROR, status_reason='no')

    def test_api_server_away(self):
        container = self.put()
        for method in ('recreate', 'start', 'await_start', 'prune'):
            self.engine.faults[method] = [k8s_errors.Unavailable('x')]
        self.assertEqual('done', self.restart(container).state)
        self.assertRow(container, status=consts.RUNNING)

    def test_killed_at_any_moment(self):
        def start():
            container = self.put()
            return container, self.ask(
                'container_restart', container,
                pod=container.container_id, memory=MEMORY.dump())

        def check(container, task):
            self.assertEqual('done', task.state)
            self.assertEqual(RUNNING, self.states()[-1])
            self.assertEqual(1, self.states().count(RUNNING))
            self.assertRow(container, status=consts.RUNNING)

        self.kill_everywhere(start, check)


class TestRemove(base.OperationTestCase):

    def test_delete_is_asked_for_once(self):
        container = self.put_container(EXITED, status=consts.DELETED,
                                       auto_remove=True)
        for __ in range(2):
            with db_api.writer(self.context):
                policy.remove(container)
        with db_api.reader(None) as session:
            task, = session.execute(base.TASK.select()).all()
        self.run_task(task.uuid)
        self.assertRaises(exception.HTTPNotFound, self.row, container)
        self.assertEqual({}, self.engine.containers)
