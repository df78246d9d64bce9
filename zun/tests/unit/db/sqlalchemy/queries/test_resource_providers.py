# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.db import api as dbapi
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class ResourceProvidersTestCase(base.DbTestCase):

    def test_read_back(self):
        values = utils.get_test_resource_provider()
        dbapi.create_resource_provider(self.context, values)
        row = dbapi.get_resource_provider(self.context, values['uuid'])
        self.assertEqual(values, {name: row[name] for name in values})

    def test_by_name(self):
        utils.create_test_resource_provider()
        row = dbapi.get_resource_provider_by_name(self.context, 'compute-1')
        self.assertEqual(utils.PROVIDER_UUID, row['uuid'])

    def test_ambiguous_name(self):
        utils.create_test_resource_provider()
        utils.create_test_resource_provider(uuid=utils.UUID)
        self.assertRaises(exception.Conflict,
                          dbapi.get_resource_provider_by_name, self.context,
                          'compute-1')

    def test_missing(self):
        e = self.assertRaises(exception.ResourceProviderNotFound,
                              dbapi.get_resource_provider, self.context, 'x')
        self.assertEqual('No such resource provider x.', str(e))

    def test_uuid_that_is_taken(self):
        utils.create_test_resource_provider()
        self.assertRaises(exception.ResourceProviderAlreadyExists,
                          utils.create_test_resource_provider)

    def test_filter(self):
        utils.create_test_resource_provider(can_host=1)
        utils.create_test_resource_provider(uuid=utils.UUID, can_host=0)
        self.assertRows([utils.UUID], dbapi.list_resource_providers(
            self.context, filters={'can_host': 0}), 'uuid')

    def test_update(self):
        utils.create_test_resource_provider()
        row = dbapi.update_resource_provider(
            self.context, utils.PROVIDER_UUID, {'name': 'new'})
        self.assertEqual('new', row['name'])

    def test_destroy(self):
        utils.create_test_resource_provider()
        dbapi.destroy_resource_provider(self.context, utils.PROVIDER_UUID)
        self.assertEqual([], dbapi.list_resource_providers(self.context))
