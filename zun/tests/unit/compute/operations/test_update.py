# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.common import quota
from zun.db import api as db_api
from zun import objects
from zun.tests.unit.compute.operations import base

PATCH = {'cpu': 2.0, 'memory': '1024'}


class UpdateTest(base.OperationTestCase):

    def setUp(self):
        super().setUp()
        self.container = self.put_container(cpu=1.0, memory='512')

    def sizes(self):
        row = self.row(self.container)
        return row.cpu, row.memory

    def used(self):
        node = objects.ComputeNode.get_by_name(self.context, base.HOST)
        return node.cpu_used, node.mem_used

    def limit(self, **limits):
        for resource, value in limits.items():
            db_api.quota_create(self.context, self.context.project_id,
                                resource, value)

    def know_project(self):
        quota.QUOTAS.check(self.context, {}).apply()

    def test_row_node_and_allocation(self):
        self.know_project()
        self.done('container_update', self.container, patch=PATCH)
        self.assertEqual((2.0, '1024'), self.sizes())
        self.assertEqual((1.0, 512), self.used())
        self.assertEqual(
            {'VCPU': 2, 'MEMORY_MB': 1024},
            self.placement.allocations[self.container.uuid])

    def test_quota_that_was_used_up_meanwhile(self):
        self.know_project()
        self.limit(cpu=1)
        error = self.failed('container_update', self.container, patch=PATCH)
        self.assertIn('Quota exceeded', error)
        self.assertEqual((1.0, '512'), self.sizes())
        self.assertEqual((0.0, 0), self.used())
        self.assertEqual(
            {'VCPU': 1, 'MEMORY_MB': 512},
            self.placement.allocations[self.container.uuid])

    def test_resize_keeps_no_quota(self):
        self.limit(cpu=1)
        self.done('resize_container', self.container, patch=PATCH)
        self.assertEqual((2.0, '1024'), self.sizes())

    def test_host_without_room(self):
        self.placement.full = True
        self.failed('resize_container', self.container, patch=PATCH)
        self.assertEqual((1.0, '512'), self.sizes())
        self.assertEqual((0.0, 0), self.used())

    def test_change_that_is_refused_is_taken_back(self):
        self.know_project()
        self.engine.faults['update'] = [exception.Conflict('no')]
        self.failed('container_update', self.container, patch=PATCH)
        self.assertEqual((1.0, '512'), self.sizes())
        self.assertEqual((0.0, 0), self.used())
