# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.db import api as dbapi
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class ResourceClassesTestCase(base.DbTestCase):

    def test_read_back(self):
        values = utils.get_test_resource_class()
        dbapi.create_resource_class(self.context, values)
        row = dbapi.get_resource_class(self.context, values['uuid'])
        self.assertEqual(values, {name: row[name] for name in values})

    def test_by_name(self):
        row = utils.create_test_resource_class()
        self.assertEqual(row['uuid'], dbapi.get_resource_class_by_name(
            self.context, 'VCPU')['uuid'])

    def test_missing(self):
        self.assertRaises(exception.ResourceClassNotFound,
                          dbapi.get_resource_class, self.context, 'x')

    def test_uuid_that_is_taken(self):
        utils.create_test_resource_class(uuid=utils.UUID)
        self.assertRaises(exception.ResourceClassAlreadyExists,
                          utils.create_test_resource_class, uuid=utils.UUID)

    def test_sorted(self):
        for name in ('VCPU', 'DISK_GB'):
            utils.create_test_resource_class(name=name)
        self.assertRows(['DISK_GB', 'VCPU'], dbapi.list_resource_classes(
            self.context, sort_key='name'))

    def test_update(self):
        row = utils.create_test_resource_class()
        row = dbapi.update_resource_class(self.context, row['uuid'],
                                          {'name': 'DISK_GB'})
        self.assertEqual('DISK_GB', row['name'])

    def test_destroy(self):
        row = utils.create_test_resource_class()
        dbapi.destroy_resource_class(self.context, row['uuid'])
        self.assertEqual([], dbapi.list_resource_classes(self.context))
