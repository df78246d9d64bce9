# SPDX-License-Identifier: Apache-2.0
from zun.common import clients
from zun.common import consts
from zun.common import exception
from zun.common.k8s import errors as k8s_errors
from zun import objects
from zun.tests.unit.compute.operations import base
from zun.tests.unit.container import fake_driver
from zun.tests.unit.db import utils

EXITED = fake_driver.EXITED


class DeleteTestCase(base.OperationTestCase):

    def put_ended(self, **fields):
        container = self.put_container(EXITED, status=consts.STOPPED,
                                       **fields)
        self.count_in()
        return container

    def count_in(self):
        node = objects.ComputeNode.get_by_name(self.context, base.HOST)
        node.cpu_used, node.running_containers = 1.0, 1
        node.save(self.context)

    def delete(self, container, force=False):
        return self.done('container_delete', container, force=force)

    def assertGone(self, container):
        self.assertRaises(exception.HTTPNotFound, self.row, container)
        self.assertNothingLeft(container)


class TestDelete(DeleteTestCase):

    def test_everything_goes(self):
        container = self.put_ended()
        self.delete(container)
        self.assertGone(container)
        self.assertIn('tidy', self.engine.calls)

    def test_running(self):
        container = self.put_container()
        self.assertIn('cannot remove a running container',
                      self.failed('container_delete', container,
                                  force=False))
        self.assertRow(container, status=consts.ERROR, task_state=None)
        self.assertEqual([container.uuid],
                         list(self.network.ports.values()))

    def test_running_by_force(self):
        container = self.put_container()
        self.count_in()
        self.delete(container, force=True)
        self.assertGone(container)

    def test_never_made(self):
        container = self.new_container(status=consts.ERROR)
        self.delete(container)
        self.assertGone(container)

    def test_engine_has_lost_it(self):
        container = self.put_ended()
        self.engine.containers.clear()
        self.delete(container)
        self.assertGone(container)

    def test_own_port_is_given_back(self):
        container = self.put_ended(addresses={'net': [{
            'addr': '10.0.0.5', 'version': 4, 'port': 'mine',
            'subnet_id': 's', 'preserve_on_delete': True}]})
        self.network.ports.clear()
        self.network.ports['mine'] = container.uuid
        self.delete(container)
        self.assertEqual({'mine': ''}, self.network.ports)

    def test_own_group(self):
        container = self.put_ended(exposed_ports={'80/tcp': {}},
                                   security_groups=['group-1'])
        self.network.groups['group-1'] = container.uuid
        self.delete(container)
        self.assertGone(container)

    def test_volume_of_a_container(self):
        container = self.put_ended()
        volume = utils.create_test_volume(
            volume_provider='local', cinder_volume_id=None, contents='eA==')
        utils.create_test_volume_mapping(volume_id=volume['id'],
                                         container_uuid=container.uuid)
        self.delete(container)
        self.assertEqual([], objects.VolumeMapping.list_by_container(
            utils.admin(), container.uuid))


class TestFailures(DeleteTestCase):

    def test_transient(self):
        container = self.put_ended()
        self.engine.faults['remove'] = [k8s_errors.Unavailable('x')] * 3
        self.delete(container)
        self.assertGone(container)

    def test_engine_refuses(self):
        container = self.put_ended()
        self.engine.faults['remove'] = [
            k8s_errors.Forbidden('no rights', status=403)]
        self.assertIn('no rights', self.failed(
            'container_delete', container, force=False))
        self.assertRow(container, status=consts.ERROR, task_state=None)

    def test_repeated_after_a_failure(self):
        container = self.put_ended()
        self.engine.faults['remove'] = [
            k8s_errors.Forbidden('no rights', status=403)]
        self.failed('container_delete', container, force=False)
        self.delete(container)
        self.assertGone(container)

    def test_force_passes_over_refusals(self):
        container = self.put_ended()
        self.engine.faults['remove'] = [
            k8s_errors.Forbidden('no rights', status=403)]
        self.network.faults['unplug'] = [exception.ZunException('no')]
        self.delete(container, force=True)
        self.assertRaises(exception.HTTPNotFound, self.row, container)

    def test_force_waits_for_what_passes(self):
        container = self.put_ended()
        self.engine.faults['remove'] = [k8s_errors.Unavailable('x')] * 2
        self.delete(container, force=True)
        self.assertGone(container)

    def test_force_ends_in_the_end(self):
        container = self.put_ended()
        self.engine.faults['remove'] = [k8s_errors.Unavailable('x')] * 999
        self.failed('container_delete', container, force=True)
        self.assertRaises(exception.HTTPNotFound, self.row, container)

    def test_placement_refuses(self):
        """Nothing runs any more; the delete can be asked for again."""
        container = self.put_ended()
        self.placement.faults = [clients.PeerRefused(
            'placement', 'conflict', 409)]
        self.failed('container_delete', container, force=False)
        self.assertRow(container, status=consts.STOPPED, task_state=None)
        self.delete(container)
        self.assertGone(container)


class TestKilled(DeleteTestCase):

    def check(self, container, task):
        self.assertIn(task.state, ('done', 'cancelled'))
        self.assertGone(container)

    def test_delete(self):
        def start():
            container = self.put_ended()
            return container, self.ask('container_delete', container,
                                       force=False)

        self.kill_everywhere(start, self.check)

    def test_forced(self):
        def start():
            container = self.put_container()
            self.count_in()
            return container, self.ask('container_delete', container,
                                       force=True)

        self.kill_everywhere(start, self.check)
