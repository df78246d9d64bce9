# SPDX-License-Identifier: Apache-2.0
"""Tests of /v1/networks."""

from zun import objects
from zun.tests.unit.api import base

NET = 'de000000-0000-4000-8000-000000000001'


class NetworksTest(base.ApiTestCase):

    def create(self) -> objects.ZunNetwork:
        network = objects.ZunNetwork(
            self.context, name='net-a', neutron_net_id=NET,
            network_id='n-1', project_id=base.OTHER_PROJECT,
            user_id=base.USER)
        network.create(self.context)
        return network

    def test_create_waits_for_compute(self):
        self.answers['network_create'] = self.create()
        answer = self.post('/v1/networks', {
            'name': 'any', 'neutron_net_id': NET}, headers=base.ADMIN)
        self.assertEqual(200, answer.status_int)
        self.assertEqual(NET, answer.json['neutron_net_id'])
        self.assertEqual([('call', None, 'network_create',
                           {'neutron_net_id': NET})], self.calls)

    def test_create_without_the_id_is_refused(self):
        detail = self.assert_error(
            self.post('/v1/networks', {'name': 'any'}, headers=base.ADMIN),
            400, 'invalid-parameter-value')
        self.assertIn('neutron_net_id', detail)

    def test_members_create_nothing(self):
        self.assert_error(
            self.post('/v1/networks', {'name': 'any',
                                       'neutron_net_id': NET}), 403,
            'policy-not-authorized')

    def test_delete_finds_the_network_of_any_project(self):
        self.create()
        response = self.delete('/v1/networks/' + NET, headers=base.ADMIN)
        self.assertEqual(204, response.status_int)
        (kind, server, method, arguments), = self.calls
        self.assertEqual(('call', 'network_delete'), (kind, method))
        self.assertEqual(NET, arguments['network'].neutron_net_id)

    def test_delete_takes_no_name(self):
        self.create()
        detail = self.assert_error(
            self.delete('/v1/networks/net-a', headers=base.ADMIN), 404,
            'network-not-found')
        self.assertEqual('Neutron network net-a could not be found.', detail)

    def test_delete_came_with_1_27(self):
        response = self.delete('/v1/networks/' + NET, headers=base.ADMIN,
                               version='1.26')
        self.assertEqual(406, response.status_int)
