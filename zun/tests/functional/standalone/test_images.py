# SPDX-License-Identifier: Apache-2.0
"""Images through every layer, on the simulated cluster."""

from keystoneauth1 import adapter
from keystoneauth1 import exceptions as ks_exc

from zun.tests.functional.standalone import base


class ImagesTest(base.StandaloneTestCase):

    def image(self, uuid):
        return self.admin.get('/images/' + uuid).json()

    def test_pulled_to_a_node(self):
        made = self.admin.post('/images/', json={
            'repo': 'busybox', 'host': 'node-1'}).json()
        shown = self.wait_for(
            lambda: self.image(made['uuid']).get('size') and
            self.image(made['uuid']), 'the size')
        self.assertEqual(('busybox', 'latest'),
                         (shown['repo'], shown['tag']))
        self.assertTrue(shown['image_id'].startswith('sha256:'))
        self.admin.delete('/images/' + made['uuid'])

        def gone():
            try:
                self.image(made['uuid'])
            except ks_exc.BadRequest:
                return True
            return False
        self.wait_for(gone, 'its end')

    def test_container_becomes_an_image_and_that_a_container(self):
        uuid = self.create(name='source')
        self.wait_for(lambda: self.show(uuid)['status'] == 'Running')
        self.api.post('/containers/%s/execute' % uuid, params={
            'command': 'sh -c "echo text > file"', 'run': 'true',
            'interactive': 'false'})
        made = self.api.post(
            '/containers/%s/commit?repository=snap&tag=v1' % uuid).json()
        glance = adapter.Adapter(self.session, service_type='image')
        image = self.wait_for(
            lambda: self.active(glance, made['uuid']), 'an active image')
        self.assertEqual(('snap', 'docker', ['v1']), (
            image['name'], image['container_format'], image['tags']))
        second = self.create(image='snap', image_driver='glance',
                             name='second')
        self.wait_for(lambda: self.show(second)['status'] == 'Running',
                      'the second one')
        answer = self.api.post('/containers/%s/execute' % second, params={
            'command': 'cat file', 'run': 'true', 'interactive': 'false'})
        self.assertEqual('text\n', answer.json()['output'])

    @staticmethod
    def active(glance, image_id):
        found = glance.get('/v2/images/' + image_id).json()
        return found if found['status'] == 'active' else None

    def test_glance_is_searched(self):
        self.peers.image.seed({'name': 'findable', 'visibility': 'public',
                               'container_format': 'docker'}, b'x')
        for name, exact, count in (('find', 'false', 1), ('find', 'true', 0),
                                   ('findable', 'true', 1)):
            found = self.admin.get('/images/%s/search' % name, params={
                'image_driver': 'glance', 'exact_match': exact}).json()
            self.assertEqual(count, len(found), (name, exact))

    def test_image_that_glance_does_not_have(self):
        uuid = self.create(image='nowhere', image_driver='glance')
        self.wait_for(lambda: self.show(uuid)['status'] == 'Error')
        self.assertEqual('Image nowhere could not be found.',
                         self.show(uuid)['status_reason'])
