# SPDX-License-Identifier: Apache-2.0

import types

from zun.common import context as zun_context
from zun.common import exception
from zun.compute import claims
from zun.db import api as db_api
from zun import objects
from zun.tests import base
from zun.tests import fixtures as zun_fixtures

NODE = '00000000-0000-4000-8000-0000000000d1'
CONTAINER = '00000000-0000-4000-8000-0000000000c1'


def container(**kwargs):
    return types.SimpleNamespace(**dict({
        'uuid': CONTAINER, 'cpu': 1.0, 'memory': '512', 'disk': 10,
        'cpuset': None, 'obj_attr_is_set': lambda name: False}, **kwargs))


class ClaimTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(zun_fixtures.Database())
        self.context = zun_context.get_admin_context()
        self.node = objects.ComputeNode(
            self.context, uuid=NODE, rp_uuid=NODE, hostname='h', cpus=8,
            mem_total=16384, mem_free=16384, disk_total=160,
            numa_topology=objects.NUMATopology(nodes=[
                objects.NUMANode(id=0, cpuset={0, 1, 2}, pinned_cpus={0},
                                 mem_total=1000, mem_available=600)]))
        self.node.create(self.context)

    def run_in_transaction(self, function, *args, **kwargs):
        with db_api.writer(self.context):
            function(self.context, *args, **kwargs)

    def claim(self, wanted=None, limits=None, **kwargs):
        self.run_in_transaction(claims.claim, wanted or container(), 'h',
                                limits, **kwargs)

    def figures(self):
        node = objects.ComputeNode.get_by_name(self.context, 'h')
        return (node.cpu_used, node.mem_used, node.mem_free, node.disk_used,
                node.running_containers)

    def refusal(self, function, *args, **kwargs):
        before = self.figures()
        error = self.assertRaises(exception.ResourcesUnavailable, function,
                                  *args, **kwargs)
        self.assertEqual(before, self.figures())
        return str(error)


class ClaimTest(ClaimTestCase):

    def test_counting_in_and_out(self):
        self.claim()
        self.assertEqual((1.0, 512, 15872, 10, 1), self.figures())
        self.run_in_transaction(claims.release, container(), 'h')
        self.assertEqual((0.0, 0, 16384, 0, 0), self.figures())

    def test_nothing_wanted_counts_nothing(self):
        self.claim(container(cpu=None, memory=None, disk=0))
        self.assertEqual(0, self.figures()[4])

    def test_up_to_the_limits(self):
        self.claim(limits={'cpu': 1, 'memory': 512.0, 'disk': 10})

    def test_over_a_limit(self):
        self.assertEqual(
            'Insufficient compute resources: Free memory 100.00 MB < '
            'requested 512 MB.',
            self.refusal(self.claim, limits={'memory': 100.0}))

    def test_over_all_limits(self):
        self.assertEqual(
            'Insufficient compute resources: Free memory 100.00 MB < '
            'requested 512 MB; Free vcpu 0.50 VCPU < requested 1.0 VCPU; '
            'Free disk 1.00 GB < requested 10 GB.',
            self.refusal(self.claim, limits={
                'cpu': 0.5, 'memory': 100.0, 'disk': 1}))

    def test_what_is_used_counts(self):
        self.claim()
        self.refusal(self.claim, limits={'memory': 1023})

    def test_counts_never_go_below_nothing(self):
        self.run_in_transaction(claims.release, container(), 'h')
        self.assertEqual((0.0, 0, 16384, 0, 0), self.figures())

    def test_host_that_is_gone_has_nothing_to_give(self):
        self.run_in_transaction(claims.release, container(), 'x')

    def test_claim_on_an_unknown_host(self):
        self.assertRaises(exception.ComputeNodeNotFound,
                          self.run_in_transaction, claims.claim, container(),
                          'x')


class ResizeTest(ClaimTestCase):

    def setUp(self):
        super().setUp()
        self.claim()

    def resize(self, **patch):
        self.run_in_transaction(claims.resize, container(), 'h', patch)

    def test_more(self):
        self.resize(cpu=2.0, memory='1024')
        self.assertEqual((2.0, 1024, 15360, 10, 1), self.figures())

    def test_less(self):
        self.resize(memory='256')
        self.assertEqual(256, self.figures()[1])

    def test_limit_is_what_the_host_offers(self):
        self.assertEqual(
            'Insufficient compute resources: Free memory 24064.00 MB < '
            'requested 999487 MB.',
            self.refusal(self.resize, memory='999999'))

    def test_ratio_of_an_option(self):
        self.config('compute', cpu_allocation_ratio=0.5)
        self.refusal(self.resize, cpu=5.0)
        self.resize(cpu=4.0)


class PinnedTest(ClaimTestCase):

    def limits(self, node=0):
        return {'cpuset': {'node': node, 'cpuset_cpu': [0, 1, 2],
                           'cpuset_cpu_pinned': [0], 'cpuset_mem': 600}}

    def numa(self):
        node = objects.ComputeNode.get_by_name(self.context, 'h')
        numa = node.numa_topology.nodes[0]
        return numa.pinned_cpus, numa.mem_available

    def test_pinning_and_unpinning(self):
        wanted = container(cpu=2.0)
        self.claim(wanted, self.limits())
        self.assertEqual(({0, 1, 2}, 88), self.numa())
        self.assertEqual(({1, 2}, {0}), (wanted.cpuset.cpuset_cpus,
                                         wanted.cpuset.cpuset_mems))
        self.run_in_transaction(claims.release, wanted, 'h')
        self.assertEqual(({0}, 600), self.numa())
        self.assertIsNone(wanted.cpuset.cpuset_cpus)

    def test_parts_of_cpus_are_whole_ones(self):
        wanted = container(cpu=1.5)
        self.claim(wanted, self.limits())
        self.assertEqual({1, 2}, wanted.cpuset.cpuset_cpus)

    def test_node_given_as_text(self):
        self.claim(container(), self.limits(node='0'))
        self.assertEqual({0, 1}, self.numa()[0])

    def test_cpus_taken_meanwhile(self):
        self.assertIn('Free cpuset 2.00 core < requested 3 core',
                      self.refusal(self.claim, container(cpu=3.0),
                                   self.limits()))

    def test_memory_taken_meanwhile(self):
        self.assertIn('Free memory 600.00 MB < requested 700 MB',
                      self.refusal(self.claim, container(memory='700'),
                                   self.limits()))

    def test_node_that_is_gone(self):
        self.refusal(self.claim, container(), self.limits(node=7))


class DeviceTest(ClaimTestCase):

    def test_devices_of_a_container(self):
        self.config('pci', passthrough_whitelist=['{"vendor_id": "8086"}'])
        objects.PciDevice.create(self.context, {
            'compute_node_uuid': NODE, 'address': '0000:0a:01.0',
            'vendor_id': '8086', 'product_id': '1521', 'dev_id': 'x',
            'dev_type': 'VF', 'numa_node': None, 'parent_addr': None,
            'label': 'l'}).save()
        requests = objects.ContainerPCIRequests(requests=[
            objects.ContainerPCIRequest(count=1, request_id=NODE,
                                        spec=[{'vendor_id': '8086'}])])
        self.claim(pci_requests=requests)
        held = objects.PciDevice.list_by_container_uuid(self.context,
                                                        CONTAINER)
        self.assertEqual(['allocated'], [dev.status for dev in held])
        self.assertIn('Claim pci failed', self.refusal(
            self.claim, pci_requests=requests))
        self.run_in_transaction(claims.release, container(), 'h')
        node = objects.ComputeNode.get_by_name(self.context, 'h')
        self.assertEqual(1, node.pci_device_pools.objects[0].count)
