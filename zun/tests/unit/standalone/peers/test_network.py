# SPDX-License-Identifier: Apache-2.0

import json

from zun.standalone.peers import network
from zun.standalone.peers import service
from zun.tests import base

ADMIN = service.Caller('a', 'service', ('admin',))
USER = service.Caller('u', 'p', ('member',))
OTHER = service.Caller('o', 'q', ('member',))


class NetworkTest(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.service = network.Network()
        self.net = self.service.add_network('net', 'p', '10.0.0.0/29')

    def ask(self, method, path, body=None, caller=USER, query=(),
            headers=None):
        status, _, data = self.service.handle(service.Request(
            method, '/v2.0' + path, list(query), headers or {},
            json.dumps(body or {}).encode(), 'http://x', caller))
        return status, json.loads(data or b'null')

    def port(self, caller=USER, **body):
        status, answer = self.ask('POST', '/ports', {'port': dict(
            body, network_id=self.net['id'])}, caller)
        return answer['port'] if status == 201 else (status, answer)

    def test_addresses_in_turn_and_freed(self):
        first, second = self.port(), self.port()
        self.assertEqual(['10.0.0.2', '10.0.0.3'], [
            p['fixed_ips'][0]['ip_address'] for p in (first, second)])
        self.ask('DELETE', '/ports/' + first['id'])
        self.assertEqual('10.0.0.2',
                         self.port()['fixed_ips'][0]['ip_address'])

    def test_a_full_subnet(self):
        for _ in range(5):
            self.port()
        status, answer = self.port()
        self.assertEqual((409, 'IpAddressGenerationFailure'), (
            status, answer['NeutronError']['type']))

    def test_a_wanted_address(self):
        wanted = [{'ip_address': '10.0.0.5'}]
        self.assertEqual('10.0.0.5', self.port(fixed_ips=wanted)[
            'fixed_ips'][0]['ip_address'])
        self.assertEqual(409, self.port(fixed_ips=wanted)[0])
        self.assertEqual(400, self.port(
            fixed_ips=[{'ip_address': '10.9.0.5'}])[0])

    def test_binding_needs_an_admin(self):
        self.assertEqual(403, self.port(**{'binding:host_id': 'h'})[0])
        port = self.port(ADMIN, project_id='p', **{'binding:host_id': 'h'})
        self.assertEqual(('ovs', 'ACTIVE'), (port['binding:vif_type'],
                                             port['status']))

    def test_unbinding(self):
        port = self.port(ADMIN, **{'binding:host_id': 'h'})
        _, answer = self.ask('PUT', '/ports/' + port['id'], {'port': {
            'binding:host_id': None, 'device_id': ''}}, ADMIN)
        self.assertEqual(('', 'unbound', 'DOWN'), tuple(
            answer['port'][key] for key in (
                'binding:host_id', 'binding:vif_type', 'status')))

    def test_revision_number(self):
        port = self.port()
        path = '/ports/' + port['id']
        for wanted in (200, 412):
            status, _ = self.ask(
                'PUT', path, {'port': {'name': 'n'}},
                headers={'if-match': 'revision_number=1'})
            self.assertEqual(wanted, status)

    def test_default_security_group(self):
        group = self.port()['security_groups']
        _, answer = self.ask('GET', '/security-groups',
                             query=[('name', 'default')])
        self.assertEqual(group, [g['id']
                                 for g in answer['security_groups']])

    def test_a_group_in_use_stays(self):
        group = self.port()['security_groups'][0]
        self.assertEqual(409, self.ask(
            'DELETE', '/security-groups/' + group)[0])

    def test_the_same_rule_twice(self):
        group = self.port()['security_groups'][0]
        rule = {'security_group_rule': {
            'security_group_id': group, 'protocol': 'tcp',
            'port_range_min': '80', 'port_range_max': '80'}}
        self.assertEqual([201, 409], [
            self.ask('POST', '/security-group-rules', rule)[0]
            for _ in range(2)])

    def test_others_see_what_is_shared(self):
        self.assertEqual(404, self.ask(
            'GET', '/networks/' + self.net['id'], caller=OTHER)[0])
        shared = self.service.add_network('s', 'p', '10.1.0.0/24', True)
        _, answer = self.ask('GET', '/networks', caller=OTHER)
        self.assertEqual([shared['id']],
                         [n['id'] for n in answer['networks']])

    def test_filters_and_fields(self):
        self.port(device_id='d')
        self.port()
        _, answer = self.ask('GET', '/ports', query=[
            ('device_id', 'd'), ('fields', 'device_id')])
        self.assertEqual({'ports': [{'device_id': 'd'}]}, answer)
