# SPDX-License-Identifier: Apache-2.0
"""Tests of the recorded actions of containers."""

from oslo_utils import timeutils

from zun.db import api as db_api
from zun.tests.unit.api import base
from zun.tests.unit.api.controllers.v1 import container_base

PATH = '/v1/containers/web/container_actions'


class ActionsTest(container_base.ContainersTestCase):

    def record(self, container: dict, number: int = 1) -> dict:
        action = db_api.action_start(self.context, {
            'action': 'create', 'container_uuid': container['uuid'],
            'project_id': base.PROJECT, 'user_id': base.USER,
            'request_id': 'req-%d' % number,
            'start_time': timeutils.utcnow()})
        db_api.action_event_start(self.context, {
            'event': 'compute__do_container_create', 'details': 'why',
            'container_uuid': container['uuid'], 'traceback': 'Traceback',
            'request_id': 'req-%d' % number,
            'start_time': timeutils.utcnow()})
        return action

    def test_newest_first(self):
        row = self.create()
        for number in (1, 2):
            self.record(row, number)
        self.assertEqual(['req-2', 'req-1'], [
            action['request_id'] for action in
            self.get(PATH).json['containerActions']])

    def test_events(self):
        self.record(self.create())
        event, = self.get(PATH + '/req-1').json['events']
        self.assertEqual('compute__do_container_create', event['event'])

    def test_traceback_is_for_administrators(self):
        self.record(self.create())
        for headers, shown in ((base.MEMBER, False), (base.ADMIN, True)):
            event, = self.get(PATH + '/req-1',
                              headers=headers).json['events']
            self.assertEqual(shown, bool(event.get('traceback')))

    def test_unknown_request(self):
        self.create()
        self.assert_error(self.get(PATH + '/req-9'), 404,
                          'resource-not-found')

    def test_other_project(self):
        self.record(self.create(project_id=base.OTHER_PROJECT))
        self.assert_error(self.get(PATH), 404, 'container-not-found')
