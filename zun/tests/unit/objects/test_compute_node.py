# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.db import api as dbapi
from zun import objects
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class ComputeNodeTestCase(base.DbTestCase):

    def _get(self, **changes):
        utils.create_test_compute_node(**changes)
        return objects.ComputeNode.get_by_uuid(self.context, utils.NODE_UUID)

    def test_fields_of_the_row(self):
        node = self._get()
        values = utils.get_test_compute_node()
        for name, value in values.items():
            if name not in ('numa_topology', 'pci_stats'):
                self.assertEqual(value, getattr(node, name), name)
        self.assertEqual(set(), node.obj_what_changed())

    def test_numa_topology(self):
        node = self._get(numa_topology=utils.get_test_numa_topology(
            pinned=(0,)))
        self.assertEqual({1, 2, 3}, node.numa_topology.nodes[0].free_cpus)

    def test_cpus_stored_as_text(self):
        node = self._get(numa_topology={'nodes': [{
            'id': 0, 'cpuset': ['0', '1'], 'pinned_cpus': ['0'],
            'mem_total': 1, 'mem_available': 1}]})
        self.assertEqual({1}, node.numa_topology.nodes[0].free_cpus)

    def test_numa_topology_that_is_null(self):
        utils.create_test_compute_node()
        with dbapi.writer(self.context) as session:
            session.connection().exec_driver_sql(
                'UPDATE compute_node SET numa_topology = NULL, '
                'labels = NULL, runtimes = NULL')
        node, = objects.ComputeNode.list(self.context)
        self.assertEqual(([], None, None), (
            node.numa_topology.nodes, node.labels, node.runtimes))

    def test_pinning_is_saved(self):
        node = self._get()
        node.numa_topology.nodes[0].pin_cpus([0, 1])
        node.save()
        node.refresh()
        self.assertEqual({0, 1}, node.numa_topology.nodes[0].pinned_cpus)
        self.assertEqual(set(), node.obj_what_changed())

    def test_pci_device_pools(self):
        pool = objects.PciDevicePool(
            count=2, numa_node=0, product_id='1520', vendor_id='8086',
            tags={'dev_type': 'type-VF'})
        node = self._get()
        node.pci_device_pools = objects.PciDevicePoolList(objects=[pool])
        node.save()
        node.refresh()
        found, = node.pci_device_pools
        self.assertEqual((2, '1520', {'dev_type': 'type-VF'}),
                         (found.count, found.product_id, found.tags))

    def test_no_pci_device_pools(self):
        self.assertIsNone(self._get().pci_device_pools)

    def test_create(self):
        node = objects.ComputeNode(
            self.context, hostname='h', rp_uuid=utils.PROVIDER_UUID,
            numa_topology=objects.NUMATopology(nodes=[]))
        node.create(self.context)
        self.assertEqual('h', objects.ComputeNode.get_by_name(
            self.context, 'h').hostname)

    def test_save(self):
        node = self._get()
        node.mem_used = 7
        node.save(self.context)
        self.assertEqual(7, objects.ComputeNode.get_by_name(
            self.context, 'compute-1').mem_used)

    def test_destroy(self):
        node = self._get()
        node.destroy(self.context)
        self.assertRaises(exception.ComputeNodeNotFound,
                          objects.ComputeNode.get_by_uuid, self.context,
                          utils.NODE_UUID)
