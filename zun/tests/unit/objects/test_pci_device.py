# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun import objects
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class PciDeviceTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        utils.create_test_compute_node()
        self.container = objects.Container(self.context, uuid=utils.UUID,
                                           pci_devices=[])

    def _device(self, address='0000:0a:00.1', dev_type='PCI', **changes):
        return objects.PciDevice.create(self.context, {
            'compute_node_uuid': utils.NODE_UUID, 'address': address,
            'vendor_id': '8086', 'product_id': '1520', 'label': 'l',
            'dev_type': dev_type, **changes})

    def _functions(self):
        parent = self._device('0000:0a:00.0', 'PF')
        children = [self._device('0000:0a:00.%d' % number, 'VF')
                    for number in (1, 2)]
        parent.child_devices = children
        for child in children:
            child.parent_device = parent
        return parent, children

    def _states(self, parent, children):
        return [item.status for item in (parent, *children)]

    def test_create_and_read(self):
        device = self._device(speed=10)
        device.save()
        found = objects.PciDevice.get_by_dev_addr(
            self.context, utils.NODE_UUID, '0000:0a:00.1')
        self.assertEqual(
            (device.uuid, 'available', {'speed': '10'}),
            (found.uuid, found.status, found.extra_info))
        self.assertEqual(found.uuid, objects.PciDevice.get_by_dev_id(
            self.context, found.id).uuid)

    def test_lists(self):
        device = self._device(parent_addr='0000:0a:00.0')
        device.allocate(self.container)
        device.save()
        for found in (
                objects.PciDevice.list_by_compute_node(
                    self.context, utils.NODE_UUID),
                objects.PciDevice.list_by_container_uuid(
                    self.context, utils.UUID),
                objects.PciDevice.list_by_parent_address(
                    self.context, utils.NODE_UUID, '0000:0a:00.0')):
            self.assertEqual([device.uuid], [item.uuid for item in found])

    def test_host_does_not_change_the_state(self):
        device = self._device()
        device.claim(utils.UUID)
        device.update_device({'status': 'available', 'id': 9,
                              'label': 'new'})
        self.assertEqual(('claimed', 'new'), (device.status, device.label))

    def test_claim(self):
        device = self._device()
        device.claim(utils.UUID)
        self.assertEqual(('claimed', utils.UUID),
                         (device.status, device.container_uuid))

    def test_claim_what_is_claimed(self):
        device = self._device()
        device.claim(utils.UUID)
        self.assertRaises(exception.PciDeviceInvalidStatus, device.claim,
                          utils.UUID)

    def test_claim_of_the_physical_function(self):
        parent, children = self._functions()
        parent.claim(utils.UUID)
        self.assertEqual(['claimed', 'unclaimable', 'unclaimable'],
                         self._states(parent, children))

    def test_claim_of_a_virtual_function(self):
        parent, children = self._functions()
        children[0].claim(utils.UUID)
        self.assertEqual(['unclaimable', 'claimed', 'available'],
                         self._states(parent, children))

    def test_claim_of_the_physical_beside_a_virtual_function(self):
        parent, children = self._functions()
        children[0].claim(utils.UUID)
        parent.status = 'available'
        self.assertRaises(exception.PciDeviceVFInvalidStatus, parent.claim,
                          utils.UUID)

    def test_claim_of_a_virtual_beside_the_physical_function(self):
        parent, children = self._functions()
        parent.claim(utils.UUID)
        children[0].status = 'available'
        self.assertRaises(exception.PciDevicePFInvalidStatus,
                          children[0].claim, utils.UUID)

    def test_allocate(self):
        device = self._device()
        device.claim(utils.UUID)
        device.allocate(self.container)
        self.assertEqual(('allocated', [device.address]), (
            device.status,
            [item.address for item in self.container.pci_devices]))

    def test_allocate_what_another_claimed(self):
        device = self._device()
        device.claim('0c000000-0000-4000-8000-000000000009')
        self.assertRaises(exception.PciDeviceInvalidOwner, device.allocate,
                          self.container)

    def test_allocate_of_the_physical_function(self):
        parent, children = self._functions()
        parent.allocate(self.container)
        self.assertEqual(['allocated', 'unavailable', 'unavailable'],
                         self._states(parent, children))

    def test_free(self):
        device = self._device()
        device.save()
        device.allocate(self.container)
        self.assertEqual([device], device.free(self.container))
        self.assertEqual(('available', None, []), (
            device.status, device.container_uuid,
            self.container.pci_devices))

    def test_free_of_the_physical_function(self):
        parent, children = self._functions()
        parent.allocate(self.container)
        self.assertEqual([parent, *children], parent.free())
        self.assertEqual(['available'] * 3, self._states(parent, children))

    def test_free_of_the_last_virtual_function(self):
        parent, children = self._functions()
        for child in children:
            child.claim(utils.UUID)
        self.assertEqual([children[0]], children[0].free())
        self.assertEqual([children[1], parent], children[1].free())
        self.assertEqual(['available'] * 3, self._states(parent, children))

    def test_free_what_is_free(self):
        self.assertRaises(exception.PciDeviceInvalidStatus,
                          self._device().free)

    def test_free_what_another_has(self):
        device = self._device()
        device.claim('0c000000-0000-4000-8000-000000000009')
        self.assertRaises(exception.PciDeviceInvalidOwner, device.free,
                          self.container)

    def test_removed_device_is_deleted(self):
        device = self._device()
        device.save()
        device.remove()
        device.save()
        self.assertEqual([], objects.PciDevice.list_by_compute_node(
            self.context, utils.NODE_UUID))
        self.assertEqual('deleted', device.status)

    def test_remove_what_is_in_use(self):
        device = self._device()
        device.claim(utils.UUID)
        self.assertRaises(exception.PciDeviceInvalidStatus, device.remove)
