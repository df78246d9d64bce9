# SPDX-License-Identifier: Apache-2.0

import json

from zun.common import context as zun_context
from zun.common import exception
from zun.compute.tasks import payload
from zun import objects
from zun.tests.unit.compute.tasks import base


class PayloadTestCase(base.TaskTestCase):

    def through(self, value):
        text = payload.dump(self.context, {'value': value})
        return payload.load_arguments(self.context, text)['value']

    def container(self, **values):
        made = objects.Container(self.context, **{
            'uuid': self.new_uuid(), 'project_id': 'project-1',
            'user_id': 'user-1', 'name': 'web', 'image': 'nginx',
            'status': 'Running', 'host': 'node-1', **values})
        made.create(self.context)
        return made

    def test_plain_values_survive(self):
        for value in (None, True, 1, 1.5, 'x', [], {}, [1, [None, 'é']],
                      {'a': {'b': [1]}}, ('a', 1), {'n': {1: (2, 3)}},
                      {'$ref': 'injected'}, [{'$encrypted': 'x'}],
                      {'router:external': False}):
            self.assertEqual(value, self.through(value))

    def test_other_values_are_refused(self):
        self.assertRaises(TypeError, self.through, object())
        self.assertRaises(TypeError, self.through, {'a': b'bytes'})

    def test_stored_object_is_read_again(self):
        container = self.container()
        text = payload.dump(self.context, {'value': container})
        other = objects.Container.get_by_uuid(self.context, container.uuid)
        other.status = 'Stopped'
        other.save(self.context)
        self.assertEqual(
            {'$ref': ['Container', container.uuid]},
            json.loads(text)['arguments']['value'])
        again = payload.load_arguments(self.context, text)['value']
        self.assertEqual('Stopped', again.status)
        self.assertEqual(set(), again.obj_what_changed())

    def test_unsaved_changes_come_along(self):
        container = self.container()
        container.status = 'Deleting'
        again = self.through(container)
        self.assertEqual('Deleting', again.status)
        self.assertEqual({'status'}, again.obj_what_changed())

    def test_object_of_another_project_is_found(self):
        container = self.container(project_id='project-2')
        self.assertEqual('project-2', self.through(container).project_id)

    def test_object_acts_in_the_context_of_the_task(self):
        text = payload.dump(self.context, {'value': self.container()})
        context = payload.load_context(text)
        again = payload.load_arguments(context, text)['value']
        self.assertIs(context, again._context)

    def test_object_that_is_gone_is_not_found(self):
        container = self.container()
        text = payload.dump(self.context, {'value': container})
        container.destroy(self.context)
        self.assertRaises(exception.ContainerNotFound,
                          payload.load_arguments, self.context, text)

    def test_new_object_is_carried_whole_and_encrypted(self):
        mapping = objects.VolumeMapping(
            self.context, container_path='/etc/secret',
            user_id='user-1', project_id='project-1',
            volume_provider='local', contents='top secret')
        text = payload.dump(self.context, {'value': {'c-1': [mapping]}})
        self.assertNotIn('top secret', text)
        self.assertNotIn('/etc/secret', text)
        again = payload.load_arguments(self.context, text)['value']
        self.assertEqual('/etc/secret', again['c-1'][0].container_path)
        self.assertEqual('top secret', again['c-1'][0].contents)

    def test_token_and_password_are_left_out(self):
        context = zun_context.RequestContext(
            auth_token='t0ken', password='passw0rd', user_id='u',
            project_id='p', is_admin=True, all_projects=True,
            auth_token_info={'token': 't0ken'}, overwrite=False)
        text = payload.dump(context, {})
        self.assertNotIn('t0ken', text)
        self.assertNotIn('passw0rd', text)
        again = payload.load_context(text)
        self.assertTrue(again.is_admin)
        self.assertTrue(again.all_projects)
        self.assertEqual(context.request_id, again.request_id)

    def test_result_survives(self):
        container = self.container()
        again = payload.load_value(self.context,
                                   payload.dump_value(container))
        self.assertEqual(container.uuid, again.uuid)
        self.assertIsNone(payload.load_value(self.context, None))
