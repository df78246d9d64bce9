# SPDX-License-Identifier: Apache-2.0
from zun.common import consts
from zun.common import exception
from zun.common.k8s import errors as k8s_errors
from zun.common import quota
from zun import objects
from zun.tests.unit.compute.operations import base
from zun.tests.unit.container import fake_driver


class TestUpdate(base.OperationTestCase):

    def put(self, **fields):
        # As the API does, before it asks.
        quota.QUOTAS.check(self.context, {})
        container = self.put_container(**fields)
        node = objects.ComputeNode.get_by_name(self.context, base.HOST)
        node.cpu_used, node.mem_used, node.running_containers = 1.0, 512, 1
        node.save(self.context)
        self.placement.allocations[container.uuid] = {
            'VCPU': 1, 'MEMORY_MB': 512}
        return container

    def counted(self, container):
        """What Placement, the node and the row say: cpu and memory."""
        held = self.placement.allocations[container.uuid]
        node = objects.ComputeNode.get_by_name(self.context, base.HOST)
        row = self.row(container)
        return ((held['VCPU'], held['MEMORY_MB']),
                (node.cpu_used, node.mem_used), (row.cpu, row.memory))

    def update(self, container, **patch):
        return self.do('container_update', container, patch=patch)

    def test_more(self):
        container = self.put()
        self.assertEqual('done', self.update(
            container, cpu=2.0, memory='1024').state)
        self.assertEqual(((2, 1024), (2.0, 1024), (2.0, '1024')),
                         self.counted(container))
        self.assertIn('update', self.engine.calls)

    def test_name_alone_counts_nothing(self):
        container = self.put()
        self.update(container, name='new')
        self.assertRow(container, name='new')
        self.assertEqual(((1, 512), (1.0, 512), (1.0, '512')),
                         self.counted(container))

    def assertRefused(self, container, word, **patch):
        self.assertIn(word, self.update(container, **patch).error)
        self.assertEqual(((1, 512), (1.0, 512), (1.0, '512')),
                         self.counted(container))
        self.assertRow(container, status=consts.RUNNING, task_state=None)

    def test_placement_is_full(self):
        container = self.put()
        self.placement.full = True
        self.assertRefused(container, 'not that much left', cpu=2.0)

    def test_engine_refuses(self):
        container = self.put()
        self.engine.faults['update'] = [exception.Conflict('no room')]
        self.assertRefused(container, 'no room', cpu=2.0, memory='1024')

    def test_engine_breaks(self):
        container = self.put()
        self.engine.faults['update'] = [
            k8s_errors.Forbidden('quota', status=403)]
        self.assertRefused(container, 'quota', cpu=2.0)

    def test_engine_has_lost_it(self):
        container = self.put()
        self.engine.containers.clear()
        self.update(container, cpu=2.0)
        self.assertRow(container, status=consts.ERROR, cpu=1.0)

    def test_never_made(self):
        container = self.new_container()
        self.assertIn('uncreated', self.update(container, cpu=2.0).error)

    def test_resize_container(self):
        """The same, and nobody waits for it."""
        container = self.put()
        self.done('resize_container', container, patch={'cpu': 2.0})
        self.assertEqual(2.0, self.row(container).cpu)

    def test_killed_at_any_moment(self):
        def start():
            container = self.put()
            return container, self.ask('container_update', container,
                                       patch={'cpu': 2.0,
                                              'memory': '1024'})

        def check(container, task):
            self.assertEqual('done', task.state)
            self.assertEqual(((2, 1024), (2.0, 1024), (2.0, '1024')),
                             self.counted(container))

        self.kill_everywhere(start, check)

    def test_refusal_killed_at_any_moment(self):
        def start():
            self.engine.faults['update'] = [
                exception.Conflict('no room')] * 9
            container = self.put(state=fake_driver.RUNNING)
            return container, self.ask('container_update', container,
                                       patch={'cpu': 2.0,
                                              'memory': '1024'})

        def check(container, task):
            self.assertEqual('failed', task.state)
            self.assertEqual(((1, 512), (1.0, 512), (1.0, '512')),
                             self.counted(container))

        self.kill_everywhere(start, check)
