# SPDX-License-Identifier: Apache-2.0
"""Tests of the sign of life of services."""

from zun.common import context as zun_context
from zun.common import exception
from zun.db import api as db_api
from zun import objects
from zun.servicegroup import heartbeat
from zun.tests import base
from zun.tests import fixtures


class HeartbeatTest(base.TestCase):

    def setUp(self) -> None:
        super().setUp()
        self.useFixture(fixtures.Database())
        self.context = zun_context.make_admin_context()
        self.heartbeat = heartbeat.Heartbeat('compute-1', 'zun-compute')

    def row(self) -> dict:
        return db_api.get_zun_service(self.context, 'compute-1',
                                      'zun-compute')

    def test_first_beat_registers_the_service(self):
        self.heartbeat.beat(self.context)
        row = self.row()
        self.assertEqual(1, row['report_count'])
        self.assertEqual('nova', row['availability_zone'])
        self.assertIsNotNone(row['last_seen_up'])

    def test_beats_are_counted(self):
        self.heartbeat.beat(self.context)
        self.heartbeat.beat(self.context)
        self.assertEqual(2, self.row()['report_count'])

    def test_switches_are_kept(self):
        self.heartbeat.beat(self.context)
        db_api.update_zun_service(self.context, 'compute-1', 'zun-compute',
                                  {'disabled': True})
        self.heartbeat.beat(self.context)
        self.assertTrue(self.row()['disabled'])

    def test_removed_service_comes_back(self):
        self.heartbeat.beat(self.context)
        db_api.destroy_zun_service(self.context, 'compute-1', 'zun-compute')
        self.heartbeat.beat(self.context)
        self.assertEqual(1, self.row()['report_count'])

    def test_service_removed_before_the_report_comes_back(self):
        real = objects.ZunService.report_state_up
        failures = [exception.ZunServiceNotFound(host='h', binary='b')]

        def report(service, context=None):
            if failures:
                raise failures.pop()
            return real(service, context)
        self.addCleanup(setattr, objects.ZunService, 'report_state_up', real)
        objects.ZunService.report_state_up = report
        self.heartbeat.beat(self.context)
        self.assertEqual(1, self.row()['report_count'])
