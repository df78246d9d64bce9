# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.db import api as dbapi
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class VolumesTestCase(base.DbTestCase):

    def test_read_back(self):
        values = utils.get_test_volume(contents='aGVsbG8=')
        dbapi.create_volume(self.context, values)
        row = dbapi.get_volume_by_uuid(self.context, values['uuid'])
        self.assertEqual(values, {name: row[name] for name in values})

    def test_by_number(self):
        row = utils.create_test_volume()
        self.assertEqual(row['uuid'], dbapi.get_volume_by_id(
            self.context, row['id'])['uuid'])

    def test_missing(self):
        self.assertRaises(exception.VolumeNotFound,
                          dbapi.get_volume_by_uuid, self.context, 'x')

    def test_uuid_that_is_taken(self):
        utils.create_test_volume(uuid=utils.UUID)
        self.assertRaises(exception.VolumeAlreadyExists,
                          utils.create_test_volume, uuid=utils.UUID)

    def test_contents_longer_than_text_of_mysql(self):
        row = utils.create_test_volume(contents='x' * 70000)
        row = dbapi.get_volume_by_id(self.context, row['id'])
        self.assertEqual(70000, len(row['contents']))

    def test_update(self):
        row = utils.create_test_volume()
        row = dbapi.update_volume(self.context, row['uuid'],
                                  {'connection_info': '{}'})
        self.assertEqual('{}', row['connection_info'])

    def test_destroy(self):
        row = utils.create_test_volume()
        dbapi.destroy_volume(self.context, row['uuid'])
        self.assertEqual([], dbapi.list_volumes(self.context))


class VolumeMappingsTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        utils.create_test_container(uuid=utils.UUID)
        self.volume = utils.create_test_volume()

    def _create(self, **changes):
        return utils.create_test_volume_mapping(**{
            'volume_id': self.volume['id'], **changes})

    def test_comes_with_its_volume(self):
        row = self._create()
        row = dbapi.get_volume_mapping_by_uuid(self.context, row['uuid'])
        self.assertEqual(('/data', self.volume['uuid'],
                          utils.CINDER_UUID, 'compute-1'),
                         (row['container_path'], row['volume']['uuid'],
                          row['volume']['cinder_volume_id'],
                          row['volume']['host']))

    def test_missing(self):
        self.assertRaises(exception.VolumeMappingNotFound,
                          dbapi.get_volume_mapping_by_uuid, self.context,
                          'x')

    def test_other_project_is_not_found(self):
        row = self._create(project_id=utils.OTHER_PROJECT)
        self.assertRaises(exception.VolumeMappingNotFound,
                          dbapi.get_volume_mapping_by_uuid, self.context,
                          row['uuid'])

    def test_filter_by_container(self):
        self._create()
        self._create(container_uuid=None, container_path='/other')
        rows = dbapi.list_volume_mappings(
            self.context, filters={'container_uuid': utils.UUID})
        self.assertRows(['/data'], rows, 'container_path')

    def test_filter_by_volume(self):
        other = utils.create_test_volume(cinder_volume_id=utils.UUID)
        self._create()
        self._create(volume_id=other['id'], container_path='/other')
        rows = dbapi.list_volume_mappings(
            self.context, filters={'cinder_volume_id': utils.UUID})
        self.assertRows(['/other'], rows, 'container_path')

    def test_page(self):
        rows = [self._create(container_path=path)
                for path in ('/c', '/a', '/b')]
        rows = dbapi.list_volume_mappings(
            self.context, sort_key='container_path', limit=1,
            marker=rows[1]['uuid'])
        self.assertRows(['/b'], rows, 'container_path')

    def test_count(self):
        self._create()
        self._create()
        other = utils.create_test_volume()
        self._create(volume_id=other['id'])
        self.assertEqual(2, dbapi.count_volume_mappings(
            self.context, volume_id=self.volume['id']))

    def test_update(self):
        row = self._create()
        row = dbapi.update_volume_mapping(self.context, row['uuid'],
                                          {'container_path': '/new'})
        self.assertEqual('/new', row['container_path'])

    def test_destroy_leaves_the_volume(self):
        row = self._create()
        dbapi.destroy_volume_mapping(self.context, row['uuid'])
        self.assertEqual([], dbapi.list_volume_mappings(self.context))
        self.assertEqual(1, len(dbapi.list_volumes(self.context)))
