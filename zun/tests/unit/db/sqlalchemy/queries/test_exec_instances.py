# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.db import api as dbapi
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class ExecInstancesTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        self.first = utils.create_test_container()['id']
        self.second = utils.create_test_container()['id']

    def test_read_back(self):
        utils.create_test_exec_instance(container_id=self.first)
        row, = dbapi.list_exec_instances(self.context, self.first)
        self.assertEqual(
            utils.get_test_exec_instance(container_id=self.first),
            {name: row[name] for name in utils.get_test_exec_instance()})

    def test_exec_id_that_the_container_has(self):
        utils.create_test_exec_instance(container_id=self.first)
        e = self.assertRaises(exception.ExecInstanceAlreadyExists,
                              utils.create_test_exec_instance,
                              container_id=self.first)
        self.assertEqual('An exec instance with exec_id exec-1 already '
                         'exists in container.', str(e))

    def test_same_exec_id_in_another_container(self):
        utils.create_test_exec_instance(container_id=self.first)
        utils.create_test_exec_instance(container_id=self.second)

    def test_of_several_containers(self):
        utils.create_test_exec_instance(container_id=self.first)
        utils.create_test_exec_instance(container_id=self.first,
                                        exec_id='exec-2')
        found = dbapi.list_exec_instances_by_container_ids(
            self.context, [self.first, self.second])
        self.assertRows(['exec-1', 'exec-2'], found[self.first], 'exec_id')
        self.assertEqual([], found[self.second])

    def test_of_no_container(self):
        self.assertEqual({}, dbapi.list_exec_instances_by_container_ids(
            self.context, []))
