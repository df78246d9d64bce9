# SPDX-License-Identifier: Apache-2.0

import datetime
import types

from oslo_utils import timeutils

from zun.common import exception
from zun import objects
from zun.objects import fields
from zun.pci import stats
from zun.scheduler import filters
from zun.tests import base

ALL = 'zun.scheduler.filters.all_filters'


class NamelessFilter(filters.BaseHostFilter):
    """A filter of somebody else."""

    def host_passes(self, host_state, container, extra_spec):
        return not container.name


def service(**kwargs):
    return types.SimpleNamespace(**dict({
        'availability_zone': 'nova', 'disabled': False, 'forced_down': False,
        'last_seen_up': timeutils.utcnow(), 'updated_at': None,
        'created_at': None}, **kwargs))


def host(**kwargs):
    return types.SimpleNamespace(**dict({
        'limits': {}, 'service': service(), 'cpus': 8, 'cpu_used': 7.5,
        'mem_total': 1024, 'mem_used': 1000, 'disk_total': 100,
        'disk_used': 90, 'disk_quota_supported': True,
        'labels': {'zone': 'b'}, 'runtimes': ['runc'],
        'enable_cpu_pinning': True, 'numa_topology': numa(),
        'pci_stats': stats.PciDeviceStats()}, **kwargs))


def container(**kwargs):
    return types.SimpleNamespace(**dict({
        'name': 'c', 'cpu': None, 'memory': None, 'disk': None,
        'runtime': None, 'cpu_policy': 'shared'}, **kwargs))


def numa():
    return objects.NUMATopology(nodes=[
        objects.NUMANode(id=0, cpuset={0, 1, 2, 3}, pinned_cpus={0},
                         mem_total=1000, mem_available=500),
        objects.NUMANode(id=1, cpuset={4, 5}, pinned_cpus=set(),
                         mem_total=1000, mem_available=900)])


class FilterTestCase(base.TestCase):

    def passes(self, name, state=None, wanted=None, spec=None):
        state = state or host()
        host_filter = filters.load_filters([ALL], [name])[0]
        passed = host_filter.host_passes(state, wanted or container(),
                                         spec or {})
        return passed, state.limits


class LoadTest(FilterTestCase):

    def test_order_is_kept(self):
        found = filters.load_filters([ALL], ['RamFilter', 'CPUFilter'])
        self.assertEqual(['RamFilter', 'CPUFilter'],
                         [type(one).__name__ for one in found])

    def test_unknown_name(self):
        error = self.assertRaises(
            exception.SchedulerHostFilterNotFound, filters.load_filters,
            [ALL], ['NoSuchFilter'])
        self.assertIn('NoSuchFilter', str(error))

    def test_class_of_somebody_else(self):
        path = '%s.NamelessFilter' % __name__
        found = filters.load_filters([ALL, path], ['NamelessFilter'])
        self.assertFalse(found[0].host_passes(host(), container(), {}))


class ServiceFilterTest(FilterTestCase):

    def test_zone(self):
        for wanted, passed in (('nova', True), ('az2', False), (None, True),
                               ('', True)):
            self.assertEqual((passed, {}), self.passes(
                'AvailabilityZoneFilter',
                spec={'availability_zone': wanted}))

    def test_service_without_zone_is_in_the_default_zone(self):
        self.config(default_availability_zone='zed')
        state = host(service=service(availability_zone=None))
        self.assertTrue(self.passes('AvailabilityZoneFilter', state, spec={
            'availability_zone': 'zed'})[0])

    def test_living_service(self):
        self.assertTrue(self.passes('ComputeFilter')[0])

    def test_service_out_of_use(self):
        old = timeutils.utcnow() - datetime.timedelta(seconds=300)
        for kwargs in ({'disabled': True}, {'forced_down': True},
                       {'last_seen_up': old}):
            state = host(service=service(**kwargs))
            self.assertFalse(self.passes('ComputeFilter', state)[0])


class AmountFilterTest(FilterTestCase):

    def test_cpu(self):
        for cpu, expected in ((0.5, (True, {'cpu': 8})), (0.6, (False, {})),
                              (None, (True, {})), (0.0, (True, {}))):
            self.assertEqual(expected, self.passes(
                'CPUFilter', wanted=container(cpu=cpu)))

    def test_memory(self):
        for memory, expected in (
                ('24', (True, {'memory': 1024})), ('25', (False, {})),
                ('0', (True, {'memory': 1024})), (None, (True, {}))):
            self.assertEqual(expected, self.passes(
                'RamFilter', wanted=container(memory=memory)))

    def test_disk(self):
        for disk, expected in ((10, (True, {'disk': 100})),
                               (11, (False, {})), (0, (True, {})),
                               (None, (True, {}))):
            self.assertEqual(expected, self.passes(
                'DiskFilter', wanted=container(disk=disk)))

    def test_disk_where_sizes_cannot_be_kept(self):
        state = host(disk_quota_supported=False)
        self.assertFalse(self.passes('DiskFilter', state,
                                     container(disk=1))[0])
        self.assertTrue(self.passes('DiskFilter', state, container())[0])


class LabelFilterTest(FilterTestCase):

    def test_hints(self):
        for hints, passed in (({'label:zone': 'b'}, True),
                              ({'label:zone': 'c'}, False),
                              ({'label:nope': 'b'}, False),
                              ({'label:': 'b'}, False),
                              ({'zone': 'c'}, True), ({}, True),
                              (None, True)):
            self.assertEqual(passed, self.passes(
                'LabelFilter', spec={'hints': hints})[0])

    def test_request_without_hints(self):
        self.assertTrue(self.passes('LabelFilter')[0])


class RuntimeFilterTest(FilterTestCase):

    def test_runtime(self):
        for runtime, passed in (('runc', True), ('kata', False),
                                (None, True), ('', True)):
            self.assertEqual(passed, self.passes(
                'RuntimeFilter', wanted=container(runtime=runtime))[0])

    def test_host_that_names_no_runtimes(self):
        self.assertFalse(self.passes('RuntimeFilter', host(runtimes=None),
                                     container(runtime='runc'))[0])


class CpuSetFilterTest(FilterTestCase):

    def dedicated(self, state=None, **kwargs):
        return self.passes('CpuSetFilter', state, container(
            cpu_policy='dedicated', **kwargs))

    def test_first_node_that_fits(self):
        self.assertEqual((True, {'cpuset': {
            'node': 0, 'cpuset_cpu': [0, 1, 2, 3], 'cpuset_cpu_pinned': [0],
            'cpuset_mem': 500}}), self.dedicated(cpu=3.0))

    def test_node_with_enough_memory(self):
        limits = self.dedicated(cpu=1.0, memory='600')[1]
        self.assertEqual(1, limits['cpuset']['node'])

    def test_no_node_fits(self):
        for kwargs in ({'cpu': 4.0}, {'cpu': 3.0, 'memory': '600'}):
            self.assertEqual((False, {}), self.dedicated(**kwargs))

    def test_host_that_does_not_pin(self):
        for kwargs in ({'enable_cpu_pinning': False},
                       {'numa_topology': objects.NUMATopology(nodes=[])}):
            self.assertFalse(self.dedicated(host(**kwargs), cpu=1.0)[0])

    def test_shared_cpus_are_anywhere(self):
        for policy in ('shared', None):
            self.assertEqual((True, {}), self.passes(
                'CpuSetFilter', wanted=container(cpu=9.0,
                                                 cpu_policy=policy)))

    def test_no_shared_cpus_where_the_deployment_pins(self):
        self.config('compute', enable_cpu_pinning=True)
        self.assertFalse(self.passes('CpuSetFilter')[0])


class PciFilterTest(FilterTestCase):

    def passes_with(self, *specs, count=1):
        pools = objects.PciDevicePoolList(objects=[
            objects.PciDevicePool(
                vendor_id='8086', product_id='1520', numa_node=None, count=1,
                tags={'physical_network': 'p1',
                      'dev_type': fields.PciDeviceType.SRIOV_VF})])
        requests = objects.ContainerPCIRequests(requests=[
            objects.ContainerPCIRequest(count=count, spec=[spec])
            for spec in specs])
        return self.passes(
            'PciPassthroughFilter',
            host(pci_stats=stats.PciDeviceStats(pools)),
            spec={'pci_requests': requests})[0]

    def test_device_that_fits(self):
        self.assertTrue(self.passes_with({'physical_network': 'p1'}))

    def test_other_network(self):
        self.assertFalse(self.passes_with({'physical_network': 'p2'}))

    def test_requests_share_the_devices(self):
        wanted = {'physical_network': 'p1'}
        self.assertFalse(self.passes_with(wanted, wanted))
        self.assertFalse(self.passes_with(wanted, count=2))

    def test_nothing_wanted(self):
        self.assertTrue(self.passes('PciPassthroughFilter')[0])
        self.assertTrue(self.passes('PciPassthroughFilter', spec={
            'pci_requests': None})[0])
