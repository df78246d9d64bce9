# SPDX-License-Identifier: Apache-2.0
from zun.common import exception
from zun.compute import container_actions as actions
from zun.container import errors
from zun import objects
from zun.tests.unit.compute.operations import base
from zun.tests.unit.db import utils


class ImageTestCase(base.OperationTestCase):

    def image(self):
        row = utils.create_test_image(self.context)
        return objects.Image.get_by_uuid(self.context, row['uuid'])


class TestImages(ImageTestCase):

    def test_delete(self):
        image = self.image()
        self.manager.image_delete(self.context, image)
        self.assertRaises(exception.ImageNotFound,
                          objects.Image.get_by_uuid, self.context,
                          image.uuid)

    def test_pull_needs_the_agent(self):
        error = self.assertRaises(
            errors.AgentNeeded, self.manager.image_pull, self.context,
            self.image())
        self.assertIn('nginx', str(error))

    def test_search(self):
        error = self.assertRaises(
            exception.Conflict, self.manager.image_search, self.context,
            'nginx', None, True, None)
        self.assertIn('nginx', str(error))


class TestCommit(base.OperationTestCase):

    def test_needs_the_agent(self):
        container = self.put_container()
        self.assertIn('zun-compute-agent', self.failed(
            'container_commit', container, actions.COMMIT,
            repository='r', tag='1'))
        self.assertRow(container, status='Running', task_state=None)
        self.assertEqual(('Error', {'commit': 'Error'}),
                         self.events(container))
