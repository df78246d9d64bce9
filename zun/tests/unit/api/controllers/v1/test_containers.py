# SPDX-License-Identifier: Apache-2.0
"""Tests of /v1/containers: list, show, change, rename and delete."""

from zun.common import consts
from zun.compute import rpcapi
from zun.db import api as db_api
from zun.tests.unit.api import base
from zun.tests.unit.api.controllers.v1 import container_base


class ListTest(container_base.ContainersTestCase):

    def names(self, query: str = '', **kwargs) -> list[str]:
        answer = self.get('/v1/containers' + query, **kwargs)
        self.assertEqual(200, answer.status_int, answer.text)
        return [item['name'] for item in answer.json['containers']]

    def test_own_project(self):
        self.create()
        self.create('other', project_id=base.OTHER_PROJECT)
        self.assertEqual(['web'], self.names())

    def test_all_projects_is_for_administrators(self):
        self.create('other', project_id=base.OTHER_PROJECT)
        self.assertEqual(['other'], self.names('?all_projects=1',
                                               headers=base.ADMIN))
        self.assert_error(self.get('/v1/containers?all_projects=1'),
                          403, 'policy-not-authorized')

    def test_capsules_are_no_containers(self):
        self.create(container_type=consts.TYPE_CAPSULE)
        self.assertEqual([], self.names())

    def test_filters(self):
        self.create()
        self.create('db', image='mariadb', status=consts.STOPPED)
        self.assertEqual(['db'], self.names('?image=mariadb'))
        self.assertEqual(['db'], self.names('?status=Stopped&name=db'))
        self.assertEqual([], self.names('?name=we'))

    def test_filter_by_host_is_for_administrators(self):
        self.assert_error(self.get('/v1/containers?host=compute-1'),
                          403, 'policy-not-authorized')

    def test_unknown_parameter(self):
        detail = self.assert_error(self.get('/v1/containers?colour=red'),
                                   400, 'invalid-value')
        self.assertIn('colour', detail)

    def test_unknown_marker_comes_before_unknown_parameter(self):
        self.assert_error(self.get('/v1/containers?marker=x&colour=red'),
                          404, 'container-not-found')

    def test_pages(self):
        rows = [self.create(name) for name in ('c1', 'c2', 'c3')]
        answer = self.get('/v1/containers?limit=2').json
        self.assertEqual(['c1', 'c2'],
                         [item['name'] for item in answer['containers']])
        self.assertEqual(
            'http://localhost/v1/containers?sort_key=id&sort_dir=asc&'
            'limit=2&marker=' + rows[1]['uuid'], answer['next'])
        self.assertEqual(['c3'], self.names(answer['next'][30:]))

    def test_order(self):
        for name in ('b1', 'c1', 'a1'):
            self.create(name)
        self.assertEqual(['c1', 'b1', 'a1'],
                         self.names('?sort_key=name&sort_dir=desc'))

    def test_statements_do_not_grow_with_the_list(self):
        registry = db_api.create_registry(self.context, {
            'uuid': container_base.NODE, 'domain': 'r.test',
            'project_id': base.PROJECT})
        for number in range(20):
            self.create('c%d' % number, registry_id=registry['id'])
        self.names()
        self.assertLessEqual(self.count_statements(self.names), 3)


class ShowTest(container_base.ContainersTestCase):

    def show(self, ident: str = 'web', **kwargs) -> dict:
        answer = self.get('/v1/containers/' + ident, **kwargs)
        self.assertEqual(200, answer.status_int, answer.text)
        return answer.json

    def test_by_name_and_uuid(self):
        row = self.create()
        self.assertEqual(row['uuid'], self.show()['uuid'])
        self.assertEqual('web', self.show(row['uuid'])['name'])

    def test_nothing_is_asked_of_compute(self):
        self.create()
        self.show()
        self.assertEqual([], self.calls)

    def test_several_of_a_name(self):
        self.create()
        self.create()
        self.assert_error(self.get('/v1/containers/web'), 409, 'conflict')

    def test_other_project(self):
        self.create(project_id=base.OTHER_PROJECT)
        self.assert_error(self.get('/v1/containers/web'), 404,
                          'container-not-found')

    def test_administrators_see_every_project(self):
        self.create(project_id=base.OTHER_PROJECT)
        self.assertEqual('web', self.show(headers=base.ADMIN)['name'])

    def test_what_only_administrators_see(self):
        self.create()
        hidden = {'host', 'privileged', 'runtime', 'image_driver'}
        mine = {key for key in hidden if key in self.show()}
        theirs = {key for key in hidden
                  if key in self.show(headers=base.ADMIN)}
        self.assertNotIn('host', mine)
        self.assertIn('host', theirs)

    def test_links(self):
        row = self.create()
        self.assertEqual(
            ['http://localhost/v1/containers/' + row['uuid'],
             'http://localhost/containers/' + row['uuid']],
            [link['href'] for link in self.show()['links']])

    def test_registry_is_shown_by_its_uuid(self):
        registry = db_api.create_registry(self.context, {
            'uuid': container_base.NODE, 'domain': 'r.test',
            'project_id': base.PROJECT})
        self.create(registry_id=registry['id'])
        self.assertEqual(container_base.NODE, self.show()['registry_id'])

    def test_registry_that_is_gone(self):
        self.create(registry_id=99)
        self.assert_error(self.get('/v1/containers/web'), 404,
                          'registry-not-found')


class PatchTest(container_base.ContainersTestCase):

    def test_name_is_changed_at_once(self):
        self.create()
        answer = self.patch('/v1/containers/web', {'name': 'new'})
        self.assertEqual(200, answer.status_int, answer.text)
        self.assertEqual('new', self.row()['name'])
        self.assertEqual([], self.calls)

    def test_sizes_are_changed_by_compute(self):
        self.create()

        def update(container, patch):
            container.cpu = patch['cpu']
            return container
        self.answers['container_update'] = update
        answer = self.patch('/v1/containers/web', {'cpu': 0.5})
        self.assertEqual(0.5, answer.json['cpu'])

    def test_sizes_over_the_quota(self):
        self.create()
        self.config('quota', cpu=2)
        self.assert_error(self.patch('/v1/containers/web', {'cpu': 3}),
                          403, 'over-quota')
        self.assertEqual([], self.calls)

    def test_null_sizes(self):
        self.create()
        detail = self.assert_error(
            self.patch('/v1/containers/web', {'cpu': None}),
            400, 'invalid-value')
        self.assertIn('cpu', detail)

    def test_unknown_member(self):
        self.create()
        self.assert_error(self.patch('/v1/containers/web', {'image': 'x1'}),
                          400, 'schema-validation-error')

    def test_state(self):
        self.create(status=consts.ERROR)
        self.assert_error(self.patch('/v1/containers/web', {'name': 'new'}),
                          409, 'invalid-state-exception')


class RenameTest(container_base.ContainersTestCase):

    def rename(self, query: str, **kwargs):
        return self.post('/v1/containers/web/rename' + query, None,
                         **{'version': '1.13', **kwargs})

    def test_rename(self):
        self.create()
        self.assertEqual('new', self.rename('?name=new').json['name'])
        self.assertEqual('new', self.row()['name'])

    def test_same_name(self):
        self.create()
        self.assert_error(self.rename('?name=web'), 409, 'conflict')

    def test_no_name(self):
        self.create()
        self.assert_error(self.rename(''), 400, 'invalid-parameter-value')

    def test_gone_since_1_14(self):
        self.create()
        answer = self.rename('?name=new', version='1.14')
        self.assertEqual(406, answer.status_int)


class DeleteTest(container_base.ContainersTestCase):

    def test_queued(self):
        row = self.create(status=consts.STOPPED)
        answer = self.delete('/v1/containers/web')
        self.assertEqual((204, b''), (answer.status_int, answer.body))
        (kind, host, method, arguments), = self.calls
        self.assertEqual(('cast', 'compute-1', 'container_delete', False),
                         (kind, host, method, arguments['force']))
        self.assertEqual(['delete'], self.actions(row))
        self.assertEqual(consts.STOPPED, self.row()['status'])

    def test_container_without_a_host_goes_at_once(self):
        self.create(status=consts.ERROR, host=None)
        self.assertEqual(204, self.delete('/v1/containers/web').status_int)
        self.assertEqual([], self.rows())
        self.assertEqual([], self.calls)

    def test_running_container(self):
        self.create()
        self.assert_error(self.delete('/v1/containers/web'), 409,
                          'invalid-state-exception')

    def test_stop_first(self):
        row = self.create()
        self.delete('/v1/containers/web?stop=true')
        self.assertEqual(['container_stop', 'container_delete'],
                         [call[2] for call in self.calls])
        self.assertEqual(['stop', 'delete'], self.actions(row))

    def test_force_is_for_administrators(self):
        self.create()
        self.assert_error(self.delete('/v1/containers/web?force=true'),
                          403, 'policy-not-authorized')
        answer = self.delete('/v1/containers/web?force=true',
                             headers=base.ADMIN)
        self.assertEqual(204, answer.status_int, answer.text)
        self.assertTrue(self.calls[0][3]['force'])

    def test_options_of_later_versions(self):
        self.create()
        for query, version in (('force=1', '1.6'), ('stop=1', '1.11')):
            self.assert_error(
                self.delete('/v1/containers/web?' + query, version=version),
                400, 'invalid-param-in-version')

    def test_no_truth_value(self):
        self.create()
        self.assert_error(self.delete('/v1/containers/web?stop=perhaps'),
                          400, 'schema-validation-error')

    def test_failed_cast_leaves_nothing_behind(self):
        row = self.create()
        self.fail_casts(ValueError('full'))
        self.assertEqual(
            500, self.delete('/v1/containers/web?stop=true').status_int)
        self.assertEqual([], self.actions(row))

    def fail_casts(self, error) -> None:
        def cast(*args, **kwargs):
            raise error
        rpcapi.API._cast = cast
