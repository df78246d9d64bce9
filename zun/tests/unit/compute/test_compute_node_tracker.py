# SPDX-License-Identifier: Apache-2.0

from oslo_utils import uuidutils

from zun.common import clients
from zun.common import context as zun_context
from zun.common import exception
from zun.compute import compute_node_tracker
from zun.compute import provider_tree
from zun.db import api as db_api
from zun import objects
from zun.tests import base
from zun.tests import fixtures as zun_fixtures
from zun.tests import peers

NODE = '00000000-0000-4000-8000-0000000000d1'
OTHER = '00000000-0000-4000-8000-0000000000d2'
TRAIT = 'CUSTOM_ZUN_COMPUTE_STATUS_DISABLED'


def inventory(total, ratio, reserved=0):
    return {'total': total, 'min_unit': 1, 'max_unit': total, 'step_size': 1,
            'reserved': reserved, 'allocation_ratio': ratio}


WHOLE = {'VCPU': inventory(8, 16.0),
         'MEMORY_MB': inventory(16384, 1.5, 512),
         'DISK_GB': inventory(200, 1.0)}


def resources(**kwargs):
    return compute_node_tracker.HostResources(**dict({
        'cpus': 8, 'mem_total': 16384, 'mem_available': 8100,
        'disk_total': 200, 'runtimes': ['runc'],
        'numa': [{'id': 0, 'cpuset': [0, 1], 'mem_total': 1000}],
        'counts': {'total': 3, 'stopped': 1, 'paused': 1}}, **kwargs))


class TrackerTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.peers = self.useFixture(peers.Peers())
        self.useFixture(zun_fixtures.Database())
        self.context = zun_context.get_admin_context(all_projects=True)
        objects.ComputeNode(self.context, uuid=NODE, rp_uuid=NODE,
                            hostname='h').create(self.context)
        self.tracker = compute_node_tracker.ComputeNodeTracker('h')

    def answer(self, method, path, body=None, status=200):
        self.peers.answer('placement', method, path, body, status)

    def new_provider(self):
        self.answer('GET', '/resource_providers?in_tree=' + NODE,
                    {'resource_providers': []})
        self.answer('POST', '/resource_providers',
                    {'uuid': NODE, 'name': 'h', 'generation': 0})
        self.answer('PUT', '/resource_providers/%s/inventories' % NODE,
                    {'resource_provider_generation': 1,
                     'inventories': WHOLE})

    def known_provider(self, uuid=NODE, inventories=None, traits=()):
        item = {'uuid': uuid, 'name': 'h', 'generation': 3,
                'parent_provider_uuid': None}
        path = '/resource_providers/%s/' % uuid
        self.answer('GET', '/resource_providers?in_tree=' + uuid,
                    {'resource_providers': [item]})
        self.answer('GET', path + 'inventories',
                    {'inventories': WHOLE if inventories is None
                     else inventories, 'resource_provider_generation': 3})
        self.answer('GET', path + 'aggregates', {'aggregates': []})
        self.answer('GET', path + 'traits', {
            'traits': list(traits), 'resource_provider_generation': 3})
        return item

    def update(self, **kwargs):
        self.tracker.update_available_resources(self.context,
                                                resources(**kwargs))

    def node(self):
        return objects.ComputeNode.get_by_name(self.context, 'h')

    def asked(self, *methods):
        return [(method, path) for _who, _service, method, path, _body
                in self.peers.calls if not methods or method in methods]

    def body(self):
        return self.peers.calls[-1][4]


class RowTest(TrackerTestCase):

    def setUp(self):
        super().setUp()
        self.new_provider()

    def add(self, container_type=0, **kwargs):
        db_api.create_container(self.context, dict({
            'uuid': uuidutils.generate_uuid(), 'host': 'h', 'cpu': 1.0,
            'memory': '512', 'disk': 10, 'container_type': container_type,
            'project_id': 'p'}, **kwargs))

    def test_what_the_host_has(self):
        self.update()
        node = self.node()
        self.assertEqual((8, 16384, 8100, 160, ['runc']), (
            node.cpus, node.mem_total, node.mem_available, node.disk_total,
            node.runtimes))
        self.assertEqual((3, 0, 1, 1), (
            node.total_containers, node.running_containers,
            node.stopped_containers, node.paused_containers))

    def test_new_host(self):
        db_api.destroy_compute_node(self.context, NODE)
        self.answer('GET', '/resource_providers?in_tree=x', {})
        self.assertRaises(clients.PeerError, self.update)
        node = self.node()
        self.assertEqual(node.uuid, node.rp_uuid)
        self.assertNotEqual(NODE, node.uuid)

    def test_use_is_counted_anew(self):
        self.add()
        self.add(status='Error', cpu=None)
        self.add(container_type=1, memory='1024')
        self.add(container_type=2)
        self.add(host='other')
        self.update()
        node = self.node()
        self.assertEqual((2.0, 2048, 14336, 30, 3), (
            node.cpu_used, node.mem_used, node.mem_free, node.disk_used,
            node.running_containers))

    def test_pinned_cpus_are_counted_anew(self):
        self.add(cpuset={'cpuset_cpus': [1], 'cpuset_mems': [0]})
        self.update()
        numa = self.node().numa_topology.nodes[0]
        self.assertEqual(({0, 1}, {1}, 488), (
            numa.cpuset, numa.pinned_cpus, numa.mem_available))

    def test_devices(self):
        self.config('pci', passthrough_whitelist=['{"vendor_id": "8086"}'])
        self.update(pci_devices=[{
            'address': '0000:0a:01.0', 'vendor_id': '8086', 'label': 'l',
            'product_id': '1521', 'dev_id': 'x', 'dev_type': 'VF',
            'numa_node': None, 'parent_addr': None}])
        self.assertEqual(1, self.node().pci_device_pools.objects[0].count)

    def test_row_is_written_though_placement_is_away(self):
        self.peers.refuse('placement')
        self.assertRaises(clients.PeerUnavailable, self.update)
        self.assertEqual(8, self.node().cpus)


class ProviderTest(TrackerTestCase):

    def test_new_provider(self):
        self.new_provider()
        self.update()
        self.assertEqual(
            [('GET', '/resource_providers?in_tree=' + NODE),
             ('POST', '/resource_providers'),
             ('PUT', '/resource_providers/%s/inventories' % NODE)],
            self.asked())
        self.assertEqual({'resource_provider_generation': 0,
                          'inventories': WHOLE}, self.body())
        self.assertEqual(
            ['placement 1.14', 'placement 1.20', 'placement 1.26'],
            [headers['OpenStack-API-Version']
             for headers in self.peers.headers])

    def test_nothing_is_asked_while_nothing_changes(self):
        self.new_provider()
        self.update()
        del self.peers.calls[:]
        self.update()
        self.assertEqual([], self.asked())

    def test_known_provider_that_is_up_to_date(self):
        self.known_provider()
        self.update()
        self.assertEqual([], self.asked('PUT', 'POST'))

    def test_ratio_of_a_known_inventory_stays(self):
        self.known_provider(inventories={'VCPU': inventory(4, 9.0)})
        self.answer('PUT', '/resource_providers/%s/inventories' % NODE,
                    {'resource_provider_generation': 4,
                     'inventories': WHOLE})
        self.update()
        self.assertEqual(dict(WHOLE, VCPU=inventory(8, 9.0)),
                         self.body()['inventories'])

    def test_options_of_the_inventory(self):
        self.config('compute', reserved_host_cpus=1, cpu_allocation_ratio=4.0,
                    reserved_host_disk_mb=1500, ram_allocation_ratio=1.2,
                    reserved_host_memory_mb=1024)
        self.new_provider()
        self.update()
        self.assertEqual({'VCPU': inventory(8, 4.0, 1),
                          'MEMORY_MB': inventory(16384, 1.2, 1024),
                          'DISK_GB': inventory(200, 1.0, 2)},
                         self.body()['inventories'])

    def test_what_the_host_has_not_is_not_offered(self):
        self.new_provider()
        self.update(disk_total=0)
        self.assertEqual(['MEMORY_MB', 'VCPU'],
                         sorted(self.body()['inventories']))

    def test_generation_that_moved_on_is_read_again(self):
        self.known_provider(inventories={})
        path = '/resource_providers/%s/inventories' % NODE
        self.answer('PUT', path, {'errors': [{
            'detail': 'resource provider generation conflict'}]}, 409)
        self.answer('PUT', path, {'resource_provider_generation': 4,
                                  'inventories': WHOLE})
        self.update()
        self.assertEqual(2, len(self.asked('PUT')))

    def test_inventory_below_what_is_allocated_is_told(self):
        self.known_provider(inventories={})
        self.answer('PUT', '/resource_providers/%s/inventories' % NODE,
                    {'errors': [{'detail': 'in use'}]}, 409)
        self.assertRaises(clients.PeerRefused, self.update)

    def test_provider_of_the_same_name_is_taken_over(self):
        self.answer('GET', '/resource_providers?in_tree=' + NODE,
                    {'resource_providers': []})
        self.answer('POST', '/resource_providers', {}, 409)
        item = self.known_provider(uuid=OTHER)
        self.answer('GET', '/resource_providers?name=h',
                    {'resource_providers': [item]})
        self.update()
        self.assertEqual(OTHER, self.node().rp_uuid)

    def test_shared_host_uses_the_provider_of_its_name(self):
        self.config('compute', host_shared_with_nova=True)
        self.answer('GET', '/resource_providers?name=h',
                    {'resource_providers': [{'uuid': OTHER}]})
        self.update()
        self.assertEqual(OTHER, self.node().rp_uuid)
        self.assertEqual([], self.asked('PUT', 'POST'))

    def test_shared_host_that_placement_does_not_know(self):
        self.config('compute', host_shared_with_nova=True)
        for name in compute_node_tracker.host_names('h'):
            self.answer('GET', '/resource_providers?name=' + name,
                        {'resource_providers': []})
        self.assertRaises(exception.ComputeHostNotFound, self.update)


class DisabledServiceTest(TrackerTestCase):

    def service(self, disabled):
        db_api.create_zun_service(self.context, {
            'host': 'h', 'binary': 'zun-compute', 'disabled': disabled})
        self.answer('GET', '/traits?name=in:' + TRAIT, {'traits': [TRAIT]})

    def set_traits(self, *traits):
        self.answer('PUT', '/resource_providers/%s/traits' % NODE,
                    {'resource_provider_generation': 4,
                     'traits': list(traits)})

    def test_disabled_service_gets_the_trait(self):
        self.service(True)
        self.known_provider(traits=['CUSTOM_X'])
        self.set_traits('CUSTOM_X', TRAIT)
        self.update()
        self.assertEqual({'resource_provider_generation': 3,
                          'traits': ['CUSTOM_X', TRAIT]}, self.body())

    def test_enabled_service_loses_the_trait(self):
        self.service(False)
        self.known_provider(traits=['CUSTOM_X', TRAIT])
        self.set_traits('CUSTOM_X')
        self.update()
        self.assertEqual(['CUSTOM_X'], self.body()['traits'])

    def test_host_without_service(self):
        self.known_provider()
        self.update()
        self.assertEqual([], self.asked('PUT'))


class ProviderTreeTest(base.BaseTestCase):

    def test_age(self):
        tree = provider_tree.ProviderTree([])
        self.assertFalse(tree.is_stale(0))
        self.assertFalse(tree.is_stale(300))
        tree.read_at -= 301
        self.assertTrue(tree.is_stale(300))
        self.assertFalse(tree.is_stale(0))
