# SPDX-License-Identifier: Apache-2.0

import types

from zun.common import context as zun_context
from zun.common import exception
from zun import objects
from zun.pci import manager
from zun.pci import stats
from zun.pci import whitelist
from zun.tests import base
from zun.tests import fixtures as zun_fixtures

NODE = '00000000-0000-4000-8000-0000000000d1'
CONTAINER = '00000000-0000-4000-8000-0000000000c1'
REQUEST = '00000000-0000-4000-8000-0000000000e1'


def device(address, dev_type='PCI', parent_addr=None, product_id='1520'):
    return {'address': address, 'vendor_id': '8086', 'label': 'label',
            'product_id': product_id, 'dev_id': 'pci_' + address,
            'dev_type': dev_type, 'numa_node': None,
            'parent_addr': parent_addr}


PF = device('0000:0a:00.0', 'PF')
VFS = [device('0000:0a:01.%d' % number, 'VF', '0000:0a:00.0', '1521')
       for number in range(2)]


def wanted(count=1, **spec):
    return objects.ContainerPCIRequest(
        count=count, spec=[spec], request_id=REQUEST)


class PciTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(zun_fixtures.Database())
        self.config('pci', passthrough_whitelist=[
            '{"vendor_id": "8086", "physical_network": "p1"}'])
        self.context = zun_context.get_admin_context()
        objects.ComputeNode(self.context, uuid=NODE, rp_uuid=NODE,
                            hostname='h').create(self.context)
        self.container = types.SimpleNamespace(
            uuid=CONTAINER, obj_attr_is_set=lambda name: False)

    def tracker(self):
        return manager.PciDevTracker(self.context, NODE)

    def counts(self):
        return sorted((pool.tags['dev_type'], pool.count)
                      for pool in self.tracker().pools.objects)

    def rows(self):
        return {dev.address: dev.status for dev in
                objects.PciDevice.list_by_compute_node(self.context, NODE)}


class InventoryTest(PciTestCase):

    def test_new_devices(self):
        self.tracker().update_devices([PF, *VFS])
        self.assertEqual([('PF', 1), ('VF', 2)], self.counts())
        self.assertEqual('p1', self.tracker().pools.objects[0].tags[
            'physical_network'])

    def test_devices_outside_the_whitelist(self):
        self.tracker().update_devices([dict(PF, vendor_id='10de')])
        self.assertEqual({}, self.rows())

    def test_device_that_is_gone(self):
        self.tracker().update_devices([PF, *VFS])
        self.tracker().update_devices([PF])
        self.assertEqual([('PF', 1)], self.counts())

    def test_device_that_is_gone_but_held(self):
        self.tracker().update_devices([PF])
        self.tracker().allocate([wanted(dev_type='PF')], self.container)
        self.tracker().update_devices([])
        self.assertEqual({PF['address']: 'allocated'}, self.rows())

    def test_same_report_changes_nothing(self):
        self.tracker().update_devices([PF, *VFS])
        before = self.rows()
        self.tracker().update_devices([PF, *VFS])
        self.assertEqual(before, self.rows())


class AllocationTest(PciTestCase):

    def setUp(self):
        super().setUp()
        self.tracker().update_devices([PF, *VFS])

    def test_virtual_function(self):
        taken = self.tracker().allocate(
            [wanted(physical_network='p1')], self.container)
        self.assertEqual('1521', taken[0].product_id)
        row = objects.PciDevice.get_by_dev_addr(
            self.context, NODE, taken[0].address)
        self.assertEqual((CONTAINER, REQUEST, 'allocated'),
                         (row.container_uuid, row.request_id, row.status))
        # Its physical function cannot be given away as a whole now.
        self.assertEqual([('VF', 1)], self.counts())

    def test_physical_function_takes_its_virtual_ones(self):
        taken = self.tracker().allocate([wanted(dev_type='PF')],
                                        self.container)
        self.assertEqual('1520', taken[0].product_id)
        self.assertEqual([], self.counts())

    def test_too_many(self):
        self.assertRaises(
            exception.ResourcesUnavailable, self.tracker().allocate,
            [wanted(3, physical_network='p1')], self.container)

    def test_giving_back(self):
        self.tracker().allocate([wanted(2, physical_network='p1')],
                                self.container)
        self.tracker().free(CONTAINER)
        self.assertEqual([('PF', 1), ('VF', 2)], self.counts())

    def test_giving_back_nothing(self):
        self.tracker().free(CONTAINER)
        self.assertEqual([('PF', 1), ('VF', 2)], self.counts())


class StatsTest(PciTestCase):

    def stats(self, *devices):
        found = stats.PciDeviceStats(whitelist=whitelist.Whitelist())
        for dev in devices:
            found.add_device(objects.PciDevice.create(
                self.context, dict(dev, compute_node_uuid=NODE)))
        return found

    def test_equal_devices_share_a_pool(self):
        self.assertEqual([1, 2], [pool['count'] for pool in
                                  self.stats(PF, *VFS).pools])

    def test_row_and_pools_are_the_same(self):
        found = self.stats(PF, *VFS)
        self.assertEqual(found.pools, stats.PciDeviceStats(
            found.to_device_pools_obj()).pools)

    def test_requests_are_taken_from_several_pools(self):
        found = self.stats(VFS[0], dict(VFS[1], product_id='1522'))
        found.apply_requests([wanted(2, physical_network='p1')])
        self.assertEqual([], found.pools)

    def test_requests_that_cannot_be_met_take_nothing(self):
        found = self.stats(*VFS)
        self.assertRaises(
            exception.ResourcesUnavailable, found.apply_requests,
            [wanted(1, physical_network='p1'), wanted(dev_type='PF')])
        self.assertEqual(2, found.pools[0]['count'])

    def test_physical_function_is_kept_for_who_asks_for_it(self):
        self.assertFalse(self.stats(PF).support_requests(
            [wanted(physical_network='p1')]))

    def test_removal(self):
        found = self.stats(*VFS)
        dev = objects.PciDevice.create(
            self.context, dict(VFS[0], compute_node_uuid=NODE))
        found.remove_device(dev)
        found.remove_device(dev)
        self.assertRaises(exception.PciDevicePoolEmpty, found.remove_device,
                          dev)
