# SPDX-License-Identifier: Apache-2.0
"""The objects that no table holds."""

from os_vif.objects import vif as osv_vif

from zun import objects
from zun.objects import pci_device_pool
from zun.tests import base


class PciDevicePoolTestCase(base.BaseTestCase):

    def test_unknown_keys_become_tags(self):
        pool = objects.PciDevicePool.from_dict({
            'product_id': '1', 'vendor_id': '2', 'numa_node': 0, 'count': 3,
            'physical_network': 'p', 'tags': {'dev_type': 'type-VF'}})
        self.assertEqual({'physical_network': 'p', 'dev_type': 'type-VF'},
                         pool.tags)

    def test_there_and_back(self):
        values = {'product_id': '1', 'vendor_id': '2', 'numa_node': None,
                  'count': 3, 'physical_network': 'p'}
        self.assertEqual(values,
                         objects.PciDevicePool.from_dict(values).to_dict())

    def test_pools_of_nothing(self):
        self.assertEqual([], pci_device_pool.from_pci_stats(None).objects)

    def test_pools(self):
        pools = pci_device_pool.from_pci_stats([
            {'product_id': '1', 'vendor_id': '2', 'count': 3}])
        self.assertEqual([3], [pool.count for pool in pools])


class RequestGroupTestCase(base.BaseTestCase):

    def test_defaults(self):
        group = objects.RequestGroup()
        self.assertEqual((True, {}, set(), []), (
            group.use_same_provider, group.resources, group.required_traits,
            group.aggregates))

    def test_defaults_are_not_shared(self):
        objects.RequestGroup().resources['VCPU'] = 1
        self.assertEqual({}, objects.RequestGroup().resources)

    def test_given_values_stay(self):
        group = objects.RequestGroup(resources={'VCPU': 1},
                                     use_same_provider=False)
        self.assertEqual(({'VCPU': 1}, False), (group.resources,
                                                group.use_same_provider))


class PCIRequestsTestCase(base.BaseTestCase):

    def test_there_and_back(self):
        requests = objects.ContainerPCIRequests(
            container_uuid='0c000000-0000-4000-8000-000000000001',
            requests=[objects.ContainerPCIRequest(
                count=1, spec=[{'physical_network': None}])])
        again = objects.ContainerPCIRequests.obj_from_primitive(
            requests.obj_to_primitive())
        self.assertEqual([{'physical_network': None}],
                         again.requests[0].spec)


class VIFStateTestCase(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.vifs = {
            'eth0': osv_vif.VIFBridge(
                id='d0000000-0000-4000-8000-000000000001',
                bridge_name='br0'),
            'eth1': osv_vif.VIFOpenVSwitch(
                id='d0000000-0000-4000-8000-000000000002')}

    def test_default_and_others(self):
        state = objects.VIFState.from_dict(self.vifs)
        self.assertEqual('br0', state.default_vif.bridge_name)
        self.assertEqual(['eth1'], list(state.additional_vifs))
        self.assertEqual(self.vifs, state.vifs)

    def test_without_others(self):
        state = objects.VIFState(default_vif=self.vifs['eth0'])
        self.assertEqual(['eth0'], list(state.vifs))

    def test_there_and_back(self):
        state = objects.VIFState.obj_from_primitive(
            objects.VIFState.from_dict(self.vifs).obj_to_primitive())
        self.assertIsInstance(state.default_vif, osv_vif.VIFBridge)
        self.assertEqual('d0000000-0000-4000-8000-000000000002',
                         state.vifs['eth1'].id)
