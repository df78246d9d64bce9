# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.db import api as dbapi
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class PciDevicesTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        utils.create_test_compute_node()

    def test_read_back(self):
        values = utils.get_test_pci_device()
        row = utils.create_test_pci_device()
        row = dbapi.get_pci_device_by_id(self.context, row['id'])
        self.assertEqual(values, {name: row[name] for name in values})

    def test_by_address(self):
        row = utils.create_test_pci_device()
        self.assertEqual(row['id'], dbapi.get_pci_device_by_addr(
            self.context, utils.NODE_UUID, '0000:0a:00.1')['id'])

    def test_unknown_address(self):
        e = self.assertRaises(exception.PciDeviceNotFound,
                              dbapi.get_pci_device_by_addr, self.context,
                              'n', 'a')
        self.assertEqual('PCI Device n:a not found.', str(e))

    def test_unknown_number(self):
        self.assertRaises(exception.PciDeviceNotFoundById,
                          dbapi.get_pci_device_by_id, self.context, 9)

    def test_update_changes_the_device_at_the_address(self):
        row = utils.create_test_pci_device()
        changed = utils.create_test_pci_device(status='claimed')
        self.assertEqual((row['id'], 'claimed'),
                         (changed['id'], changed['status']))

    def test_of_a_node(self):
        utils.create_test_pci_device()
        self.assertRows(['0000:0a:00.1'], dbapi.get_all_pci_device_by_node(
            self.context, utils.NODE_UUID), 'address')
        self.assertEqual([], dbapi.get_all_pci_device_by_node(
            self.context, 'x'))

    def test_of_a_physical_function(self):
        utils.create_test_pci_device()
        self.assertRows(
            ['0000:0a:00.1'], dbapi.get_all_pci_device_by_parent_addr(
                self.context, utils.NODE_UUID, '0000:0a:00.0'), 'address')

    def test_of_a_container(self):
        utils.create_test_pci_device(status='allocated',
                                     container_uuid=utils.UUID)
        utils.create_test_pci_device(address='0000:0a:00.2',
                                     status='claimed',
                                     container_uuid=utils.UUID)
        self.assertRows(
            ['0000:0a:00.1'], dbapi.get_all_pci_device_by_container_uuid(
                self.context, utils.UUID), 'address')

    def test_destroy(self):
        utils.create_test_pci_device()
        dbapi.destroy_pci_device(self.context, utils.NODE_UUID,
                                 '0000:0a:00.1')
        self.assertRaises(exception.PciDeviceNotFound,
                          dbapi.destroy_pci_device, self.context,
                          utils.NODE_UUID, '0000:0a:00.1')
