# SPDX-License-Identifier: Apache-2.0
"""Tests of which services count as alive."""

import datetime
import types

from oslo_utils import timeutils

from zun.servicegroup import api
from zun.tests import base

NOW = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)


def service(**values) -> types.SimpleNamespace:
    values = {'forced_down': False, 'last_seen_up': None,
              'updated_at': None, 'created_at': None, **values}
    return types.SimpleNamespace(**values)


def ago(seconds: float) -> datetime.datetime:
    return NOW - datetime.timedelta(seconds=seconds)


class IsUpTest(base.BaseTestCase):

    def is_up(self, **values) -> bool:
        return api.is_up(service(**values), 180, NOW)

    def test_service_that_reported_is_up(self):
        self.assertTrue(self.is_up(last_seen_up=ago(5)))

    def test_service_is_up_to_the_end_of_its_time(self):
        self.assertTrue(self.is_up(last_seen_up=ago(180)))
        self.assertFalse(self.is_up(last_seen_up=ago(181)))

    def test_clock_that_is_ahead_is_forgiven_as_long(self):
        self.assertTrue(self.is_up(last_seen_up=ago(-100)))
        self.assertFalse(self.is_up(last_seen_up=ago(-500)))

    def test_forced_down_wins(self):
        self.assertFalse(self.is_up(last_seen_up=ago(5), forced_down=True))

    def test_change_counts_when_there_is_no_report(self):
        self.assertTrue(self.is_up(updated_at=ago(5), created_at=ago(999)))

    def test_old_change_hides_a_new_registration(self):
        self.assertFalse(self.is_up(updated_at=ago(500), created_at=ago(5)))

    def test_registration_counts_when_nothing_else_is_known(self):
        self.assertTrue(self.is_up(created_at=ago(5)))

    def test_service_of_no_time_is_down(self):
        self.assertFalse(self.is_up())

    def test_times_with_a_zone_are_compared_in_utc(self):
        zoned = ago(5).replace(tzinfo=datetime.timezone.utc)
        self.assertTrue(self.is_up(last_seen_up=zoned))


class ServiceGroupTest(base.TestCase):

    def test_limit_is_that_of_its_making(self):
        self.config(service_down_time=10)
        group = api.ServiceGroup()
        self.config(service_down_time=1000)
        old = timeutils.utcnow() - datetime.timedelta(seconds=60)
        self.assertFalse(group.service_is_up(service(last_seen_up=old)))
