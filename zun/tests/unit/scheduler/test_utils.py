# SPDX-License-Identifier: Apache-2.0

import types
from urllib import parse

from zun.scheduler import utils
from zun.tests import base


def container(**kwargs):
    return types.SimpleNamespace(**dict(
        {'cpu': 1.0, 'memory': '512', 'disk': 0}, **kwargs))


class ArithmeticTest(base.BaseTestCase):

    def test_less_than(self):
        self.assertTrue(utils.is_less_than(1, 2))
        self.assertTrue(utils.is_less_than(1.0, 1.00001))
        self.assertFalse(utils.is_less_than(1.0, 1.0000001))
        self.assertFalse(utils.is_less_than(2, 1))

    def test_gib(self):
        self.assertEqual([0, 1, 2], [utils.convert_mb_to_ceil_gb(mb)
                                     for mb in (0, 1024, 1025)])


class ResourceRequestTest(base.TestCase):

    def query(self, spec):
        request = utils.ResourceRequest.from_extra_specs(spec)
        return dict(parse.parse_qsl(request.to_querystring(),
                                    keep_blank_values=True))

    def test_nothing(self):
        self.assertEqual({'limit': '1000'}, self.query({}))

    def test_limit_is_an_option(self):
        self.config('scheduler', max_placement_results=5)
        self.assertEqual({'limit': '5'}, self.query({}))

    def test_groups(self):
        self.assertEqual(
            {'limit': '1000', 'resources': 'MEMORY_MB:64,VCPU:2',
             'resources1': 'VGPU:1'},
            self.query({'resources:VCPU': '2', 'resources:MEMORY_MB': 64,
                        'resources1:VGPU': '1'}))

    def test_traits(self):
        self.assertEqual(
            {'limit': '1000', 'resources': '', 'required': 'A,C,!B'},
            self.query({'trait:C': 'required', 'trait:B': 'forbidden',
                        'trait:A': 'required', 'trait:D': 'wanted'}))

    def test_what_is_not_understood_is_left_out(self):
        self.assertEqual({'limit': '1000'}, self.query({
            'resources:NOPE': '1', 'resources:VCPU': 'x',
            'resources:MEMORY_MB': '-1', 'resources:DISK_GB': '1.5',
            'resources01:VCPU': '1', 'resources0:VCPU': '1',
            'resource:VCPU': '1', 'group_policy': 'bad', 'hints': {},
            'resources:': '1'}))

    def test_group_policy(self):
        self.assertEqual('isolate', self.query(
            {'group_policy': 'isolate'})['group_policy'])

    def test_keys_are_sorted(self):
        request = utils.ResourceRequest.from_extra_specs(
            {'resources2:VGPU': 1, 'trait2:A': 'required',
             'group_policy': 'none'})
        self.assertEqual(
            'group_policy=none&limit=1000&required2=A&resources2=VGPU%3A1',
            request.to_querystring())

    def test_merged_resources(self):
        request = utils.ResourceRequest.from_extra_specs(
            {'resources1:VGPU': 1, 'resources2:VGPU': 2,
             'resources:VCPU': 0})
        self.assertEqual({'VGPU': 3, 'VCPU': 0}, request.merged_resources())


class FromContainerTest(base.TestCase):

    def resources(self, container, spec=None):
        return utils.resources_from_container(
            container, spec or {}).merged_resources()

    def test_cpus_are_rounded_up(self):
        self.assertEqual(4, self.resources(container(cpu=3.5))['VCPU'])

    def test_at_least_one_cpu_and_one_mib(self):
        self.assertEqual({'VCPU': 1, 'MEMORY_MB': 1}, self.resources(
            container(cpu=0.0, memory='0')))

    def test_defaults(self):
        self.assertEqual({'VCPU': 1, 'MEMORY_MB': 512}, self.resources(
            container(cpu=None, memory=None, disk=None)))

    def test_disk(self):
        self.assertEqual(7, self.resources(container(disk=7))['DISK_GB'])

    def test_extra_spec_wins(self):
        self.assertEqual({'VCPU': 3, 'MEMORY_MB': 512}, self.resources(
            container(disk=9), {'resources:VCPU': 3,
                                'resources:DISK_GB': 0}))

    def test_hints_that_compare_hosts_see_all_of_them(self):
        for hint in ('group', 'same_host', 'different_host'):
            self.assertIsNone(utils.resources_from_container(
                container(), {'hints': {hint: 'x'}}).limit)
        self.assertEqual(1000, utils.resources_from_container(
            container(), {'hints': {'other': 'x'}}).limit)

    def test_requested_host(self):
        request = utils.resources_from_container(container(),
                                                 {'in_tree': 'rp'})
        self.assertIn('in_tree=rp&', request.to_querystring())
