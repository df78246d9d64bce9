# SPDX-License-Identifier: Apache-2.0
"""Tests of /v1/images."""

from oslo_utils import uuidutils

from zun.db import api as db_api
from zun.tests.unit.api import base


class ImagesTest(base.ApiTestCase):

    def setUp(self) -> None:
        super().setUp()
        self.node = db_api.create_compute_node(self.context, {
            'uuid': uuidutils.generate_uuid(), 'hostname': 'compute-1',
            'rp_uuid': uuidutils.generate_uuid()})

    def create(self, **values) -> dict:
        return db_api.pull_image(self.context, {
            'repo': 'nginx', 'tag': 'latest', 'host': 'compute-1',
            'project_id': base.PROJECT, 'user_id': base.USER, **values})

    def pull(self, **body):
        return self.post('/v1/images', {'repo': 'nginx:1.27',
                                        'host': 'compute-1', **body},
                         headers=base.ADMIN)

    def test_pull_writes_a_row_and_queues_work(self):
        answer = self.pull()
        self.assertEqual(202, answer.status_int)
        self.assertEqual(('nginx', '1.27'), (answer.json['repo'],
                                             answer.json['tag']))
        (kind, server, method, arguments), = self.calls
        self.assertEqual(('cast', 'compute-1', 'image_pull'),
                         (kind, server, method))
        self.assertEqual(answer.json['uuid'], arguments['image'].uuid)
        self.assertEqual(1, len(db_api.list_images(self.context)))

    def test_host_may_be_named_by_uuid(self):
        self.assertEqual('compute-1',
                         self.pull(host=self.node['uuid']).json['host'])

    def test_unknown_host_is_refused(self):
        self.assertEqual(
            'The host gone does not exist.',
            self.assert_error(self.pull(host='gone'), 400, 'invalid-value'))

    def test_name_that_is_no_image_is_refused(self):
        response = self.pull(repo='a..b')
        self.assertEqual(400, response.status_int)
        self.assertEqual([], db_api.list_images(self.context))

    def test_image_that_the_host_has_is_refused(self):
        self.pull()
        self.assert_error(self.pull(), 409, 'image-already-exists')
        self.assertEqual(1, len(self.calls))

    def test_list_shows_the_own_project(self):
        self.create()
        self.create(repo='redis', project_id=base.OTHER_PROJECT)
        images = self.get('/v1/images', headers=base.ADMIN).json['images']
        self.assertEqual(['nginx'], [image['repo'] for image in images])

    def test_admins_see_an_image_of_another_project(self):
        image = self.create(project_id=base.OTHER_PROJECT)
        self.assertEqual(200, self.get('/v1/images/' + image['uuid'],
                                       headers=base.ADMIN).status_int)

    def test_images_have_no_names(self):
        self.create()
        self.assert_error(self.get('/v1/images/nginx', headers=base.ADMIN),
                          400, 'image-not-found')

    def test_delete_keeps_the_row_until_the_host_is_done(self):
        image = self.create()
        response = self.delete('/v1/images/' + image['uuid'],
                               headers=base.ADMIN)
        self.assertEqual(200, response.status_int)
        self.assertEqual(1, len(db_api.list_images(self.context)))
        self.assertEqual('image_delete', self.calls[0][2])

    def test_search_asks_the_configured_driver(self):
        self.answers['image_search'] = [{'name': 'nginx'}]
        found = self.get('/v1/images/nginx/search?exact_match=true').json
        self.assertEqual([{'name': 'nginx'}], found)
        self.assertEqual({
            'image': 'nginx', 'image_driver_name': 'docker',
            'exact_match': True, 'registry': None}, self.calls[0][3])

    def test_driver_none_is_no_driver(self):
        self.get('/v1/images/nginx/search?image_driver=None')
        self.assertEqual('docker', self.calls[0][3]['image_driver_name'])
