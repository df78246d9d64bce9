# SPDX-License-Identifier: Apache-2.0
import fixtures

from zun.common import exception
from zun.compute import container_actions as actions
from zun import objects
from zun.tests.unit.compute.operations import base
from zun.tests.unit.container import fake_driver
from zun.tests.unit.db import utils
from zun.volume import driver

READY, WAIT = driver.Readiness(True), driver.Readiness(False)
HOPELESS = driver.Readiness(False, True)


class FakeVolumes(driver.VolumeDriver):
    """A provider whose answers are given one after another."""

    def __init__(self):
        self.calls = []
        self.states = {'available': [], 'deleted': []}
        self.refusal = None

    def _state(self, name):
        self.calls.append(name)
        states = self.states[name]
        return states.pop(0) if states else READY

    def available(self, context, volmap):
        return self._state('available')

    def deleted(self, context, volmap):
        return self._state('deleted')

    def attach(self, context, volmap, host):
        self.calls.append('attach')
        self._refuse()

    def mount(self, volmap):
        return driver.container_driver.Mount(
            'k', volmap.container_path, claim='c')

    def detach(self, context, volmap):
        self.calls.append('detach')
        self._refuse()

    def delete(self, context, volmap):
        self.calls.append('delete')

    def _refuse(self):
        if self.refusal is not None:
            raise self.refusal


class VolumeTestCase(base.OperationTestCase):

    def setUp(self):
        super().setUp()
        self.config(group='volume', driver_list=['local', 'cinder'],
                    timeout_wait_volume_available=2,
                    timeout_wait_volume_deleted=2)
        self.volumes = FakeVolumes()
        self.useFixture(fixtures.MockPatchObject(
            driver, 'load_volume_driver', lambda name: self.volumes))

    def volume(self, **fields):
        row = utils.create_test_volume(**{'auto_remove': False, **fields})
        return objects.Volume.get_by_id(utils.admin(), row['id'])

    def volmap(self, container, volume=None, path='/data'):
        volume = volume or self.volume()
        return objects.VolumeMapping(
            self.context, container_uuid=container.uuid,
            volume_id=volume.id, container_path=path, volume=volume,
            project_id=utils.PROJECT, user_id=utils.USER)

    def mapped(self, container):
        return objects.VolumeMapping.list_by_container(utils.admin(),
                                                       container.uuid)

    def create_with(self, container, *volmaps):
        return self.run_task(self.create(
            container, volumes={container.uuid: list(volmaps)}))


class TestAttach(VolumeTestCase):

    def test_before_the_container_is_made(self):
        container = self.new_container()
        task = self.create_with(container, self.volmap(container))
        self.assertEqual('done', task.state)
        self.assertEqual(['available', 'attach'], self.volumes.calls)
        self.assertEqual(1, len(self.mapped(container)))
        self.assertEqual([('k', '/data', None, 'c')],
                         self.engine.plan.mounts[container.uuid])

    def test_waits_for_it(self):
        container = self.new_container()
        self.volumes.states['available'] = [WAIT, WAIT]
        self.assertEqual('done', self.create_with(
            container, self.volmap(container)).state)

    def test_not_in_time(self):
        container = self.new_container()
        self.volumes.states['available'] = [WAIT] * 9
        task = self.create_with(container, self.volmap(container))
        self.assertIn('did not reach available status after 2 seconds',
                      task.error)
        self.assertNothingLeft(container)

    def test_in_error(self):
        container = self.new_container()
        self.volumes.states['available'] = [HOPELESS]
        self.assertEqual('failed', self.create_with(
            container, self.volmap(container)).state)
        self.assertEqual(['available'], self.volumes.calls)

    def test_refused(self):
        container = self.new_container()
        self.volumes.refusal = exception.Invalid('no way')
        self.create_with(container, self.volmap(container))
        self.assertNothingLeft(container)
        self.assertEqual([], self.mapped(container))
        self.assertRow(container, status_reason='no way')

    def test_volumes_of_a_failed_create_go(self):
        container = self.new_container()
        volume = self.volume(auto_remove=True)
        self.engine.faults['create'] = [exception.Invalid('x')]
        self.create_with(container, self.volmap(container, volume))
        self.assertIn('delete', self.volumes.calls)
        self.assertEqual([], self.mapped(container))
        self.assertRaises(exception.VolumeNotFound,
                          objects.Volume.get_by_id, utils.admin(),
                          volume.id)

    def test_killed_at_any_moment(self):
        def start():
            container = self.new_container()
            return container, self.create(container, volumes={
                container.uuid: [self.volmap(container)]})

        def check(container, task):
            self.assertEqual('done', task.state)
            self.assertEqual(1, len(self.mapped(container)))

        self.kill_everywhere(start, check)


class TestDetach(VolumeTestCase):

    def put(self, **fields):
        container = self.put_container(fake_driver.EXITED,
                                       status='Stopped')
        volume = self.volume(**fields)
        utils.create_test_volume_mapping(volume_id=volume.id,
                                         container_uuid=container.uuid)
        return container, volume

    def delete(self, container, force=False):
        return self.do('container_delete', container, force=force)

    def test_kept_volume(self):
        container, __ = self.put()
        self.delete(container)
        self.assertEqual(['detach'], self.volumes.calls)
        self.assertEqual([], self.mapped(container))

    def test_volume_made_for_the_container(self):
        container, __ = self.put(auto_remove=True)
        self.volumes.states['deleted'] = [WAIT]
        self.assertEqual('done', self.delete(container).state)
        self.assertEqual(['detach', 'delete', 'deleted'] * 2,
                         self.volumes.calls)

    def test_that_others_use(self):
        container, volume = self.put()
        utils.create_test_volume_mapping(volume_id=volume.id)
        self.delete(container)
        self.assertEqual([], self.volumes.calls)

    def test_refused(self):
        container, __ = self.put()
        self.volumes.refusal = exception.Conflict('busy')
        self.assertEqual('failed', self.delete(container).state)
        self.assertRow(container, status='Error', status_reason='busy')
        self.volumes.refusal = None
        self.assertEqual('done', self.delete(container).state)

    def test_refused_by_force(self):
        container, __ = self.put()
        self.volumes.refusal = exception.Conflict('busy')
        self.assertEqual('done', self.delete(container, force=True).state)
        self.assertEqual([], self.mapped(container))

    def test_not_deleted_in_time(self):
        container, __ = self.put(auto_remove=True)
        self.volumes.states['deleted'] = [WAIT] * 9
        task = self.delete(container)
        self.assertIn('cannot be successfully deleted after 2 seconds',
                      task.error)

    def test_given_up_when_a_start_fails(self):
        container, __ = self.put()
        self.engine.faults['recreate'] = [exception.Conflict('no')]
        self.do('container_start', container, actions.START)
        self.assertEqual(['detach'], self.volumes.calls)
        self.assertRow(container, status='Error')

    def test_giving_up_does_not_wait(self):
        container, __ = self.put(auto_remove=True)
        self.volumes.states['deleted'] = [WAIT] * 9
        self.engine.faults['recreate'] = [exception.Conflict('no')]
        self.do('container_start', container, actions.START)
        self.assertEqual(['detach', 'delete'], self.volumes.calls)
        self.assertEqual([], self.mapped(container))
