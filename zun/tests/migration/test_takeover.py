# SPDX-License-Identifier: Apache-2.0
"""A database that Zun 18.0.0 created and filled is taken over.

The dump has at least a row in each table: some written by that release's API,
some with every column set, some with nothing but what may not be NULL.
"""

import lzma
import pathlib

import sqlalchemy as sa

from zun.common import consts
from zun.common import exception
from zun.db import api as dbapi
from zun.db import migration
from zun.db.sqlalchemy import migration as sqlalchemy_migration
from zun.db.sqlalchemy import transaction
from zun import objects
from zun.tests import databases
from zun.tests.migration import base
from zun.tests.unit.db import utils

DUMP = pathlib.Path(__file__).parent / 'zun_18_0_0.sql.xz'

PINNED = '0c000000-0000-4000-8000-000000000101'
BARE = '0c000000-0000-4000-8000-000000000102'
UMLAUT = '0c000000-0000-4000-8000-000000000103'
CAPSULE = 'ca000000-0000-4000-8000-000000000001'
NODE = 'ad000000-0000-4000-8000-000000000011'
BARE_NODE = 'ad000000-0000-4000-8000-000000000012'


class TakenOverTestCase(base.MigrationTestCase):
    """Test that starts with the dump."""

    kind = 'mariadb'

    def setUp(self):
        super().setUp()
        databases.get('mariadb').load(self.database.url,
                                      lzma.decompress(DUMP.read_bytes()))
        self.context = utils.admin()


class UpgradeTestCase(TakenOverTestCase):

    def _statements(self):
        """Return how each table of the reference was created."""
        with transaction.get_engine().connect() as connection:
            return {name: connection.exec_driver_sql(
                'SHOW CREATE TABLE `%s`' % name).one()[1]
                for name in base.REFERENCE}

    def _rows(self):
        """Return the rows of each table of the reference, as they are."""
        metadata = sa.MetaData()
        engine = transaction.get_engine()
        metadata.reflect(engine, only=list(base.REFERENCE))
        with engine.connect() as connection:
            return {name: sorted(
                map(tuple, connection.execute(sa.select(table))), key=repr)
                for name, table in metadata.tables.items()}

    def test_upgrade_only_adds_tables(self):
        statements, rows = self._statements(), self._rows()
        self.assertEqual([], [name for name, found in rows.items()
                              if not found])
        migration.upgrade()
        self.assertEqual(statements, self._statements())
        self.assertEqual(rows, self._rows())
        self.assertIn('task', self.inspect().get_table_names())

    def test_dump_is_what_the_facts_say(self):
        self.assertEqual(sqlalchemy_migration.FIRST_REVISION,
                         migration.version())
        found = self.describe()
        for name in base.REFERENCE:
            self.assertEqual(base.expected('mariadb', name), found[name])


class ReadTestCase(TakenOverTestCase):

    def setUp(self):
        super().setUp()
        migration.upgrade()

    def _count(self, table):
        with dbapi.reader(None) as session:
            return session.connection().exec_driver_sql(
                'SELECT count(*) FROM %s' % table).scalar()

    def test_every_container(self):
        found = [item for cls in (
            objects.Container, objects.Capsule, objects.CapsuleContainer,
            objects.CapsuleInitContainer) for item in cls.list(self.context)]
        self.assertEqual(self._count('container'), len(found))
        for item in found:
            self.assertIsNotNone(item.exec_instances)
            self.assertIsNotNone(item.pci_devices)
            item.registry

    def test_container_with_everything(self):
        container = objects.Container.get_by_uuid(self.context, PINNED)
        self.assertEqual(
            ({0, 1}, {'note': 'x'}, {'key': 'val'}, [80, 443], 'reg-1',
             ['exec-1', 'exec-2'], ['0000:0a:00.1'], True),
            (container.cpuset.cpuset_cpus, container.annotations,
             container.cni_metadata, container.ports,
             container.registry.name,
             [item.exec_id for item in container.exec_instances],
             [item.address for item in container.pci_devices],
             container.interactive))

    def test_container_with_nothing(self):
        container = objects.Container.get_by_uuid(self.context, BARE)
        self.assertEqual((None, None, None), (
            container.labels, container.addresses,
            container.cpuset.cpuset_cpus))

    def test_text_beyond_ascii_and_json_null(self):
        container = objects.Container.get_by_uuid(self.context, UMLAUT)
        self.assertEqual(
            ('Größe ☃', {'schlüssel': 'wert ☃'}, None),
            (container.name, container.labels, container.annotations))

    def test_capsule(self):
        capsule = objects.Capsule.get_by_uuid(self.context, CAPSULE)
        self.assertEqual((['capsule-pod-1-c1'], ['capsule-pod-1-i1']), (
            [item.name for item in capsule.containers],
            [item.name for item in capsule.init_containers]))

    def test_actions_and_events(self):
        found = [action for uuid in self._uuids() for action in
                 objects.ContainerAction.get_by_container_uuid(self.context,
                                                               uuid)]
        self.assertEqual(self._count('container_actions'), len(found))
        action, = objects.ContainerAction.get_by_container_uuid(
            self.context, PINNED)
        event, = objects.ContainerActionEvent.get_by_action(self.context,
                                                            action.id)
        self.assertEqual(('start', 'Error', 'Error'),
                         (action.action, action.message, event.result))

    def _uuids(self):
        return [row['uuid'] for row in dbapi.list_containers(
            self.context, consts.TYPE_ANY)]

    def test_registries(self):
        found = {item.name: item
                 for item in objects.Registry.list(self.context)}
        self.assertEqual(self._count('registry'), len(found))
        self.assertEqual(
            ('pw1', 'pw9', None),
            tuple(found[name].password
                  for name in ('reg-1', 'reg-pw', 'reg-nopw')))
        self.assertRaises(exception.InvalidEncryptionKey, getattr,
                          found['reg-badpw'], 'password')

    def test_compute_nodes(self):
        found = objects.ComputeNode.list(self.context)
        self.assertEqual(self._count('compute_node'), len(found))
        node = objects.ComputeNode.get_by_uuid(self.context, NODE)
        pool, = node.pci_device_pools
        self.assertEqual(
            ({2, 3}, {4, 5}, 2, ['runc', 'kata'], True),
            (node.numa_topology.nodes[0].free_cpus,
             node.numa_topology.nodes[1].cpuset, pool.count, node.runtimes,
             node.enable_cpu_pinning))

    def test_compute_node_with_nothing(self):
        node = objects.ComputeNode.get_by_uuid(self.context, BARE_NODE)
        self.assertEqual(([], None, False), (
            node.numa_topology.nodes, node.pci_device_pools,
            node.disk_quota_supported))

    def test_volumes(self):
        found = objects.VolumeMapping.list(self.context)
        self.assertEqual(self._count('volume_mapping'), len(found))
        mapping, = objects.VolumeMapping.list_by_container(self.context,
                                                           PINNED)
        self.assertIn('auth_password', mapping.connection_info)
        for number in range(1, self._count('volume') + 1):
            objects.Volume.get_by_id(self.context, number)

    def test_services(self):
        found = {item.host: item
                 for item in objects.ZunService.list(self.context)}
        self.assertEqual(self._count('zun_service'), len(found))
        self.assertEqual((True, True, 'az2', False), (
            found['compute-11'].disabled, found['compute-11'].forced_down,
            found['compute-11'].availability_zone,
            found['compute-12'].disabled))

    def test_quotas(self):
        self.assertEqual(
            {'cpu': 7, 'memory': None, 'disk': -1},
            {item.resource: item.hard_limit
             for item in objects.Quota.get_all(self.context, utils.PROJECT)})
        self.assertEqual([30], [
            item.hard_limit
            for item in objects.QuotaClass.get_all(self.context)])
        self.assertEqual(1, len(dbapi.quota_usage_get_all_by_project(
            self.context, utils.PROJECT)))

    def test_the_rest(self):
        for cls, table in ((objects.Image, 'image'),
                           (objects.ZunNetwork, 'network'),
                           (objects.ResourceProvider, 'resource_provider'),
                           (objects.ResourceClass, 'resource_class')):
            self.assertEqual(self._count(table),
                             len(cls.list(self.context)), table)
        self.assertEqual(self._count('pci_device'), len(
            objects.PciDevice.list_by_compute_node(self.context, NODE)))


class WriteTestCase(TakenOverTestCase):

    def setUp(self):
        super().setUp()
        migration.upgrade()

    def test_change(self):
        container = objects.Container.get_by_uuid(self.context, BARE)
        container.status = 'Stopped'
        container.save()
        container.refresh()
        self.assertEqual('Stopped', container.status)

    def test_create(self):
        container = objects.Container(self.context, name='new',
                                      project_id=utils.PROJECT)
        container.create(self.context)
        self.assertGreater(container.id, 7)

    def test_delete_takes_its_actions_and_exec_instances_along(self):
        for mapping in objects.VolumeMapping.list_by_container(self.context,
                                                               PINNED):
            mapping.destroy(self.context)
        container = objects.Container.get_by_uuid(self.context, PINNED)
        container.destroy(self.context)
        self.assertEqual([], dbapi.actions_get(self.context, PINNED))
        self.assertEqual([], dbapi.list_exec_instances(self.context,
                                                       container.id))

    def test_delete_of_a_container_with_volumes(self):
        container = objects.Container.get_by_uuid(self.context, PINNED)
        self.assertRaises(exception.Conflict, container.destroy)

    def test_delete_of_a_registry_in_use(self):
        registry = objects.Registry.get_by_name(self.context, 'reg-1')
        self.assertRaises(exception.Conflict, registry.destroy)

    def test_delete_of_a_capsule_takes_its_containers_along(self):
        objects.Capsule.get_by_uuid(self.context, CAPSULE).destroy()
        self.assertEqual([], objects.CapsuleContainer.list(self.context))

    def test_text_that_the_character_set_has_not(self):
        # The migrations of Zun 18.0.0 gave this table three bytes a
        # character.
        registry = objects.Registry.get_by_name(self.context, 'reg-nopw')
        registry.name = '\U0001f600'
        self.assertRaises(exception.InvalidParameterValue, registry.save)
