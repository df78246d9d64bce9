# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.db import api as dbapi
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class RegistriesTestCase(base.DbTestCase):

    def test_read_back(self):
        values = utils.get_test_registry(password='cipher')
        dbapi.create_registry(self.context, values)
        row = dbapi.get_registry_by_uuid(self.context, values['uuid'])
        self.assertEqual(values, {name: row[name] for name in values})

    def test_by_number(self):
        row = utils.create_test_registry()
        self.assertEqual(row['uuid'], dbapi.get_registry_by_id(
            self.context, row['id'])['uuid'])

    def test_by_name(self):
        row = utils.create_test_registry(name='r')
        self.assertEqual(row['uuid'], dbapi.get_registry_by_name(
            self.context, 'r')['uuid'])

    def test_ambiguous_name(self):
        utils.create_test_registry(name='r')
        utils.create_test_registry(name='r')
        self.assertRaises(exception.Conflict, dbapi.get_registry_by_name,
                          self.context, 'r')

    def test_missing(self):
        e = self.assertRaises(exception.RegistryNotFound,
                              dbapi.get_registry_by_uuid, self.context, 'x')
        self.assertEqual('Registry x could not be found.', str(e))

    def test_other_project_is_not_found(self):
        row = utils.create_test_registry(project_id=utils.OTHER_PROJECT)
        self.assertRaises(exception.RegistryNotFound,
                          dbapi.get_registry_by_uuid, self.context,
                          row['uuid'])
        self.assertEqual([], dbapi.list_registries(self.context))

    def test_uuid_that_is_taken(self):
        utils.create_test_registry(uuid=utils.UUID)
        self.assertRaises(exception.RegistryAlreadyExists,
                          utils.create_test_registry, uuid=utils.UUID)

    def test_page(self):
        rows = [utils.create_test_registry(name=name)
                for name in ('c', 'a', 'b')]
        self.assertRows(['b', 'c'], dbapi.list_registries(
            self.context, sort_key='name', marker=rows[1]['uuid']))

    def test_filter(self):
        utils.create_test_registry(domain='r1')
        utils.create_test_registry(domain='r2', name='r2')
        self.assertRows(['r2'], dbapi.list_registries(
            self.context, filters={'domain': 'r2'}))

    def test_by_numbers(self):
        ours = utils.create_test_registry()
        other = utils.create_test_registry(project_id=utils.OTHER_PROJECT)
        found = dbapi.registries_by_ids(self.context,
                                        [ours['id'], other['id'], 99])
        self.assertEqual({ours['id']: ours['uuid']},
                         {number: row['uuid']
                          for number, row in found.items()})

    def test_by_no_numbers(self):
        self.assertEqual({}, dbapi.registries_by_ids(self.context, []))

    def test_update(self):
        row = utils.create_test_registry()
        dbapi.update_registry(self.context, row['uuid'], {'name': 'new'})
        self.assertEqual('new', dbapi.get_registry_by_uuid(
            self.context, row['uuid'])['name'])

    def test_update_missing(self):
        self.assertRaises(exception.RegistryNotFound, dbapi.update_registry,
                          self.context, 'x', {'name': 'new'})

    def test_destroy(self):
        row = utils.create_test_registry()
        dbapi.destroy_registry(self.context, row['uuid'])
        self.assertEqual([], dbapi.list_registries(self.context))

    def test_destroy_missing(self):
        self.assertRaises(exception.RegistryNotFound, dbapi.destroy_registry,
                          self.context, 'x')
