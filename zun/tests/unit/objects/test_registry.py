# SPDX-License-Identifier: Apache-2.0

from zun.common import crypt
from zun.common import exception
from zun.db import api as dbapi
from zun import objects
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class RegistryTestCase(base.DbTestCase):

    def _create(self, **changes):
        values = utils.get_test_registry(password='secret', **changes)
        registry = objects.Registry(self.context, **values)
        registry.create(self.context)
        return registry

    def test_row_holds_the_cipher(self):
        registry = self._create()
        row = dbapi.get_registry_by_uuid(self.context, registry.uuid)
        self.assertEqual('secret', crypt.decrypt(row['password']))
        self.assertNotIn('secret', row['password'])

    def test_object_has_the_password(self):
        registry = self._create()
        for found in (
                objects.Registry.get_by_uuid(self.context, registry.uuid),
                objects.Registry.get_by_id(self.context, registry.id),
                objects.Registry.get_by_name(self.context, 'reg-1'),
                objects.Registry.list(self.context)[0]):
            self.assertEqual(('secret', set()),
                             (found.password, found.obj_what_changed()))

    def test_no_password(self):
        row = utils.create_test_registry(password=None)
        self.assertIsNone(objects.Registry.get_by_uuid(
            self.context, row['uuid']).password)

    def test_save(self):
        registry = self._create()
        registry.password = 'other'
        registry.name = 'new'
        registry.save(self.context)
        found = objects.Registry.get_by_name(self.context, 'new')
        self.assertEqual('other', found.password)

    def test_save_keeps_the_cipher_of_an_unchanged_password(self):
        registry = self._create()
        before = dbapi.get_registry_by_uuid(self.context, registry.uuid)
        registry.name = 'new'
        registry.save()
        after = dbapi.get_registry_by_uuid(self.context, registry.uuid)
        self.assertEqual(before['password'], after['password'])

    def test_password_of_another_key_fails_only_who_needs_it(self):
        row = utils.create_test_registry(password='not a cipher')
        registry, = objects.Registry.list(self.context)
        self.assertEqual(row['uuid'], registry.uuid)
        self.assertRaises(exception.InvalidEncryptionKey, getattr, registry,
                          'password')
        registry.password = 'new'
        registry.save()
        self.assertEqual('new', objects.Registry.get_by_uuid(
            self.context, row['uuid']).password)

    def test_destroy(self):
        registry = self._create()
        registry.destroy(self.context)
        self.assertEqual([], objects.Registry.list(self.context))
