# SPDX-License-Identifier: Apache-2.0
"""Tests of the networks and security groups of containers."""

from zun.common import consts
from zun.tests.unit.api import base
from zun.tests.unit.api.controllers.v1 import container_base
from zun.tests.unit.api.controllers.v1.container_base import ADDRESSES
from zun.tests.unit.api.controllers.v1.container_base import GROUP
from zun.tests.unit.api.controllers.v1.container_base import NET
from zun.tests.unit.api.controllers.v1.container_base import PORT

OTHER_NET = NET[:-1] + '2'


class NetworksTestCase(container_base.ContainersTestCase):

    def network(self, ident: str, name: str = 'blue') -> None:
        self.peers.answer('neutron', 'GET', '/v2.0/networks?name=' + name, {
            'networks': [{'id': ident, 'name': name, 'shared': False,
                          'router:external': False}]})

    def group(self, name: str = 'web-servers') -> None:
        self.peers.answer(
            'neutron', 'GET', '/v2.0/security-groups?fields=id&name=%s&'
            'tenant_id=%s' % (name, base.PROJECT),
            {'security_groups': [{'id': GROUP, 'name': name}]})

    def act(self, path: str, body=None, **kwargs):
        return self.post('/v1/containers/web/' + path, body, **kwargs)


class SecurityGroupTest(NetworksTestCase):

    def change(self, action: str):
        return self.act(action, {'name': 'web-servers'}, version='1.14')

    def test_addition(self):
        self.create()
        self.group()
        answer = self.change('add_security_group')
        self.assertEqual(202, answer.status_int, answer.text)
        self.assertEqual(('add_security_group', GROUP),
                         (self.calls[0][2],
                          self.calls[0][3]['security_group']))

    def test_addition_of_what_is_there(self):
        self.create(security_groups=[GROUP])
        self.group()
        self.assert_error(self.change('add_security_group'), 400,
                          'invalid-value')

    def test_removal(self):
        self.create(security_groups=[GROUP])
        self.group()
        self.assertEqual(202, self.change('remove_security_group').status_int)

    def test_removal_of_what_is_not_there(self):
        self.create()
        self.group()
        self.assert_error(self.change('remove_security_group'), 400,
                          'invalid-value')

    def test_no_name(self):
        self.create()
        self.assert_error(self.act('add_security_group', {},
                                   version='1.14'),
                          400, 'invalid-parameter-value')

    def test_gone_since_1_15(self):
        self.create()
        self.assertEqual(406, self.act('add_security_group', {},
                                       version='1.15').status_int)


class DetachTest(NetworksTestCase):

    def test_network(self):
        self.create(addresses=ADDRESSES)
        self.network(NET)
        answer = self.act('network_detach?network=blue')
        self.assertEqual(202, answer.status_int, answer.text)
        self.assertEqual(NET, self.calls[0][3]['network'])

    def test_network_it_is_not_on(self):
        self.create(addresses=ADDRESSES)
        self.network(OTHER_NET)
        detail = self.assert_error(
            self.act('network_detach?network=blue'), 400, 'invalid')
        self.assertIn("'blue'", detail)

    def test_port(self):
        self.create(addresses=ADDRESSES)
        self.peers.answer('neutron', 'GET', '/v2.0/ports?name=nic', {
            'ports': [{'id': PORT, 'network_id': NET}]})
        answer = self.act('network_detach?port=nic')
        self.assertEqual(202, answer.status_int, answer.text)

    def test_row_without_addresses(self):
        self.create(addresses=None)
        self.network(NET)
        self.assert_error(self.act('network_detach?network=blue'), 400,
                          'invalid')


class AttachTest(NetworksTestCase):

    def test_network(self):
        row = self.create()
        self.network(NET)
        answer = self.act('network_attach?network=blue')
        self.assertEqual(200, answer.status_int, answer.text)
        self.assertEqual(NET, self.calls[0][3]['requested_network'][
            'network'])
        self.assertEqual(['network_attach'], self.actions(row))

    def test_network_it_is_on(self):
        self.create(addresses=ADDRESSES)
        self.network(NET)
        self.assert_error(self.act('network_attach?network=blue'), 400,
                          'invalid')


class ListTest(NetworksTestCase):

    def networks(self, version: str) -> list[dict]:
        return self.get('/v1/containers/web/network_list',
                        version=version).json['networks']

    def test_ports(self):
        self.create(addresses=ADDRESSES)
        network, = self.networks('1.18')
        self.assertEqual((NET, PORT), (network['net_id'],
                                       network['port_id']))
        self.assertEqual(['10.0.0.7'], [
            address['ip_address'] for address in network['fixed_ips']])

    def test_addresses_without_a_port(self):
        self.create(addresses={NET: [{'addr': '10.0.0.7'}]})
        network, = self.networks('1.18')
        self.assertIsNone(network['port_id'])

    def test_older_form(self):
        self.create(addresses=ADDRESSES)
        self.assertEqual(1, len(self.networks('1.17')))

    def test_row_without_addresses(self):
        self.create(addresses=None)
        for version in ('1.17', '1.18'):
            self.assertEqual([], self.networks(version))

    def test_container_in_any_state(self):
        self.create(addresses=ADDRESSES, status=consts.DEAD)
        self.assertEqual(1, len(self.networks('1.40')))
