# SPDX-License-Identifier: Apache-2.0

from zun import objects
from zun.objects import base as objects_base
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class AsDictTestCase(base.DbTestCase):

    def test_only_what_is_set(self):
        network = objects.ZunNetwork(self.context, name='n', host=None)
        self.assertEqual({'name': 'n', 'host': None}, network.as_dict())


class SerializerTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        self.serializer = objects_base.ZunObjectSerializer()

    def _there_and_back(self, value):
        return self.serializer.deserialize_entity(
            self.context, self.serializer.serialize_entity(self.context,
                                                           value))

    def test_names_of_the_primitive(self):
        primitive = self.serializer.serialize_entity(
            self.context, objects.ZunNetwork(self.context, name='n'))
        self.assertEqual(
            {'zun_object.name': 'ZunNetwork',
             'zun_object.namespace': 'zun',
             'zun_object.version': '1.2',
             'zun_object.data': {'name': 'n'},
             'zun_object.changes': ['name']}, primitive)

    def test_container(self):
        row = utils.create_test_container()
        container = objects.Container.get_by_uuid(self.context, row['uuid'])
        again = self._there_and_back(container)
        self.assertEqual(
            {name: value for name, value in container.as_dict().items()
             if name not in ('cpuset', 'created_at')},
            {name: value for name, value in again.as_dict().items()
             if name not in ('cpuset', 'created_at')})
        self.assertEqual({0, 1}, again.cpuset.cpuset_cpus)

    def test_unsaved_changes(self):
        mapping = objects.VolumeMapping(self.context, container_path='/d')
        self.assertEqual({'container_path'},
                         self._there_and_back(mapping).obj_what_changed())

    def test_inside_lists_and_dictionaries(self):
        network = objects.ZunNetwork(self.context, name='n')
        again = self._there_and_back({'networks': [network]})
        self.assertEqual('n', again['networks'][0].name)
