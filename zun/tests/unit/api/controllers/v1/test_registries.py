# SPDX-License-Identifier: Apache-2.0
"""Tests of /v1/registries."""

from zun.common import crypt
from zun.db import api as db_api
from zun import objects
from zun.tests.unit.api import base


class RegistriesTest(base.ApiTestCase):

    def create(self, project: str = base.PROJECT, **values):
        values = {'name': 'ours', 'domain': 'r.test', 'username': 'me',
                  'password': 'secret', **values}
        registry = objects.Registry(self.context, project_id=project,
                                    user_id=base.USER, **values)
        registry.create(self.context)
        return registry

    def test_new_registry_is_shown_without_its_password(self):
        answer = self.post('/v1/registries', {'registry': {
            'domain': 'r.test', 'password': 'secret'}})
        self.assertEqual(201, answer.status_int)
        registry = answer.json['registry']
        self.assertEqual('***', registry['password'])
        self.assertEqual('http://localhost/v1/registries/' +
                         registry['uuid'], answer.headers['Location'])

    def test_password_is_kept_encrypted(self):
        self.post('/v1/registries', {'registry': {
            'domain': 'r.test', 'password': 'secret'}})
        row, = db_api.list_registries(self.context)
        self.assertNotIn('secret', row['password'])
        self.assertEqual('secret', crypt.decrypt(row['password']))

    def test_list_has_no_links(self):
        self.create()
        registry, = self.get('/v1/registries').json['registries']
        self.assertNotIn('links', registry)

    def test_list_is_filtered(self):
        self.create(name='one')
        self.create(name='two')
        found = self.get('/v1/registries?name=two').json['registries']
        self.assertEqual(['two'], [registry['name'] for registry in found])

    def test_unknown_parameter_of_a_list_is_refused(self):
        self.assertEqual(
            'Unknown parameters: password',
            self.assert_error(self.get('/v1/registries?password=secret'),
                              400, 'invalid-value'))

    def test_list_shows_rows_that_cannot_be_decrypted(self):
        self.create()
        row, = db_api.list_registries(self.context)
        db_api.update_registry(self.context, row['uuid'],
                               {'password': 'no cipher text'})
        self.assertEqual(1, len(
            self.get('/v1/registries').json['registries']))

    def test_members_do_not_list_all_projects(self):
        self.assert_error(self.get('/v1/registries?all_projects=1'), 403,
                          'policy-not-authorized')

    def test_admins_list_all_projects(self):
        self.create(project=base.OTHER_PROJECT)
        found = self.get('/v1/registries?all_projects=1',
                         headers=base.ADMIN).json['registries']
        self.assertEqual(1, len(found))

    def test_registry_of_another_project_is_not_found(self):
        registry = self.create(project=base.OTHER_PROJECT)
        self.assert_error(self.get('/v1/registries/' + registry.uuid), 404,
                          'registry-not-found')

    def test_name_of_several_is_ambiguous(self):
        self.create()
        self.create()
        self.assert_error(self.get('/v1/registries/ours'), 409, 'conflict')

    def test_update_changes_what_is_given(self):
        registry = self.create()
        answer = self.patch('/v1/registries/ours',
                            {'registry': {'username': 'you'}}).json
        self.assertEqual(('you', 'r.test'), (
            answer['registry']['username'], answer['registry']['domain']))
        row = db_api.get_registry_by_uuid(self.context, registry.uuid)
        self.assertEqual('you', row['username'])

    def test_delete_removes_the_row(self):
        self.create()
        response = self.delete('/v1/registries/ours')
        self.assertEqual(204, response.status_int)
        self.assertEqual([], db_api.list_registries(self.context))
