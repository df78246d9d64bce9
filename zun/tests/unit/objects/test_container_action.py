# SPDX-License-Identifier: Apache-2.0

import sys

from zun.common import exception
from zun import objects
from zun.objects import container_action
from zun.tests.unit.db import base
from zun.tests.unit.db import utils

Action = objects.ContainerAction
Event = objects.ContainerActionEvent


def failure():
    """Return an exception and its traceback."""
    try:
        raise ValueError('no')
    except ValueError:
        return sys.exc_info()[1:]


class ActionTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        utils.create_test_container(uuid=utils.UUID)

    def test_start(self):
        action = Action.action_start(self.context, utils.UUID, 'start')
        self.assertEqual(
            ('start', 'req-1', utils.USER, utils.PROJECT),
            (action.action, action.request_id, action.user_id,
             action.project_id))
        self.assertIsNotNone(action.start_time)

    def test_start_without_result(self):
        self.assertIsNone(Action.action_start(
            self.context, utils.UUID, 'start', want_result=False))

    def test_list(self):
        for name in ('start', 'stop'):
            Action.action_start(self.context, utils.UUID, name)
        self.assertEqual(['stop', 'start'], [
            item.action for item in Action.get_by_container_uuid(
                self.context, utils.UUID)])

    def test_by_request(self):
        Action.action_start(self.context, utils.UUID, 'start')
        self.assertEqual('start', Action.get_by_request_id(
            self.context, utils.UUID, 'req-1').action)
        self.assertIsNone(Action.get_by_request_id(
            self.context, utils.UUID, 'req-9'))

    def test_finish(self):
        Action.action_start(self.context, utils.UUID, 'start')
        action = Action.action_finish(self.context, utils.UUID, 'start')
        self.assertIsNotNone(action.finish_time)
        self.assertIsNone(action.message)

    def test_finish_with_an_exception(self):
        Action.action_start(self.context, utils.UUID, 'start')
        action = Action.action_finish(self.context, utils.UUID, 'start',
                                      *failure())
        self.assertEqual('Error', action.message)


class EventTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        utils.create_test_container(uuid=utils.UUID)
        self.action = Action.action_start(self.context, utils.UUID, 'start')

    def _event(self):
        event, = Event.get_by_action(self.context, self.action.id)
        return event

    def test_start(self):
        Event.event_start(self.context, utils.UUID, 'work')
        self.assertEqual(('work', None, None), (
            self._event().event, self._event().result,
            self._event().finish_time))

    def test_finish(self):
        Event.event_start(self.context, utils.UUID, 'work')
        Event.event_finish(self.context, utils.UUID, 'work')
        self.assertEqual('Success', self._event().result)
        self.assertIsNotNone(self._event().finish_time)

    def test_finish_with_an_exception(self):
        Event.event_start(self.context, utils.UUID, 'work')
        event = Event.event_finish(self.context, utils.UUID, 'work',
                                   *failure(), want_result=True)
        self.assertEqual('Error', event.result)
        self.assertIn('in failure', event.traceback)
        self.assertEqual('Error', Action.get_by_request_id(
            self.context, utils.UUID, 'req-1').message)

    def test_long_traceback_keeps_its_end(self):
        Event.event_start(self.context, utils.UUID, 'work')
        Event.event_finish(self.context, utils.UUID, 'work',
                           exc_tb='x' * 70000 + 'é the end')
        text = self._event().traceback
        self.assertTrue(text.endswith('é the end'))
        self.assertLessEqual(len(text.encode()),
                             container_action.MAX_TRACEBACK)

    def test_without_an_action(self):
        self.assertRaises(exception.ContainerActionNotFound,
                          Event.event_start,
                          utils.member(request_id='req-9'), utils.UUID,
                          'work')
