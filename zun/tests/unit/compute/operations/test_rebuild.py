# SPDX-License-Identifier: Apache-2.0
from zun.common import consts
from zun.common import exception
from zun.common.k8s import errors as k8s_errors
from zun.compute import container_actions as actions
from zun.container import errors
from zun.tests.unit.compute.operations import base
from zun.tests.unit.container import fake_driver

EXITED = fake_driver.EXITED


class TestRebuild(base.OperationTestCase):

    def ask_one(self, container, run=True):
        return self.ask('container_rebuild', container, actions.REBUILD,
                        run=run)

    def put(self, **fields):
        return self.put_container(EXITED, **{
            'status': consts.STOPPED, 'image': 'new:2', **fields})

    def rebuild(self, container, run=True):
        task = self.run_task(self.ask_one(container, run))
        self.assertEqual(1, len(self.engine.containers))
        return task

    def test_run(self):
        container = self.put()
        self.rebuild(container)
        self.assertRow(container, status=consts.RUNNING, task_state=None,
                       container_id='fake-2', status_reason=None)
        self.assertEqual(
            (None, {'rebuild': 'Success', 'start': 'Success'}),
            self.events(container))

    def test_without_run(self):
        container = self.put()
        self.rebuild(container, run=False)
        self.assertRow(container, status=consts.CREATED, task_state=None)
        self.assertEqual((None, {'rebuild': 'Success'}),
                         self.events(container))

    def test_keeps_its_ports(self):
        container = self.put()
        self.rebuild(container)
        self.assertEqual({'net-0': container.uuid}, self.network.ports)
        self.assertEqual(['net'], list(self.row(container).addresses))

    def test_of_a_removed_container(self):
        container = self.put()
        self.engine.containers.clear()
        self.rebuild(container)
        self.assertRow(container, status=consts.RUNNING)

    def test_no_network(self):
        container = self.put()
        container.addresses = {}
        container.save(self.context)
        self.assertIn('no network', self.rebuild(container).error)
        self.assertRow(container, status=consts.ERROR, task_state=None)

    def test_port_that_is_gone(self):
        """Nothing has been changed then."""
        container = self.put()
        self.network.faults['rebind'] = [exception.PortNotFound(port='x')]
        self.rebuild(container)
        self.assertRow(container, status=consts.ERROR, host=base.HOST,
                       container_id='fake-1')

    def test_image_that_does_not_exist(self):
        container = self.put()
        self.engine.faults['await_start'] = [
            errors.StartFailed('not found', 'ErrImagePull', True)]
        self.rebuild(container)
        self.assertRow(container, status=consts.ERROR, host=base.HOST,
                       status_reason='not found')
        self.assertEqual({'net-0': container.uuid}, self.network.ports)
        self.assertEqual({'rebuild': 'Error', 'start': 'Error'},
                         self.events(container)[1])

    def test_api_server_away(self):
        for method in ('remove', 'recreate', 'start', 'await_start'):
            container = self.put()
            self.engine.faults[method] = [k8s_errors.Unavailable('x')] * 2
            self.assertEqual('done', self.rebuild(container).state)
            self.clean_up(container)

    def test_killed_at_any_moment(self):
        def start():
            container = self.put()
            return container, self.ask_one(container)

        def check(container, task):
            self.assertEqual('done', task.state)
            self.assertEqual([[container.uuid, fake_driver.RUNNING]],
                             list(self.engine.containers.values()))
            self.assertRow(container, status=consts.RUNNING,
                           task_state=None)
            self.assertEqual(
                (None, {'rebuild': 'Success', 'start': 'Success'}),
                self.events(container))

        self.kill_everywhere(start, check)
