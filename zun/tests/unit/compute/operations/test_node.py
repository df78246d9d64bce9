# SPDX-License-Identifier: Apache-2.0
from unittest import mock

import fixtures

from zun.common import consts
from zun.compute.operations import base as operations_base
from zun.compute.operations import node
from zun.compute.tasks import errors as task_errors
from zun.container import driver
from zun.container.runtime import base as runtime_base
from zun import objects
from zun.tests import base
from zun.tests import fixtures as zun_fixtures
from zun.tests.unit.db import utils


class NodeTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.driver = mock.Mock(spec=driver.ContainerDriver)
        self.driver.runtime = None
        self.driver.is_kept.return_value = False
        self.driver.keep.return_value = 'kept here'
        self.driver.stop.return_value = driver.Stopped('stopped here')
        self.parts = operations_base.Parts(self.driver)
        self.context = utils.member()
        self.container = mock.Mock(container_id='zun-x-1', host='node-1')
        self.has_agent = self.useFixture(fixtures.MockPatchObject(
            node, 'has_agent', return_value=True)).mock
        self.queue = self.useFixture(
            fixtures.MockPatchObject(node, 'queue')).mock
        self.queue.wait.return_value = 'done there'

    def settle(self):
        return node.settle(self.parts, self.context, self.container)

    def halt(self, timeout=5):
        return node.halt(self.parts, self.context, self.container, timeout)


class TestAsk(NodeTestCase):

    def test_agent_stops(self):
        self.assertEqual('done there', self.halt())
        args, options = self.queue.enqueue.call_args
        self.assertEqual({'container': self.container, 'halt': True,
                          'timeout': 5}, args[2])
        self.assertEqual('node-1', options['host'])
        self.assertNotIn('lane', options)
        self.assertGreater(self.queue.wait.call_args[0][3], 5)

    def test_agent_keeps(self):
        self.settle()
        self.assertFalse(self.queue.enqueue.call_args[0][2]['halt'])
        self.driver.keep.assert_not_called()

    def test_nothing_to_keep(self):
        self.driver.is_kept.return_value = True
        self.assertEqual('kept here', self.settle())
        self.queue.enqueue.assert_not_called()

    def test_same_step_of_an_attempt_is_asked_for_once(self):
        self.context.task = mock.Mock(uuid='t1', attempt=2)
        for __ in range(2):
            self.halt()
        first, second = (call[1]['dedup_key'] for call in
                         self.queue.enqueue.call_args_list)
        self.assertEqual(first, second)
        self.context.task.attempt = 3
        self.halt()
        self.assertNotEqual(
            first, self.queue.enqueue.call_args[1]['dedup_key'])

    def test_steps_differ(self):
        self.halt()
        self.settle()
        first, second = (call[1]['dedup_key'] for call in
                         self.queue.enqueue.call_args_list)
        self.assertNotEqual(first, second)

    def test_agent_that_takes_too_long(self):
        self.queue.wait.side_effect = task_errors.TaskTimeout(
            kind='x', seconds=1, why='busy')
        self.assertIn('busy', str(self.assertRaises(
            task_errors.Retry, self.halt)))


class TestHere(NodeTestCase):
    """Nobody is asked."""

    def test_no_agent(self):
        self.has_agent.return_value = False
        self.assertEqual('stopped here', self.halt())
        self.settle()
        self.driver.keep.assert_called_once_with(self.context,
                                                 self.container)
        self.queue.enqueue.assert_not_called()

    def test_in_the_agent(self):
        self.driver.runtime = mock.Mock(spec=runtime_base.Runtime)
        self.assertEqual('stopped here', self.halt())
        self.queue.enqueue.assert_not_called()

    def test_what_the_agent_does(self):
        self.useFixture(fixtures.MockPatchObject(node, 'tell'))
        for halt, said in ((True, 'stopped here'), (False, 'kept here')):
            self.assertEqual(said, node.keep(
                self.parts, self.context, self.container, halt, 5))


class TestTell(base.TestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(zun_fixtures.Database())
        objects.register_all()

    def told(self, **fields):
        made = utils.create_test_container(status_reason=None, **fields)
        row = objects.Container.get_by_uuid(utils.member(), made['uuid'])
        node.tell(utils.member(), row, 'a note')
        return objects.Container.get_by_uuid(
            utils.member(), made['uuid']).status_reason

    def test_stopped(self):
        self.assertEqual('a note', self.told(status=consts.STOPPED,
                                             task_state=None))

    def test_worked_on(self):
        self.assertIsNone(self.told(
            status=consts.STOPPED, task_state=consts.CONTAINER_STARTING))

    def test_started_meanwhile(self):
        self.assertIsNone(self.told(status=consts.RUNNING, task_state=None))
