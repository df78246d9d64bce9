# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
from unittest import mock

from oslo_utils import uuidutils

from zun.common import exception
from zun.compute import container_actions as actions
from zun.compute.operations import images
from zun.compute.operations import node
from zun.container import errors
from zun.container.runtime import base as runtime_base
from zun.image import driver as image_driver
from zun.image.glance import driver as glance
from zun.image.glance import images as glance_images
from zun import objects
from zun.tests.unit.compute.operations import base
from zun.tests.unit.db import utils

IMAGE_ID = '5e1f5f7e-0000-4000-8000-000000000001'
GLANCE = {'id': IMAGE_ID, 'name': 'app', 'size': 9, 'checksum': 'c0ffee',
          'container_format': 'docker', 'disk_format': 'raw'}


class ImageTestCase(base.OperationTestCase):

    def setUp(self):
        super().setUp()
        self.runtime = mock.create_autospec(runtime_base.Runtime,
                                            instance=True)
        self.runtime.image.return_value = None

    def image(self, **fields):
        row = utils.create_test_image(self.context, **{
            'repo': 'nginx', 'tag': '1.25', 'image_id': None, 'size': None,
            'host': base.HOST, 'uuid': uuidutils.generate_uuid(), **fields})
        return objects.Image.get_by_uuid(self.context, row['uuid'])

    def pull(self, image):
        self.engine.runtime = self.runtime
        self.manager.image_pull(self.context, image)
        row = objects.Image.get_by_uuid(self.context, image.uuid)
        return row.repo, row.tag, row.image_id, row.size


class TestPull(ImageTestCase):

    def test_needs_the_agent(self):
        error = self.assertRaises(
            errors.AgentNeeded, self.manager.image_pull, self.context,
            self.image())
        self.assertIn('nginx', str(error))

    def test_notes_down_what_it_is(self):
        self.runtime.pull.return_value = runtime_base.RuntimeImage(
            'nginx:1.25', 'sha256:1', 1234567)
        self.assertEqual(('nginx', '1.25', 'sha256:1', '1234567'),
                         self.pull(self.image()))
        self.runtime.pull.assert_called_once_with('nginx:1.25', None)

    def test_no_tag_is_the_latest(self):
        self.runtime.pull.return_value = runtime_base.RuntimeImage(
            'x', 'sha256:1', 5)
        for tag in (None, ''):
            self.assertEqual('latest', self.pull(self.image(
                tag=tag, repo='app-%s' % tag))[1])

    def test_none_is_silent(self):
        self.runtime.pull.side_effect = runtime_base.ObjectMissing('no')
        self.assertEqual(('nginx', '1.25', None, None),
                         self.pull(self.image()))

    def test_refused(self):
        self.runtime.pull.side_effect = runtime_base.RuntimeError('denied')
        error = self.assertRaises(exception.ZunException, self.pull,
                                  self.image())
        self.assertIn('Cannot download image from docker: Error on pulling '
                      'image: nginx:1.25', str(error))

    def test_runtime_away_is_tried_again(self):
        self.runtime.pull.side_effect = runtime_base.RuntimeUnavailable('x')
        error = self.assertRaises(images.RuntimeAway, self.pull,
                                  self.image())
        self.assertTrue(error.transient)

    def test_glance_by_id(self):
        with mock.patch.object(glance_images, 'find', autospec=True,
                               return_value=GLANCE):
            self.runtime.usable.return_value = runtime_base.RuntimeImage(
                'x', 'sha256:2', 7)
            self.runtime.image.return_value = runtime_base.RuntimeImage(
                'x', 'sha256:3', 7, {'zun.local/archive-repo': 'inner',
                                     'zun.local/archive-tag': 'v1'})
            self.assertEqual(('inner', 'v1', 'sha256:2', '7'),
                             self.pull(self.image(repo=IMAGE_ID, tag='')))
        self.runtime.import_archive.assert_not_called()


class TestDelete(ImageTestCase):

    def delete(self, image):
        self.manager.image_delete(self.context, image)
        self.assertRaises(exception.ImageNotFound,
                          objects.Image.get_by_uuid, self.context,
                          image.uuid)

    def test_without_an_agent(self):
        self.delete(self.image(image_id='sha256:1'))

    def test_taken_off_the_node(self):
        self.engine.runtime = self.runtime
        self.delete(self.image(image_id='sha256:1'))
        self.runtime.discard.assert_called_once_with('sha256:1', 'nginx:1.25')

    def test_of_which_another_row_has_the_same(self):
        self.engine.runtime = self.runtime
        self.image(image_id='sha256:1', repo='other')
        self.delete(self.image(image_id='sha256:1'))
        self.runtime.discard.assert_not_called()

    def test_runtime_that_refuses(self):
        self.engine.runtime = self.runtime
        self.runtime.discard.side_effect = runtime_base.RuntimeError('no')
        self.delete(self.image(image_id='sha256:1'))


class TestSearch(ImageTestCase):

    def test_driver_is_asked(self):
        driver = mock.create_autospec(image_driver.ImageDriver,
                                      instance=True)
        with mock.patch.object(image_driver, 'load_image_driver',
                               autospec=True, return_value=driver) as load:
            self.assertIs(driver.search.return_value,
                          self.manager.image_search(
                              self.context, 'nginx', None, True, None))
        load.assert_called_once_with('docker')
        driver.search.assert_called_once_with(self.context, 'nginx', True,
                                              None)

    def test_unknown_driver(self):
        self.assertRaises(exception.Invalid, self.manager.image_search,
                          self.context, 'nginx', 'zzz', True, None)


class TestFetch(ImageTestCase):

    def test_asks_the_agent_of_the_node(self):
        answer = image_driver.OnNode('zun.local/glance/x:1', 'sha256:1', 5)
        with mock.patch.object(node, 'has_agent', autospec=True,
                               return_value=True), \
                mock.patch.object(images.queue, 'wait', autospec=True,
                                  return_value=answer._asdict()):
            get = images.fetcher(self.manager.parts, self.context,
                                 base.HOST)
            self.assertEqual(answer, get(GLANCE, False))

    def test_needs_an_agent(self):
        get = images.fetcher(self.manager.parts, self.context, base.HOST)
        self.assertRaises(errors.AgentNeeded, get, GLANCE, False)

    def test_only_looking_imports_nothing(self):
        self.runtime.usable.return_value = None
        self.assertIsNone(glance.fetch(self.context, self.runtime, GLANCE,
                                       only_look=True))
        self.runtime.import_archive.assert_not_called()


class TestCommit(ImageTestCase):

    def setUp(self):
        super().setUp()
        self.calls = mock.Mock()
        for name in ('create', 'has_bytes', 'upload', 'remove'):
            patch = mock.patch.object(glance_images, name,
                                      getattr(self.calls, name))
            patch.start()
            self.addCleanup(patch.stop)
        patch = mock.patch.object(
            glance_images, 'temporary_file',
            lambda: contextlib.nullcontext((io.BytesIO(), '/the/file')))
        patch.start()
        self.addCleanup(patch.stop)
        self.calls.create.return_value = IMAGE_ID
        self.calls.has_bytes.return_value = False

    def begin(self, container, tag='v1'):
        objects.ContainerAction.action_start(
            self.context, container.uuid, actions.COMMIT, want_result=False)
        with mock.patch.object(node, 'has_agent', autospec=True,
                               return_value=True):
            answer = self.manager.container_commit(
                self.context, container, 'snap', tag)
        self.assertEqual({'uuid': IMAGE_ID}, answer)

    def finish(self):
        """Run the task that was added; its error, or None."""
        with base.db_api.reader(None) as session:
            task = session.execute(base.TASK.select()).one()
        self.attempt(task.uuid)
        return self.task(task.uuid)

    def test_needs_the_agent(self):
        container = self.put_container()
        objects.ContainerAction.action_start(
            self.context, container.uuid, actions.COMMIT, want_result=False)
        self.assertRaises(errors.AgentNeeded, self.manager.container_commit,
                          self.context, container, 'r', '1')
        self.assertEqual(('Error', {'commit': 'Error'}),
                         self.events(container))
        self.calls.create.assert_not_called()

    def test_archive_is_uploaded(self):
        container = self.put_container()
        self.engine.export = mock.Mock()
        self.begin(container)
        self.assertEqual('done', self.finish().state)
        self.assertEqual('snap:v1', self.engine.export.call_args.args[3])
        self.assertEqual((IMAGE_ID, 'v1', '/the/file'),
                         self.calls.upload.call_args.args[1:])
        self.assertEqual((None, {'commit': 'Success'}),
                         self.events(container))
        self.assertRow(container, status='Running', task_state=None)

    def test_no_tag_is_the_latest(self):
        self.engine.export = mock.Mock()
        self.begin(self.put_container(), None)
        self.finish()
        self.assertEqual('latest', self.calls.upload.call_args.args[2])

    def test_attempt_before_has_uploaded_it(self):
        container = self.put_container()
        self.engine.export = mock.Mock()
        self.calls.has_bytes.return_value = True
        self.begin(container)
        self.assertEqual('done', self.finish().state)
        self.calls.upload.assert_not_called()
        self.assertEqual((None, {'commit': 'Success'}),
                         self.events(container))

    def test_failure_removes_the_image(self):
        container = self.put_container()
        self.engine.export = mock.Mock(side_effect=exception.Conflict('x'))
        self.begin(container)
        self.assertEqual('failed', self.finish().state)
        self.assertEqual(IMAGE_ID, self.calls.remove.call_args.args[1])
        self.assertEqual(('Error', {'commit': 'Error'}),
                         self.events(container))

    def test_container_that_was_never_made(self):
        container = self.put_container()
        container.container_id = None
        container.save(self.context)
        self.begin(container)
        self.assertIn('Cannot operate an uncreated container.',
                      self.finish().error)
        self.calls.remove.assert_called_once()
