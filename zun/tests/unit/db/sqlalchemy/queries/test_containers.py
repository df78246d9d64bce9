# SPDX-License-Identifier: Apache-2.0

import sqlalchemy as sa

from zun.common import consts
from zun.common import exception
from zun.db import api as dbapi
from zun.tests.unit.db import base
from zun.tests.unit.db import utils

CONTAINER = consts.TYPE_CONTAINER


class CreateTestCase(base.DbTestCase):

    def test_every_column_is_read_back_as_it_was_given(self):
        values = utils.get_test_container()
        dbapi.create_container(self.context, values)
        row = dbapi.get_container_by_uuid(self.context, CONTAINER,
                                          values['uuid'])
        self.assertEqual(values, {name: row[name] for name in values})

    def test_uuid_is_made(self):
        row = dbapi.create_container(self.context, {'name': 'web'})
        self.assertEqual(36, len(row['uuid']))

    def test_defaults_are_returned_and_unset_json_is_null(self):
        row = dbapi.create_container(self.context, {'uuid': utils.UUID})
        self.assertEqual(
            ('shared', 0, False, 0, None, None),
            tuple(row[name] for name in ('cpu_policy', 'disk', 'tty',
                                         'container_type', 'labels',
                                         'command')))

    def test_unset_json_is_stored_empty(self):
        dbapi.create_container(self.context, {
            'uuid': utils.UUID, 'project_id': utils.PROJECT})
        row = dbapi.get_container_by_uuid(self.context, CONTAINER,
                                          utils.UUID)
        self.assertEqual(({}, [], {}, None),
                         tuple(row[name] for name in (
                             'labels', 'command', 'cpuset', 'annotations')))

    def test_uuid_that_is_taken(self):
        utils.create_test_container(uuid=utils.UUID)
        e = self.assertRaises(exception.ContainerAlreadyExists,
                              utils.create_test_container, uuid=utils.UUID)
        self.assertEqual('A container with UUID %s already exists.'
                         % utils.UUID, str(e))

    def test_number_that_no_column_holds(self):
        self.assertRaises(exception.InvalidParameterValue,
                          utils.create_test_container, disk=2 ** 70)

    def test_text_that_is_no_unicode(self):
        self.assertRaises(exception.InvalidParameterValue,
                          utils.create_test_container, name='\ud800')


class UniqueNameTestCase(base.DbTestCase):

    def _create(self, **changes):
        return dbapi.create_container(self.context,
                                      utils.get_test_container(**changes))

    def test_off(self):
        self._create(name='web')
        self._create(name='web')

    def test_project(self):
        self.config(group='compute', unique_container_name_scope='project')
        self._create(name='web', project_id=utils.OTHER_PROJECT)
        self._create(name='web')
        e = self.assertRaises(exception.ContainerAlreadyExists,
                              self._create, name='WEB')
        self.assertEqual('A container with name web already exists.', str(e))

    def test_global(self):
        self.config(group='compute', unique_container_name_scope='global')
        self._create(name='web', project_id=utils.OTHER_PROJECT)
        self.assertRaises(exception.ContainerAlreadyExists,
                          self._create, name='web')

    def test_capsule(self):
        self.config(group='compute', unique_container_name_scope='project')
        self._create(name='pod', container_type=consts.TYPE_CAPSULE)
        self.assertRaises(exception.ContainerAlreadyExists, self._create,
                          name='pod', container_type=consts.TYPE_CAPSULE)

    def test_rename_to_a_name_that_is_taken(self):
        self.config(group='compute', unique_container_name_scope='project')
        self._create(name='web')
        row = self._create(name='other')
        self.assertRaises(exception.ContainerAlreadyExists,
                          dbapi.update_container, self.context, CONTAINER,
                          row['uuid'], {'name': 'Web'})

    def test_rename_to_its_own_name(self):
        self.config(group='compute', unique_container_name_scope='project')
        row = self._create(name='web')
        row = dbapi.update_container(self.context, CONTAINER, row['uuid'],
                                     {'name': 'WEB'})
        self.assertEqual('WEB', row['name'])


class GetTestCase(base.DbTestCase):

    def test_by_name(self):
        utils.create_test_container(name='web')
        row = dbapi.get_container_by_name(self.context, CONTAINER, 'web')
        self.assertEqual('web', row['name'])

    def test_name_is_case_sensitive(self):
        utils.create_test_container(name='web')
        for name in ('WEB', 'web '):
            self.assertRaises(exception.ContainerNotFound,
                              dbapi.get_container_by_name, self.context,
                              CONTAINER, name)

    def test_uuid_is_looked_up_literally(self):
        utils.create_test_container(uuid=utils.UUID)
        self.assertRaises(exception.ContainerNotFound,
                          dbapi.get_container_by_uuid, self.context,
                          CONTAINER, utils.UUID.upper())

    def test_ambiguous_name(self):
        utils.create_test_container(name='web')
        utils.create_test_container(name='web')
        e = self.assertRaises(exception.Conflict,
                              dbapi.get_container_by_name, self.context,
                              CONTAINER, 'web')
        self.assertEqual('Multiple containers exist with same name. Please '
                         'use the container uuid instead.', str(e))

    def test_other_type(self):
        utils.create_test_capsule(uuid=utils.UUID)
        self.assertRaises(exception.ContainerNotFound,
                          dbapi.get_container_by_uuid, self.context,
                          CONTAINER, utils.UUID)

    def test_any_type(self):
        utils.create_test_capsule(uuid=utils.UUID)
        row = dbapi.get_container_by_uuid(self.context, consts.TYPE_ANY,
                                          utils.UUID)
        self.assertEqual(utils.UUID, row['uuid'])

    def test_missing(self):
        e = self.assertRaises(exception.ContainerNotFound,
                              dbapi.get_container_by_uuid, self.context,
                              CONTAINER, utils.UUID)
        self.assertEqual('Container %s could not be found.' % utils.UUID,
                         str(e))


class TenantTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        utils.create_test_container(name='own')
        utils.create_test_container(name='other', uuid=utils.UUID,
                                    project_id=utils.OTHER_PROJECT,
                                    user_id='somebody')

    def _names(self, context):
        return [row['name'] for row in
                dbapi.list_containers(context, CONTAINER)]

    def test_member_sees_the_project(self):
        self.assertEqual(['own'], self._names(self.context))

    def test_other_project_is_not_found(self):
        self.assertRaises(exception.ContainerNotFound,
                          dbapi.get_container_by_uuid, self.context,
                          CONTAINER, utils.UUID)

    def test_admin_sees_own_project(self):
        self.assertEqual(['other'],
                         self._names(utils.admin(all_projects=False)))

    def test_admin_of_all_projects(self):
        self.assertEqual(['own', 'other'], self._names(self.admin))

    def test_member_cannot_ask_for_all_projects(self):
        self.assertEqual(['own'], self._names(
            utils.member(all_projects=True)))

    def test_user_without_project_sees_what_is_theirs(self):
        self.assertEqual(['own'], self._names(
            utils.member(project_id=None)))

    def test_nobody_sees_nothing(self):
        self.assertEqual([], self._names(
            utils.member(project_id=None, user_id=None)))

    def test_no_context_sees_all(self):
        self.assertEqual(['own', 'other'], self._names(None))


class ListTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        self.rows = [
            utils.create_test_container(name='c', image='nginx',
                                        auto_remove=False, host='h1'),
            utils.create_test_container(name='a', image='redis',
                                        auto_remove=True, host='h2'),
            utils.create_test_container(name='b', image='nginx',
                                        auto_remove=False, host='h1'),
        ]
        utils.create_test_capsule()

    def _list(self, **kwargs):
        return dbapi.list_containers(self.context, CONTAINER, **kwargs)

    def test_in_order_of_creation(self):
        self.assertRows(['c', 'a', 'b'], self._list())

    def test_descending(self):
        self.assertRows(['b', 'a', 'c'], self._list(sort_dir='desc'))

    def test_sorted(self):
        self.assertRows(['a', 'b', 'c'], self._list(sort_key='name'))

    def test_equal_sort_keys_keep_the_order_of_creation(self):
        self.assertRows(['c', 'b', 'a'], self._list(sort_key='host'))

    def test_empty_sort_key_is_none(self):
        self.assertRows(['c', 'a', 'b'], self._list(sort_key=''))

    def test_sort_keys_that_are_no_columns(self):
        for key in ('links', 'metadata', 'exec_instances', 'registry'):
            e = self.assertRaises(exception.InvalidParameterValue,
                                  self._list, sort_key=key)
            self.assertEqual('The sort_key value "%s" is an invalid field '
                             'for sorting' % key, str(e))

    def test_every_column_sorts_a_page(self):
        marker = self.rows[0]['uuid']
        for key in self.rows[0]:
            self._list(sort_key=key, marker=marker, limit=1)

    def test_limit(self):
        self.assertRows(['c', 'a'], self._list(limit=2))

    def test_marker(self):
        self.assertRows(['a', 'b'],
                        self._list(marker=self.rows[0]['uuid']))

    def test_marker_and_sort_key(self):
        self.assertRows(['b', 'c'], self._list(marker=self.rows[1]['uuid'],
                                               sort_key='name'))

    def test_empty_marker_is_none(self):
        self.assertRows(['c', 'a', 'b'], self._list(marker=''))

    def test_unknown_marker(self):
        self.assertRaises(exception.ContainerNotFound, self._list,
                          marker='no-such')

    def test_marker_of_other_type(self):
        capsule = utils.create_test_capsule()
        self.assertRaises(exception.ContainerNotFound, self._list,
                          marker=capsule['uuid'])

    def test_chosen_columns(self):
        self.assertEqual([{'id': 1, 'name': 'c'}],
                         self._list(columns=('id', 'name'), limit=1))

    def test_filter(self):
        self.assertRows(['c', 'b'], self._list(filters={'image': 'nginx'}))

    def test_filter_case_sensitive(self):
        self.assertEqual([], self._list(filters={'image': 'NGINX'}))

    def test_filter_list(self):
        self.assertRows(['c', 'a'],
                        self._list(filters={'name': ['c', 'a']}))

    def test_filter_empty_list(self):
        self.assertEqual([], self._list(filters={'name': []}))

    def test_filters_together(self):
        self.assertRows(['b'], self._list(filters={'image': 'nginx',
                                                   'name': 'b'}))

    def test_filter_none(self):
        self.assertRows(['c', 'a', 'b'],
                        self._list(filters={'registry_id': None}))

    def test_filter_auto_remove_by_number(self):
        self.assertRows(['a'], self._list(filters={'auto_remove': '1'}))
        self.assertRows(['c', 'b'], self._list(filters={'auto_remove': '0'}))
        self.assertRows(['a'], self._list(filters={'auto_remove': True}))

    def test_filter_auto_remove_by_words_matches_nothing(self):
        for value in ('true', 'True', 'false', 'x', '', '2', 'nan'):
            self.assertEqual([],
                             self._list(filters={'auto_remove': value}))

    def test_filter_that_is_no_column(self):
        self.assertRaises(exception.InvalidParameterValue, self._list,
                          filters={'links': 'x'})


class StatementsTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        self.ids = [utils.create_test_container()['id']
                    for _number in range(20)]
        self.statements = []
        # Reads may have connections of their own.
        event = sa.Engine, 'before_cursor_execute', self._record
        sa.event.listen(*event)
        self.addCleanup(sa.event.remove, *event)

    def _record(self, connection, cursor, statement, *args):
        if statement.startswith('SELECT'):
            self.statements.append(statement)

    def test_list(self):
        dbapi.list_containers(self.context, CONTAINER, limit=10,
                              filters={'image': 'nginx:1.25'})
        self.assertEqual(1, len(self.statements))

    def test_exec_instances_of_a_list(self):
        dbapi.list_exec_instances_by_container_ids(self.context, self.ids)
        self.assertEqual(1, len(self.statements))

    def test_members_of_a_list(self):
        dbapi.list_containers_by_capsule_ids(self.context, self.ids)
        self.assertEqual(1, len(self.statements))

    def test_usage(self):
        dbapi.count_usages(self.context, CONTAINER, utils.PROJECT)
        self.assertEqual(1, len(self.statements))


class CapsuleMembersTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        self.capsules = [utils.create_test_capsule() for number in (1, 2)]
        for number, capsule in enumerate(self.capsules):
            for name, kind in (('c', consts.TYPE_CAPSULE_CONTAINER),
                               ('i', consts.TYPE_CAPSULE_INIT_CONTAINER)):
                utils.create_test_container(
                    name='%s%d' % (name, number), container_type=kind,
                    capsule_id=capsule['id'])

    def test_by_capsule(self):
        ids = [capsule['id'] for capsule in self.capsules]
        found = dbapi.list_containers_by_capsule_ids(self.context, ids)
        self.assertEqual(ids, list(found))
        self.assertRows(['c0', 'i0'], found[ids[0]])
        self.assertRows(['c1', 'i1'], found[ids[1]])

    def test_container_of_another_project(self):
        number = self.capsules[0]['id']
        utils.create_test_container(
            name='x', container_type=consts.TYPE_CAPSULE_CONTAINER,
            capsule_id=number, project_id=utils.OTHER_PROJECT)
        found = dbapi.list_containers_by_capsule_ids(self.context, [number])
        self.assertRows(['c0', 'i0'], found[number])

    def test_no_capsule(self):
        self.assertEqual({}, dbapi.list_containers_by_capsule_ids(
            self.context, []))

    def test_capsule_without_containers(self):
        self.assertEqual({99: []}, dbapi.list_containers_by_capsule_ids(
            self.context, [99]))


class UpdateTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        self.row = utils.create_test_container(status='Running')

    def _update(self, **values):
        return dbapi.update_container(self.context, CONTAINER,
                                      self.row['uuid'], values)

    def test_writes_values(self):
        self._update(status='Stopped', labels={'a': 'b'})
        row = dbapi.get_container_by_uuid(self.context, CONTAINER,
                                          self.row['uuid'])
        self.assertEqual(('Stopped', {'a': 'b'}),
                         (row['status'], row['labels']))

    def test_sets_updated_at(self):
        self.assertIsNone(self.row['updated_at'])
        self.assertIsNotNone(self._update(status='Stopped')['updated_at'])

    def test_equal_values_are_no_change(self):
        row = self._update(status='Running', labels=self.row['labels'])
        self.assertIsNone(row['updated_at'])

    def test_uuid_stays(self):
        self.assertRaises(exception.InvalidParameterValue, self._update,
                          uuid=utils.UUID)

    def test_missing(self):
        self.assertRaises(exception.ContainerNotFound,
                          dbapi.update_container, self.context, CONTAINER,
                          utils.UUID, {'status': 'Stopped'})

    def test_other_type(self):
        self.assertRaises(exception.ContainerNotFound,
                          dbapi.update_container, self.context,
                          consts.TYPE_CAPSULE, self.row['uuid'],
                          {'status': 'Stopped'})


class DestroyTestCase(base.DbTestCase):

    def test_row_is_gone(self):
        row = utils.create_test_container()
        dbapi.destroy_container(self.context, CONTAINER, row['uuid'])
        self.assertEqual([], dbapi.list_containers(self.context, CONTAINER))

    def test_missing(self):
        self.assertRaises(exception.ContainerNotFound,
                          dbapi.destroy_container, self.context, CONTAINER,
                          utils.UUID)

    def test_next_container_does_not_inherit_exec_instances(self):
        row = utils.create_test_container()
        utils.create_test_exec_instance(container_id=row['id'])
        dbapi.destroy_container(self.context, CONTAINER, row['uuid'])
        self.assertEqual([], dbapi.list_exec_instances(self.context,
                                                       row['id']))


class CountUsageTestCase(base.DbTestCase):

    def _usage(self, **kwargs):
        return dbapi.count_usages(self.context, CONTAINER, utils.PROJECT,
                                  **kwargs)

    def test_nothing(self):
        self.assertEqual({'containers': 0, 'cpu': 0, 'disk': 0, 'memory': 0},
                         self._usage())

    def test_sums(self):
        utils.create_test_container(cpu=1.25, disk=10, memory='512')
        utils.create_test_container(cpu=1.0, disk=10, memory=None)
        utils.create_test_container(cpu=None, disk=None, memory='512')
        self.assertEqual(
            {'containers': 3, 'cpu': 2.25, 'disk': 20, 'memory': 1024},
            self._usage())

    def test_memory_with_units_of_older_rows(self):
        for memory in ('512m', '1g', '2048k', 'x'):
            utils.create_test_container(memory=memory)
        self.assertEqual({'memory': 512 + 1024 + 2},
                         self._usage(flags=['memory']))

    def test_other_projects_and_types_do_not_count(self):
        utils.create_test_container(project_id=utils.OTHER_PROJECT)
        utils.create_test_capsule()
        self.assertEqual({'containers': 0},
                         self._usage(flags=['containers']))

    def test_one(self):
        utils.create_test_container(disk=7)
        self.assertEqual(7, dbapi.count_usage(self.context, CONTAINER,
                                              utils.PROJECT, 'disk'))

    def test_unknown(self):
        self.assertRaises(exception.InvalidParameterValue,
                          dbapi.count_usage, self.context, CONTAINER,
                          utils.PROJECT, 'links')
