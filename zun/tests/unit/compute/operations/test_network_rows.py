# SPDX-License-Identifier: Apache-2.0
"""Zun's own rows of Neutron's networks."""

from zun.common import exception
from zun.compute import manager
from zun import objects
from zun.tests import base
from zun.tests import fixtures
from zun.tests import peers
from zun.tests.unit.db import utils

NET = utils.NETWORK_UUID
SUBNET = {'id': 's4', 'ip_version': 4}


class NetworkRowTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(fixtures.Database())
        self.peers = self.useFixture(peers.Peers())
        self.context = utils.member(auth_token=peers.USER_TOKEN)
        self.manager = manager.Manager()

    def answer(self, *subnets, networks=({'id': NET, 'name': 'net'},)):
        for key in ('id', 'name'):
            self.peers.answer('neutron', 'GET', '/v2.0/networks?%s=%s'
                              % (key, NET), {'networks': list(networks)})
        self.peers.answer('neutron', 'GET', '/v2.0/subnets?network_id=%s'
                          % NET, {'subnets': list(subnets)})

    def create(self, network=NET):
        return self.manager.network_create(self.context, network)


class TestCreate(NetworkRowTestCase):

    def test_row(self):
        self.answer(SUBNET)
        row = self.create()
        self.assertEqual((NET, NET, utils.PROJECT), (
            row.neutron_net_id, row.network_id, row.project_id))

    def test_again(self):
        self.answer(SUBNET)
        self.assertEqual(self.create().uuid, self.create().uuid)

    def test_no_subnet(self):
        self.answer()
        error = self.assertRaises(exception.Invalid, self.create)
        self.assertIn(NET, str(error))

    def test_one_subnet_of_each_version(self):
        self.answer(SUBNET, {'id': 's6', 'ip_version': 6})
        self.create()

    def test_two_subnets_of_a_version(self):
        self.answer(SUBNET, {**SUBNET, 'id': 'other'})
        error = self.assertRaises(exception.Invalid, self.create)
        self.assertIn('ip version 4', str(error))

    def test_no_such_network(self):
        self.answer(networks=[])
        self.assertRaises(exception.NetworkNotFound, self.create)

    def test_null(self):
        self.assertRaises(exception.NetworkNotFound, self.create, None)


class TestDelete(NetworkRowTestCase):

    def network(self):
        row = utils.create_test_network(utils.admin())
        return objects.ZunNetwork.get_by_uuid(utils.admin(), row['uuid'])

    def test_unused(self):
        network = self.network()
        self.manager.network_delete(utils.admin(), network)
        self.assertEqual([], objects.ZunNetwork.list(utils.admin()))

    def test_in_use(self):
        network = self.network()
        container = utils.create_test_container()
        error = self.assertRaises(
            exception.Conflict, self.manager.network_delete,
            utils.admin(), network)
        self.assertIn(container['uuid'], str(error))
