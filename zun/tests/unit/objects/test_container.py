# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.db import api as dbapi
from zun import objects
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class ContainerTestCase(base.DbTestCase):

    def _get(self, **changes):
        row = utils.create_test_container(**changes)
        return objects.Container.get_by_uuid(self.context, row['uuid'])

    def test_fields_of_the_row(self):
        values = utils.get_test_container()
        container = self._get(**values)
        for name, value in values.items():
            if name in container.fields and name != 'cpuset':
                self.assertEqual(value, getattr(container, name), name)
        self.assertEqual(set(), container.obj_what_changed())

    def test_pinned_cpus_are_read_back(self):
        container = self._get(cpuset={'cpuset_cpus': [1, 0],
                                      'cpuset_mems': [0]})
        self.assertEqual(({0, 1}, {0}), (container.cpuset.cpuset_cpus,
                                         container.cpuset.cpuset_mems))

    def test_pinned_cpus_are_stored_as_lists(self):
        container = self._get(cpuset=None)
        container.cpuset = objects.Cpuset(cpuset_cpus={3, 1},
                                          cpuset_mems={0})
        container.save()
        row = dbapi.get_container_by_uuid(self.context, 0, container.uuid)
        self.assertEqual({'cpuset_cpus': [1, 3], 'cpuset_mems': [0]},
                         row['cpuset'])

    def test_no_pinned_cpus(self):
        container = self._get(cpuset=None)
        self.assertIsNone(container.cpuset.cpuset_cpus)

    def test_by_name(self):
        self._get(name='web')
        self.assertEqual('web', objects.Container.get_by_name(
            self.context, 'web').name)

    def test_list(self):
        for name in ('c', 'a', 'b'):
            self._get(name=name)
        utils.create_test_capsule()
        containers = objects.Container.list(
            self.context, sort_key='name', limit=2)
        self.assertEqual(['a', 'b'], [item.name for item in containers])

    def test_list_after_a_marker(self):
        marker = self._get(name='a')
        self._get(name='b')
        containers = objects.Container.list(self.context, marker=marker)
        self.assertEqual(['b'], [item.name for item in containers])

    def test_list_filtered(self):
        self._get(name='a')
        self._get(name='b')
        containers = objects.Container.list(self.context,
                                            filters={'name': 'b'})
        self.assertEqual(['b'], [item.name for item in containers])

    def test_list_by_host(self):
        self._get(host='h1')
        self._get(host='h2')
        containers = objects.Container.list_by_host(self.context, 'h2')
        self.assertEqual(['h2'], [item.host for item in containers])

    def test_count(self):
        self._get(cpu=1.5)
        self.assertEqual(1.5, objects.Container.get_count(
            self.context, utils.PROJECT, 'cpu'))

    def test_create(self):
        container = objects.Container(self.context, name='web',
                                      project_id=utils.PROJECT)
        container.create(self.context)
        self.assertEqual((1, 'web', False, None),
                         (container.id, container.name, container.tty,
                          container.labels))
        self.assertEqual(set(), container.obj_what_changed())

    def test_save(self):
        container = self._get()
        container.status = 'Stopped'
        container.save(self.context)
        self.assertEqual('Stopped', objects.Container.get_by_uuid(
            self.context, container.uuid).status)
        self.assertEqual(set(), container.obj_what_changed())

    def test_save_writes_only_what_changed(self):
        container = self._get(status='Running')
        other = objects.Container.get_by_uuid(self.context, container.uuid)
        other.host = 'h9'
        other.save()
        container.status = 'Stopped'
        container.save()
        again = objects.Container.get_by_uuid(self.context, container.uuid)
        self.assertEqual(('h9', 'Stopped'), (again.host, again.status))

    def test_save_of_what_is_gone(self):
        container = self._get()
        container.destroy()
        container.status = 'Stopped'
        self.assertRaises(exception.ContainerNotFound, container.save)

    def test_refresh(self):
        container = self._get()
        self.assertEqual([], container.exec_instances)
        dbapi.update_container(self.context, 0, container.uuid,
                               {'status': 'Stopped'})
        utils.create_test_exec_instance(container_id=container.id)
        container.refresh()
        self.assertEqual(('Stopped', 1), (container.status,
                                          len(container.exec_instances)))
        self.assertEqual(set(), container.obj_what_changed())

    def test_destroy(self):
        container = self._get()
        container.destroy(self.context)
        self.assertRaises(exception.ContainerNotFound,
                          objects.Container.get_by_uuid, self.context,
                          container.uuid)


class LazyLoadingTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        registry = utils.create_test_registry(name='r')
        row = utils.create_test_container(registry_id=registry['id'])
        self.container = objects.Container.get_by_uuid(self.context,
                                                       row['uuid'])

    def test_exec_instances(self):
        utils.create_test_exec_instance(container_id=self.container.id)
        self.assertEqual(['exec-1'], [
            item.exec_id for item in self.container.exec_instances])

    def test_registry(self):
        self.assertEqual('r', self.container.registry.name)

    def test_no_registry(self):
        self.container.registry_id = None
        self.assertIsNone(self.container.registry)

    def test_pci_devices(self):
        utils.create_test_compute_node()
        utils.create_test_pci_device(status='allocated',
                                     container_uuid=self.container.uuid)
        self.assertEqual(['0000:0a:00.1'], [
            item.address for item in self.container.pci_devices])

    def test_loading_changes_nothing(self):
        self.assertEqual([], self.container.exec_instances)
        self.assertEqual(set(), self.container.obj_what_changed())

    def test_column_that_is_not_set(self):
        self.assertRaises(exception.ObjectActionError, getattr,
                          objects.Container(self.context), 'name')

    def test_without_a_context(self):
        self.assertRaises(exception.OrphanedObjectError, getattr,
                          objects.Container(), 'exec_instances')


class CapsuleTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        row = utils.create_test_capsule()
        for cls, name in ((objects.CapsuleContainer, 'c1'),
                          (objects.CapsuleContainer, 'c2'),
                          (objects.CapsuleInitContainer, 'i1')):
            cls(self.context, name=name, capsule_id=row['id'],
                project_id=utils.PROJECT).create(self.context)
        self.capsule = objects.Capsule.get_by_uuid(self.context, row['uuid'])

    def test_containers(self):
        self.assertEqual(['c1', 'c2'], [
            item.name for item in self.capsule.containers])
        self.assertEqual(['i1'], [
            item.name for item in self.capsule.init_containers])

    def test_no_container_outside(self):
        self.assertEqual([], objects.Container.list(self.context))

    def test_as_dict_has_the_containers(self):
        self.assertEqual([], self.capsule.as_dict().get('containers', []))
        self.assertEqual(2, len(self.capsule.containers))
        self.assertEqual(['c1', 'c2'], [
            item['name'] for item in self.capsule.as_dict()['containers']])

    def test_save_saves_the_containers(self):
        self.capsule.status = 'Stopped'
        self.capsule.containers[0].status = 'Dead'
        self.capsule.init_containers[0].status = 'Error'
        self.capsule.save(self.context)
        again = objects.Capsule.get_by_uuid(self.context, self.capsule.uuid)
        self.assertEqual(
            ('Stopped', 'Dead', 'Error'),
            (again.status, again.containers[0].status,
             again.init_containers[0].status))

    def test_registry_of_a_capsule(self):
        self.assertIsNone(self.capsule.registry)


class CpusetTestCase(base.DbTestCase):

    def test_unset_fields(self):
        self.assertEqual({'cpuset_cpus': None, 'cpuset_mems': None},
                         objects.Cpuset()._to_dict())
