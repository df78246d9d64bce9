# SPDX-License-Identifier: Apache-2.0

import os

import fixtures

from zun.common import exception
from zun.pci import devspec
from zun.pci import utils
from zun.pci import whitelist
from zun.tests import base

NIC = {'vendor_id': '8086', 'product_id': '1520', 'parent_addr': None,
       'address': '0000:0a:00.1'}
VF = {'vendor_id': '8086', 'product_id': '1521',
      'parent_addr': '0000:0a:00.0', 'address': '0000:0a:01.7'}
GPU = {'vendor_id': '10de', 'product_id': '13f2', 'parent_addr': None,
       'address': '0001:ff:1f.0'}


class AddressTest(base.BaseTestCase):

    def test_fields(self):
        self.assertEqual(('0000', '0a', '00', '1'),
                         utils.parse_address('0000:0a:00.1'))
        self.assertEqual(('0000', '0a', '00', ''),
                         utils.get_pci_address_fields('0000:0a:00'))

    def test_wrong_form(self):
        for address in ('0000:0a:00.8', '000:0a:00.1', '0000-0a-00.1', ''):
            self.assertRaises(exception.PciDeviceWrongAddressFormat,
                              utils.parse_address, address)

    def test_properties(self):
        match = utils.pci_device_prop_match
        self.assertTrue(match({'a': 1, 'b': 2}, [{'a': 2}, {'a': 1}]))
        self.assertFalse(match({'a': 1}, [{'a': 1, 'b': 2}]))
        self.assertTrue(match({'a': [1, 2]}, [{'a': [1]}]))
        self.assertFalse(match({'a': 1}, []))


class DeviceSpecTest(base.BaseTestCase):

    def matching(self, spec):
        return [dev['product_id'] for dev in (NIC, VF, GPU)
                if devspec.PciDeviceSpec(spec).match(dev)]

    def test_ids(self):
        self.assertEqual(['1520', '1521', '13f2'], self.matching({}))
        self.assertEqual(['1520', '1521'],
                         self.matching({'vendor_id': '8086'}))
        self.assertEqual(['13f2'], self.matching({'vendor_id': '10DE'}))
        self.assertEqual(['1521'], self.matching(
            {'vendor_id': '*', 'product_id': '1521'}))

    def test_glob_addresses(self):
        for address, expected in (
                ('0000:0a:00.1', ['1520']), ('*:0a:00.*', ['1520']),
                (':0a:00.', ['1520']), ('0a:00.1', ['1520']),
                ('.7', ['1521']), ('*:*:*.7', ['1521']),
                ('00.1', ['1520']), ('ff:*', ['13f2'])):
            self.assertEqual(expected, self.matching({'address': address}))

    def test_regular_expressions(self):
        self.assertEqual(['1520'], self.matching({'address': {
            'domain': '.*', 'bus': '0a', 'slot': '00',
            'function': '[0-2]'}}))
        self.assertEqual(['13f2'], self.matching({'address': {'bus': 'ff'}}))

    def test_tags_are_what_is_left(self):
        spec = devspec.PciDeviceSpec({'vendor_id': '8086', 'address': '*',
                                      'physical_network': 'p1'})
        self.assertEqual({'physical_network': 'p1'}, spec.get_tags())

    def test_what_is_wrong_is_said(self):
        for spec, message in (
                ({'vendor_id': '8086x'}, 'invalid vendor_id 8086x'),
                ({'product_id': '18086'}, 'invalid product_id 18086'),
                ({'address': 'zz:00.1'}, 'invalid bus zz'),
                ({'address': '0000:0a:20.1'}, 'invalid slot 20'),
                ({'address': '0000:0a:00.8'}, 'invalid func 8')):
            error = self.assertRaises(exception.PciConfigInvalidWhitelist,
                                      devspec.PciDeviceSpec, spec)
            self.assertIn(message, str(error))

    def test_addresses_of_no_form(self):
        for address in ('1:2:3:4.5', 5, {'bus': '['}, {'bus': 5}):
            self.assertRaises(exception.PciDeviceWrongAddressFormat,
                              devspec.PciDeviceSpec, {'address': address})

    def test_name_and_address_exclude_each_other(self):
        self.assertRaises(
            exception.PciDeviceInvalidDeviceName, devspec.PciDeviceSpec,
            {'devname': 'eth9', 'address': '*'})


class SysfsTest(base.TestCase):

    def setUp(self):
        super().setUp()
        for name, value in (('SYSFS', self.path('devices')),
                            ('NET_SYSFS', self.path('net'))):
            self.useFixture(fixtures.MonkeyPatch(
                'zun.pci.utils.' + name, value))
        self.device = self.path('devices', '0000:0a:00.0')
        os.makedirs(self.device)
        os.makedirs(self.path('net', 'eth9'))
        os.symlink(self.device, self.path('net', 'eth9', 'device'))

    def matches(self, spec, dev):
        return devspec.PciDeviceSpec(spec).match(dev)

    def test_interface_name(self):
        self.assertTrue(self.matches(
            {'devname': 'eth9'}, dict(NIC, address='0000:0a:00.0')))
        self.assertFalse(self.matches({'devname': 'eth9'}, NIC))
        self.assertFalse(self.matches({'devname': 'eth8'}, NIC))

    def test_physical_function_stands_for_its_virtual_ones(self):
        self.assertFalse(self.matches({'address': '0000:0a:00.0'}, VF))
        os.makedirs(os.path.join(self.device, 'virtfn0'))
        self.assertTrue(self.matches({'address': '0000:0a:00.0'}, VF))
        self.assertTrue(self.matches({'devname': 'eth9'}, VF))


class WhitelistTest(base.TestCase):

    def test_objects_and_lists(self):
        found = whitelist.Whitelist([
            '{"product_id": "1520"}',
            '[{"product_id": "13f2", "label": "gpu"}]'])
        self.assertEqual([True, False, True], [
            found.device_assignable(dev) for dev in (NIC, VF, GPU)])

    def test_option(self):
        self.config('pci', passthrough_whitelist=['{"vendor_id": "8086"}'])
        self.assertTrue(whitelist.Whitelist().device_assignable(NIC))

    def test_nothing_is_given_away_by_default(self):
        self.assertFalse(whitelist.Whitelist().device_assignable(NIC))

    def test_what_is_wrong_is_said(self):
        for entry, message in (
                ('{', "Invalid entry: '{'"),
                ('5', "Invalid entry: '5'; Expecting list or dict"),
                ('[5]', "Invalid entry: '5'; Expecting dict")):
            error = self.assertRaises(exception.PciConfigInvalidWhitelist,
                                      whitelist.Whitelist, [entry])
            self.assertIn(message, str(error))
