# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.db import api as dbapi
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class ComputeNodesTestCase(base.DbTestCase):

    def _create(self, number):
        return utils.create_test_compute_node(
            uuid='ad000000-0000-4000-8000-00000000000%d' % number,
            rp_uuid='af000000-0000-4000-8000-00000000000%d' % number,
            hostname='compute-%d' % number)

    def test_read_back(self):
        values = utils.get_test_compute_node()
        dbapi.create_compute_node(self.context, values)
        row = dbapi.get_compute_node(self.context, values['uuid'])
        self.assertEqual(values, {name: row[name] for name in values})

    def test_flags_have_defaults(self):
        row = dbapi.create_compute_node(self.context, {
            'hostname': 'h', 'rp_uuid': utils.PROVIDER_UUID})
        self.assertEqual((False, False, 0), (
            row['disk_quota_supported'], row['enable_cpu_pinning'],
            row['cpus']))

    def test_by_host(self):
        self._create(1)
        row = self._create(2)
        self.assertEqual(row['uuid'], dbapi.get_compute_node_by_hostname(
            self.context, 'compute-2')['uuid'])

    def test_several_of_a_host(self):
        utils.create_test_compute_node()
        utils.create_test_compute_node(uuid=utils.UUID, rp_uuid=utils.UUID)
        self.assertRaises(exception.Conflict,
                          dbapi.get_compute_node_by_hostname, self.context,
                          'compute-1')

    def test_missing(self):
        e = self.assertRaises(exception.ComputeNodeNotFound,
                              dbapi.get_compute_node, self.context, 'x')
        self.assertEqual('Compute node x could not be found.', str(e))

    def test_uuid_that_is_taken(self):
        utils.create_test_compute_node()
        self.assertRaises(exception.ComputeNodeAlreadyExists,
                          utils.create_test_compute_node)

    def test_sorted_by_uuid(self):
        for number in (3, 1, 2):
            self._create(number)
        self.assertRows(
            ['compute-1', 'compute-2', 'compute-3'],
            dbapi.list_compute_nodes(self.context), 'hostname')

    def test_page(self):
        for number in (3, 1, 2):
            self._create(number)
        rows = dbapi.list_compute_nodes(
            self.context, sort_key='hostname', sort_dir='desc', limit=1,
            marker='ad000000-0000-4000-8000-000000000003')
        self.assertRows(['compute-2'], rows, 'hostname')

    def test_update(self):
        utils.create_test_compute_node()
        row = dbapi.update_compute_node(self.context, utils.NODE_UUID,
                                        {'mem_used': 1})
        self.assertEqual(1, row['mem_used'])

    def test_destroy(self):
        utils.create_test_compute_node()
        dbapi.destroy_compute_node(self.context, utils.NODE_UUID)
        self.assertEqual([], dbapi.list_compute_nodes(self.context))
