# SPDX-License-Identifier: Apache-2.0
import json

from zun.cni import vifs
from zun.tests import base

NETWORK = '1a000000-0000-4000-8000-000000000001'
PORT = '2b000000-0000-4000-8000-000000000001'


def document(**fields):
    return {'id': PORT, 'network': NETWORK, 'mac': 'fa:16:3e:00:00:01',
            'mtu': 1442, 'vif_type': 'ovs', 'vif_details': {},
            'vnic_type': 'normal', 'profile': {},
            'ips': [ip()], **fields}


def ip(**fields):
    return {'address': '10.0.0.5', 'cidr': '10.0.0.0/24', 'version': 4,
            'gateway': '10.0.0.1', 'subnet': 's', 'routes': [],
            'nameservers': [], **fields}


class TestRead(base.TestCase):

    def assertUnusable(self, text, word):
        error = self.assertRaises(vifs.Unusable, vifs.read, text)
        self.assertIn(word, str(error))

    def test_ports_in_their_order(self):
        found = vifs.read(json.dumps([document(), document(id='b')]))
        self.assertEqual([PORT, 'b'], [vif.id for vif in found])

    def test_no_annotation(self):
        self.assertUnusable(None, 'not there')

    def test_no_json(self):
        self.assertUnusable('{', 'no JSON')

    def test_no_list(self):
        for text in ('{}', '[]', '"x"', 'null'):
            self.assertUnusable(text, 'no list of ports')

    def test_same_port_twice(self):
        self.assertUnusable(json.dumps([document()] * 2), 'twice')

    def test_what_cannot_be(self):
        for fields in ({'id': '../x'}, {'id': ''}, {'id': 5},
                       {'mac': 'x'}, {'mac': None}, {'mtu': 1},
                       {'mtu': 'x'}, {'vif_details': 'x'},
                       {'ips': [ip(address='x')]},
                       {'ips': [ip(cidr='10.0.0.5/24')]},
                       {'ips': [ip(cidr='fd00::/64')]},
                       {'ips': [ip(gateway='x')]},
                       {'ips': [ip(routes=[{'destination': 'x',
                                            'nexthop': '10.0.0.1'}])]},
                       {'ips': [ip(nameservers=['x'])]}, {'ips': 5}):
            self.assertUnusable(json.dumps([document(**fields)]), 'port ')

    def test_missing_keys(self):
        for key in ('id', 'mac', 'vif_type'):
            broken = document()
            del broken[key]
            self.assertUnusable(json.dumps([broken]), key)

    def test_entries_that_are_no_objects(self):
        for entry in (None, 5, 'x', []):
            self.assertUnusable(json.dumps([entry]), 'port ')


class TestRoutes(base.TestCase):

    def routes(self, first=True, **fields):
        return vifs.parse(document(**fields)).routes(first)

    def test_default(self):
        self.assertEqual([('0.0.0.0/0', '10.0.0.1', False)], self.routes())

    def test_not_through_the_second_interface(self):
        self.assertEqual([], self.routes(first=False))

    def test_host_route_of_the_second_interface(self):
        routes = [{'destination': '10.9.0.0/16', 'nexthop': '10.0.0.9'},
                  {'destination': '0.0.0.0/0', 'nexthop': '10.0.0.8'}]
        self.assertEqual([('10.9.0.0/16', '10.0.0.9', False)], self.routes(
            first=False, ips=[ip(routes=routes)]))

    def test_host_route_to_everywhere_wins(self):
        routes = [{'destination': '0.0.0.0/0', 'nexthop': '10.0.0.8'}]
        self.assertEqual([('0.0.0.0/0', '10.0.0.8', False)], self.routes(
            ips=[ip(routes=routes)]))

    def test_gateway_outside_of_the_subnet(self):
        self.assertEqual([('0.0.0.0/0', '10.7.7.7', True)], self.routes(
            ips=[ip(gateway='10.7.7.7')]))

    def test_link_local_gateway(self):
        self.assertEqual([('::/0', 'fe80::1', False)], self.routes(ips=[ip(
            address='fd00::5', cidr='fd00::/64', gateway='fe80::1')]))

    def test_one_default_a_version(self):
        self.assertEqual(
            ['0.0.0.0/0', '::/0'],
            [route.destination for route in self.routes(ips=[
                ip(), ip(address='10.1.0.5', cidr='10.1.0.0/24',
                         gateway='10.1.0.1'),
                ip(address='fd00::5', cidr='fd00::/64',
                   gateway='fd00::1')])])
