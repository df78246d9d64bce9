# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.db import api as dbapi
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class NetworksTestCase(base.DbTestCase):

    def test_read_back(self):
        values = utils.get_test_network()
        dbapi.create_network(self.context, values)
        row = dbapi.get_network_by_uuid(self.context, values['uuid'])
        self.assertEqual(values, {name: row[name] for name in values})

    def test_network_that_the_host_has(self):
        utils.create_test_network()
        e = self.assertRaises(exception.NetworkAlreadyExists,
                              utils.create_test_network)
        self.assertEqual('A network with neutron_net_id %s already exists.'
                         % utils.NETWORK_UUID, str(e))

    def test_same_network_on_another_host(self):
        utils.create_test_network(host='h1')
        utils.create_test_network(host='h2')

    def test_missing(self):
        self.assertRaises(exception.NetworkNotFound,
                          dbapi.get_network_by_uuid, self.context, 'x')

    def test_filter(self):
        utils.create_test_network(host='h1')
        utils.create_test_network(host='h2')
        self.assertRows(['h2'], dbapi.list_networks(
            self.context, filters={'host': 'h2'}), 'host')

    def test_update(self):
        row = utils.create_test_network()
        row = dbapi.update_network(self.context, row['uuid'],
                                   {'network_id': 'n'})
        self.assertEqual('n', row['network_id'])

    def test_destroy(self):
        row = utils.create_test_network()
        dbapi.destroy_network(self.context, row['uuid'])
        self.assertEqual([], dbapi.list_networks(self.context))
