# SPDX-License-Identifier: Apache-2.0

import datetime

from zun.common import exception
from zun.db import api as dbapi
from zun.tests.unit.db import base
from zun.tests.unit.db import utils

EVENT = {'event': 'compute__do_container_start',
         'container_uuid': utils.UUID, 'request_id': 'req-1'}


class ActionsTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        utils.create_test_container(uuid=utils.UUID)

    def test_start(self):
        utils.create_test_action()
        row, = dbapi.actions_get(self.context, utils.UUID)
        self.assertEqual(('start', 'req-1', utils.USER, utils.PROJECT, None),
                         tuple(row[name] for name in (
                             'action', 'request_id', 'user_id', 'project_id',
                             'finish_time')))
        self.assertIsNotNone(row['start_time'])

    def test_newest_first(self):
        for name in ('create', 'stop', 'delete'):
            utils.create_test_action(action=name)
        self.assertRows(['delete', 'stop', 'create'],
                        dbapi.actions_get(self.context, utils.UUID),
                        'action')

    def test_of_another_container(self):
        utils.create_test_action()
        self.assertEqual([], dbapi.actions_get(self.context, 'x'))

    def test_by_request(self):
        utils.create_test_action(request_id='req-2', action='stop')
        row = dbapi.action_get_by_request_id(self.context, utils.UUID,
                                             'req-2')
        self.assertEqual('stop', row['action'])

    def test_of_unknown_request(self):
        utils.create_test_action()
        self.assertIsNone(dbapi.action_get_by_request_id(
            self.context, utils.UUID, 'req-9'))

    def test_finish(self):
        utils.create_test_action(action='stop')
        utils.create_test_action(action='delete')
        now = datetime.datetime(2026, 1, 2, 3, 4, 5)
        dbapi.action_finish(self.context, {
            'container_uuid': utils.UUID, 'request_id': 'req-1',
            'action': 'delete', 'finish_time': now})
        self.assertEqual([now, None], [
            row['finish_time']
            for row in dbapi.actions_get(self.context, utils.UUID)])

    def test_finish_what_did_not_start(self):
        utils.create_test_action(action='stop')
        self.assertRaises(exception.ContainerActionNotFound,
                          dbapi.action_finish, self.context,
                          {'container_uuid': utils.UUID,
                           'request_id': 'req-1', 'action': 'delete'})


class EventsTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        utils.create_test_container(uuid=utils.UUID)
        self.action = utils.create_test_action()

    def _events(self):
        return dbapi.action_events_get(self.context, self.action['id'])

    def test_start(self):
        dbapi.action_event_start(self.context, EVENT)
        row, = self._events()
        self.assertEqual(('compute__do_container_start', None),
                         (row['event'], row['result']))

    def test_newest_first(self):
        dbapi.action_event_start(self.context, EVENT)
        dbapi.action_event_start(self.context, {**EVENT, 'event': 'other'})
        self.assertRows(['other', EVENT['event']], self._events(), 'event')

    def test_start_without_an_action(self):
        e = self.assertRaises(exception.ContainerActionNotFound,
                              dbapi.action_event_start, self.context,
                              {**EVENT, 'request_id': 'req-9'})
        self.assertEqual('Action for request_id req-9 on container %s not '
                         'fount' % utils.UUID, str(e))

    def test_finish(self):
        dbapi.action_event_start(self.context, EVENT)
        dbapi.action_event_finish(self.context,
                                  {**EVENT, 'result': 'Success'})
        row, = self._events()
        self.assertEqual('Success', row['result'])
        self.assertIsNone(dbapi.actions_get(
            self.context, utils.UUID)[0]['message'])

    def test_error_marks_the_action(self):
        dbapi.action_event_start(self.context, EVENT)
        dbapi.action_event_finish(self.context, {**EVENT, 'result': 'Error',
                                                 'traceback': 'trace'})
        self.assertEqual('trace', self._events()[0]['traceback'])
        self.assertEqual('Error', dbapi.actions_get(
            self.context, utils.UUID)[0]['message'])

    def test_finish_what_did_not_start(self):
        self.assertRaises(exception.ContainerActionEventNotFound,
                          dbapi.action_event_finish, self.context, EVENT)
