# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.db import api as dbapi
from zun import objects
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class VolumeMappingTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        utils.create_test_container(uuid=utils.UUID, name='web')
        self.volume = utils.create_test_volume()

    def _unsaved(self, **changes):
        return objects.VolumeMapping(self.context, **{
            'project_id': utils.PROJECT, 'user_id': utils.USER,
            'container_uuid': utils.UUID, 'container_path': '/data',
            'volume_provider': 'cinder', 'auto_remove': False,
            'cinder_volume_id': utils.CINDER_UUID, **changes})

    def _create(self, **changes):
        mapping = self._unsaved(volume_id=self.volume['id'], **changes)
        mapping.create(self.context)
        return mapping

    def test_create_for_a_volume(self):
        mapping = self._create()
        self.assertEqual(1, len(dbapi.list_volumes(self.context)))
        self.assertEqual((utils.CINDER_UUID, set()),
                         (mapping.cinder_volume_id,
                          mapping.obj_what_changed() & {'container_path'}))

    def test_create_with_its_volume(self):
        mapping = self._unsaved(contents='aGVsbG8=')
        mapping.create(self.context)
        self.assertNotEqual(self.volume['id'], mapping.volume_id)
        row = dbapi.get_volume_by_id(self.context, mapping.volume_id)
        self.assertEqual(('cinder', 'aGVsbG8=', utils.PROJECT), (
            row['volume_provider'], row['contents'], row['project_id']))

    def test_read_with_its_volume(self):
        mapping = objects.VolumeMapping.get_by_uuid(self.context,
                                                    self._create().uuid)
        self.assertEqual(
            (utils.CINDER_UUID, 'compute-1', True, self.volume['uuid']),
            (mapping.cinder_volume_id, mapping.host, mapping.auto_remove,
             mapping.volume.uuid))
        self.assertEqual(set(), mapping.obj_what_changed())

    def test_container(self):
        self.assertEqual('web', self._create().container.name)

    def test_no_container(self):
        self.assertIsNone(self._create(container_uuid=None).container)

    def test_volume_is_loaded_for_an_unsaved_mapping(self):
        mapping = objects.VolumeMapping(self.context,
                                        volume_id=self.volume['id'])
        self.assertEqual('cinder', mapping.volume_provider)

    def test_field_that_is_not_set(self):
        self.assertRaises(exception.ObjectActionError, getattr,
                          objects.VolumeMapping(self.context), 'contents')

    def test_without_a_context(self):
        self.assertRaises(exception.OrphanedObjectError, getattr,
                          objects.VolumeMapping(volume_id=1), 'volume')

    def test_save_of_the_mapping(self):
        mapping = self._create()
        mapping.container_path = '/new'
        mapping.save(self.context)
        mapping.refresh()
        self.assertEqual('/new', mapping.container_path)

    def test_save_of_what_belongs_to_the_volume(self):
        mapping = objects.VolumeMapping.get_by_uuid(self.context,
                                                    self._create().uuid)
        mapping.connection_info = '{"a": 1}'
        mapping.save(self.context)
        again = objects.VolumeMapping.get_by_uuid(self.context, mapping.uuid)
        self.assertEqual('{"a": 1}', again.connection_info)
        self.assertIsNone(again.updated_at)

    def test_save_before_the_mapping_is_created(self):
        mapping = self._unsaved(volume_id=self.volume['id'])
        mapping.connection_info = '{"a": 1}'
        mapping.save(self.context)
        row = dbapi.get_volume_by_id(self.context, self.volume['id'])
        self.assertEqual('{"a": 1}', row['connection_info'])
        self.assertEqual([], dbapi.list_volume_mappings(self.context))
        mapping.create(self.context)
        self.assertEqual('/data', objects.VolumeMapping.get_by_uuid(
            self.context, mapping.uuid).container_path)

    def test_lists(self):
        mapping = self._create()
        for found in (
                objects.VolumeMapping.list(self.context),
                objects.VolumeMapping.list_by_container(self.context,
                                                        utils.UUID),
                objects.VolumeMapping.list_by_cinder_volume(
                    self.context, utils.CINDER_UUID)):
            self.assertEqual([mapping.uuid], [item.uuid for item in found])

    def test_count(self):
        self._create()
        self.assertEqual(1, objects.VolumeMapping.count(
            self.context, volume_id=self.volume['id']))

    def test_destroy_removes_the_unused_volume(self):
        self._create().destroy(self.context)
        self.assertEqual([], dbapi.list_volumes(self.context))

    def test_destroy_leaves_a_volume_that_is_used(self):
        first = self._create()
        self._create()
        first.destroy(self.context)
        self.assertEqual(1, len(dbapi.list_volumes(self.context)))


class VolumeTestCase(base.DbTestCase):

    def test_create_and_read(self):
        values = utils.get_test_volume()
        volume = objects.Volume(self.context, **values)
        volume.create(self.context)
        volume = objects.Volume.get_by_id(self.context, volume.id)
        self.assertEqual(values, {name: getattr(volume, name)
                                  for name in values})

    def test_save_and_refresh(self):
        row = utils.create_test_volume()
        volume = objects.Volume.get_by_id(self.context, row['id'])
        other = objects.Volume.get_by_id(self.context, row['id'])
        volume.host = 'h9'
        volume.save()
        other.refresh()
        self.assertEqual('h9', other.host)

    def test_secrets_are_not_printed(self):
        volume = objects.Volume(self.context, connection_info=(
            "{'auth_password': 'hidden'}"))
        self.assertNotIn('hidden', repr(volume))
