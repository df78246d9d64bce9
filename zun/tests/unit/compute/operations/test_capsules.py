# SPDX-License-Identifier: Apache-2.0
from zun.common import consts
from zun.common import exception
from zun.common.k8s import errors as k8s_errors
from zun.compute import container_actions as actions
from zun.container import errors
from zun import objects
from zun.tests.unit.compute.operations import base
from zun.tests.unit.compute.operations import fakes

NO_IMAGE = errors.StartFailed('x: not found', 'ErrImagePull', True)


class CapsuleTestCase(base.OperationTestCase):

    def new_capsule(self, **fields):
        capsule = self.new_container(cls=objects.Capsule, **fields)
        for cls in (objects.CapsuleContainer,
                    objects.CapsuleInitContainer):
            member = self.new_container(cls, capsule_id=capsule.id)
            self.placement.allocations.pop(member.uuid)
        return self.row(capsule)

    def members(self, capsule):
        row = self.row(capsule)
        return [*row.init_containers, *row.containers]

    def ask_create(self, capsule):
        return self.ask(
            'capsule_create', capsule, actions.CREATE, limits={},
            requested_networks=[fakes.REQUESTED], requested_volumes={})

    def assertStatuses(self, capsule, *statuses):
        self.assertEqual(list(statuses), [
            row.status for row in [self.row(capsule),
                                   *self.members(capsule)]])


class TestCreate(CapsuleTestCase):

    def test_runs(self):
        capsule = self.new_capsule()
        self.assertEqual('done', self.run_task(
            self.ask_create(capsule)).state)
        self.assertStatuses(capsule, *[consts.RUNNING] * 3)
        self.assertRow(capsule, task_state=None, host=base.HOST)
        self.assertEqual([capsule.uuid], list(self.network.ports.values()))
        self.assertEqual((None, {'create': 'Success'}),
                         self.events(capsule))

    def test_ids_of_members(self):
        capsule = self.new_capsule()
        self.run_task(self.ask_create(capsule))
        ids = [member.container_id for member in self.members(capsule)]
        self.assertEqual(2, len(set(ids)))
        self.assertNotIn(None, ids)

    def assertUndone(self, capsule, reason):
        self.assertNothingLeft(capsule)
        self.assertStatuses(capsule, *[consts.ERROR] * 3)
        self.assertRow(capsule, status_reason=reason, container_id=None,
                       task_state=None, addresses={})
        self.assertEqual({'create': 'Error'}, self.events(capsule)[1])

    def test_image_that_does_not_exist(self):
        capsule = self.new_capsule()
        self.engine.faults['await_capsule'] = [NO_IMAGE]
        self.run_task(self.ask_create(capsule))
        self.assertUndone(capsule, 'x: not found')
        self.assertRow(capsule, host=base.HOST)

    def test_engine_refuses(self):
        capsule = self.new_capsule()
        self.engine.faults['create_capsule'] = [exception.Invalid('no')]
        self.run_task(self.ask_create(capsule))
        self.assertUndone(capsule, 'no')
        self.assertRow(capsule, host=None)

    def test_api_server_away(self):
        for method in ('create_capsule', 'start_capsule', 'await_capsule'):
            capsule = self.new_capsule()
            self.engine.faults[method] = [k8s_errors.Unavailable('x')] * 2
            self.assertEqual('done', self.run_task(
                self.ask_create(capsule)).state)
            self.clean_up(capsule)


class TestDelete(CapsuleTestCase):

    def test_with_its_members(self):
        capsule = self.new_capsule()
        self.run_task(self.ask_create(capsule))
        members = self.members(capsule)
        self.done('capsule_delete', capsule)
        self.assertNothingLeft(capsule)
        for row in [capsule, *members]:
            self.assertRaises(exception.HTTPNotFound, self.row, row)

    def test_of_one_that_failed(self):
        capsule = self.new_capsule()
        self.engine.faults['await_capsule'] = [NO_IMAGE]
        self.run_task(self.ask_create(capsule))
        self.done('capsule_delete', capsule)
        self.assertNothingLeft(capsule)


class TestKilled(CapsuleTestCase):

    def test_create(self):
        def start():
            capsule = self.new_capsule()
            return capsule, self.ask_create(capsule)

        def check(capsule, task):
            self.assertEqual('done', task.state)
            self.assertStatuses(capsule, *[consts.RUNNING] * 3)
            self.assertEqual([capsule.uuid],
                             list(self.network.ports.values()))
            self.assertEqual((1.0, 1), self.figures())
            self.assertEqual((None, {'create': 'Success'}),
                             self.events(capsule))

        self.kill_everywhere(start, check)

    def test_create_that_fails(self):
        def start():
            self.engine.faults['await_capsule'] = [NO_IMAGE] * 9
            capsule = self.new_capsule()
            return capsule, self.ask_create(capsule)

        def check(capsule, task):
            self.assertEqual('failed', task.state)
            self.assertNothingLeft(capsule)
            self.assertStatuses(capsule, *[consts.ERROR] * 3)

        self.kill_everywhere(start, check)

    def test_delete(self):
        def start():
            capsule = self.new_capsule()
            self.run_task(self.ask_create(capsule))
            return capsule, self.ask('capsule_delete', capsule)

        def check(capsule, task):
            self.assertIn(task.state, ('done', 'cancelled'))
            self.assertNothingLeft(capsule)
            self.assertRaises(exception.HTTPNotFound, self.row, capsule)

        self.kill_everywhere(start, check)
