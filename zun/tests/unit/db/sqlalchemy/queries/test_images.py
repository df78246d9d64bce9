# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.db import api as dbapi
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class ImagesTestCase(base.DbTestCase):

    def test_read_back(self):
        values = utils.get_test_image()
        dbapi.pull_image(self.context, values)
        row = dbapi.get_image_by_uuid(self.context, values['uuid'])
        self.assertEqual(values, {name: row[name] for name in values})

    def test_by_id_of_the_runtime(self):
        row = utils.create_test_image(image_id='sha256:7')
        self.assertEqual(row['uuid'], dbapi.get_image_by_id(
            self.context, 'sha256:7')['uuid'])

    def test_missing(self):
        e = self.assertRaises(exception.ImageNotFound,
                              dbapi.get_image_by_uuid, self.context, 'x')
        self.assertEqual('Image x could not be found.', str(e))

    def test_image_that_the_host_has(self):
        utils.create_test_image()
        e = self.assertRaises(exception.ImageAlreadyExists,
                              utils.create_test_image)
        self.assertEqual('An image with tag 1.25 and repo nginx already '
                         'exists.', str(e))

    def test_same_image_on_another_host(self):
        utils.create_test_image(host='h1')
        utils.create_test_image(host='h2')

    def test_page_of_the_project(self):
        rows = [utils.create_test_image(repo=name)
                for name in ('c', 'a', 'b')]
        utils.create_test_image(repo='z', project_id=utils.OTHER_PROJECT)
        self.assertRows(['b', 'c'], dbapi.list_images(
            self.context, sort_key='repo', marker=rows[1]['uuid']), 'repo')

    def test_unknown_marker(self):
        self.assertRaises(exception.ImageNotFound, dbapi.list_images,
                          self.context, marker='x')

    def test_filter(self):
        utils.create_test_image(repo='a')
        utils.create_test_image(repo='b')
        self.assertRows(['b'], dbapi.list_images(
            self.context, filters={'repo': 'b'}), 'repo')

    def test_update(self):
        row = utils.create_test_image()
        row = dbapi.update_image(self.context, row['uuid'], {'size': '7m'})
        self.assertEqual('7m', row['size'])

    def test_update_to_an_image_that_the_host_has(self):
        utils.create_test_image(tag='1')
        row = utils.create_test_image(tag='2')
        self.assertRaises(exception.ImageAlreadyExists, dbapi.update_image,
                          self.context, row['uuid'], {'tag': '1'})

    def test_destroy(self):
        row = utils.create_test_image()
        dbapi.destroy_image(self.context, row['uuid'])
        self.assertRaises(exception.ImageNotFound, dbapi.destroy_image,
                          self.context, row['uuid'])
