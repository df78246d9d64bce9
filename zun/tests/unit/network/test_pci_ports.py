# SPDX-License-Identifier: Apache-2.0
"""Ports of PCI devices."""

import json

import fixtures

from zun.common import exception
from zun import objects
from zun.tests.unit.network import test_cni_network as network

REQUEST = 'request-1'
PROFILE = {'pci_vendor_info': '8086:10ed', 'pci_slot': '0000:05:10.2',
           'physical_network': 'physnet1'}


class TestDevices(network.NetworkTestCase):

    def setUp(self):
        super().setUp()
        self.config(group='pci', passthrough_whitelist=[json.dumps({
            'vendor_id': '8086', 'physical_network': 'physnet1'})])
        self.devices = [objects.PciDevice(
            address='0000:05:10.2', vendor_id='8086', product_id='10ed',
            request_id=REQUEST, parent_addr=None, dev_type='VF')]
        self.useFixture(fixtures.MockPatchObject(
            objects.PciDevice, 'list_by_container_uuid',
            lambda context, uuid: self.devices))

    def port(self, **fields):
        return network.port(**{'binding:vnic_type': 'direct',
                               'binding:profile': {}, **fields})

    def plug(self):
        self.answer('GET', 'ports/p1', port=self.port(device_id=''))
        self.answer('PUT', 'ports/p1', port=self.port())
        return self.driver().plug(
            self.container(), network.HOST, [network.requested(
                port='p1', preserve_on_delete=True,
                pci_request_id=REQUEST)])

    def test_neutron_is_told(self):
        self.plug()
        self.assertEqual(
            ('service', 'PUT', 'ports/p1',
             {'port': {'binding:profile': PROFILE}}), self.written()[-1])

    def test_none_was_claimed(self):
        self.devices = []
        self.assertRaises(exception.Invalid, self.plug)

    def test_given_back(self):
        """What the user has said of the port stays."""
        self.answer('GET', 'ports?id=p1', ports=[self.port()])
        self.answer('GET', 'ports/p1', port=self.port(**{
            'binding:profile': {**PROFILE, 'own': 1}}))
        self.answer('PUT', 'ports/p1', port=self.port())
        self.driver().unplug(self.container(), {
            network.NET: [network.address(preserve=True)]})
        self.assertEqual(
            {'physical_network': 'physnet1', 'own': 1},
            self.written()[-1][3]['port']['binding:profile'])

    def test_taken_again(self):
        self.answer('GET', 'ports?id=p1', ports=[self.port()])
        self.answer('GET', 'networks?id=' + network.NET, networks=[
            {'id': network.NET}])
        self.answer('GET', 'networks?name=' + network.NET, networks=[
            {'id': network.NET}])
        self.answer('GET', 'ports?name=p1', ports=[self.port()])
        self.answer('GET', 'ports/p1', port=self.port(**{
            'binding:profile': PROFILE}))
        self.answer('PUT', 'ports/p1', port=self.port())
        self.driver().rebind(self.container(), network.HOST, {
            network.NET: [network.address(preserve=True)]})
        self.assertEqual({'binding:profile': PROFILE},
                         self.written()[-1][3]['port'])
