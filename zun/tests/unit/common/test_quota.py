# SPDX-License-Identifier: Apache-2.0

import fixtures
from oslo_utils import uuidutils
import sqlalchemy as sa

from zun.common import context as zun_context
from zun.common import exception
from zun.common import quota
from zun.db import api as db_api
from zun.db.sqlalchemy import quota_models
from zun.tests import base
from zun.tests import fixtures as zun_fixtures

DEFAULTS = {'containers': 40, 'cpu': 20, 'disk': 100, 'memory': 51200}


class QuotaTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(zun_fixtures.Database())
        self.context = zun_context.RequestContext(
            project_id='p', user_id='u', roles=['member'])

    def add_container(self, project_id='p', container_type=0, **kwargs):
        values = dict({'cpu': 1.0, 'memory': '512', 'disk': 10}, **kwargs)
        db_api.create_container(self.context, dict(
            values, uuid=uuidutils.generate_uuid(), project_id=project_id,
            container_type=container_type))

    def limit(self, **limits):
        for resource, value in limits.items():
            db_api.quota_create(self.context, 'p', resource, value)

    def check(self, **deltas):
        return quota.QUOTAS.check(self.context, deltas)

    def over(self, **deltas):
        error = self.assertRaises(exception.OverQuota, self.check, **deltas)
        self.assertEqual(403, error.code)
        return str(error)


class LimitTest(QuotaTestCase):

    def test_options_are_the_last_resort(self):
        self.assertEqual(DEFAULTS, quota.QUOTAS.get_defaults(self.context))

    def test_default_class_comes_before_options(self):
        db_api.quota_class_create(self.context, 'default', 'cpu', 3)
        db_api.quota_class_create(self.context, 'gold', 'cpu', 99)
        self.assertEqual(3, quota.QUOTAS.get_defaults(self.context)['cpu'])

    def test_own_limit_comes_first(self):
        db_api.quota_class_create(self.context, 'default', 'cpu', 3)
        self.limit(cpu=5)
        self.assertEqual({'limit': 5}, quota.QUOTAS.get_project_quotas(
            self.context, 'p', usages=False)['cpu'])

    def test_newest_row_counts(self):
        self.limit(cpu=5)
        self.limit(cpu=6)
        self.assertEqual(6, quota.QUOTAS.get_project_quotas(
            self.context, 'p')['cpu']['limit'])

    def test_limits_of_a_class(self):
        db_api.quota_class_create(self.context, 'gold', 'cpu', 99)
        self.assertEqual(dict(DEFAULTS, cpu=99),
                         quota.QUOTAS.get_class_quotas(self.context, 'gold'))

    def test_rows_of_unknown_resources_are_left_out(self):
        self.limit(volumes=5)
        self.assertEqual(sorted(DEFAULTS), sorted(
            quota.QUOTAS.get_project_quotas(self.context, 'p')))

    def test_resetting_a_project(self):
        self.limit(cpu=5)
        quota.QUOTAS.destroy_all_by_project(self.context, 'p')
        self.assertEqual(20, quota.QUOTAS.get_project_quotas(
            self.context, 'p')['cpu']['limit'])


class UsageTest(QuotaTestCase):

    def usages(self, project_id='p'):
        return {name: value['in_use'] for name, value in
                quota.QUOTAS.get_project_quotas(
                    self.context, project_id).items()}

    def test_nothing(self):
        self.assertEqual(dict.fromkeys(DEFAULTS, 0), self.usages())

    def test_sums(self):
        self.add_container(cpu=0.25)
        self.add_container(memory='1024', disk=None)
        self.add_container(cpu=None, memory=None)
        self.assertEqual({'containers': 3, 'cpu': 1.25, 'disk': 20,
                          'memory': 1536}, self.usages())

    def test_capsules_are_not_counted(self):
        self.add_container(container_type=1)
        self.add_container(container_type=2)
        self.assertEqual(0, self.usages()['containers'])

    def test_other_projects_are_not_counted(self):
        self.add_container(project_id='q')
        self.assertEqual(0, self.usages()['containers'])
        self.assertEqual(1, self.usages('q')['containers'])

    def test_users_without_a_project_are_counted_together(self):
        self.add_container(project_id=None)
        self.add_container()
        self.assertEqual(1, db_api.quota_usages(self.context, None)[
            'containers'])


class CheckTest(QuotaTestCase):

    def test_up_to_the_limit(self):
        self.limit(cpu=2)
        self.add_container(cpu=1.0)
        self.check(containers=1, cpu=1.0)

    def test_over_the_limit(self):
        self.limit(cpu=2)
        self.add_container(cpu=1.0)
        self.assertEqual("Quota exceeded for resources: ['cpu']",
                         self.over(containers=1, cpu=1.1))

    def test_all_that_are_over_are_named_in_order(self):
        self.limit(memory=0, containers=0, disk=0)
        self.assertEqual(
            "Quota exceeded for resources: ['containers', 'disk', 'memory']",
            self.over(containers=1, memory=1, disk=1))

    def test_a_project_over_a_limit_gets_nothing_more(self):
        self.limit(disk=5)
        self.add_container(disk=10)
        self.assertIn("['disk']", self.over(cpu=1))

    def test_negative_limits_are_none(self):
        self.limit(cpu=-1, memory=-2)
        self.check(cpu=1e9, memory=10 ** 12)

    def test_null_limits_are_none(self):
        self.limit(memory=None)
        self.check(memory=10 ** 12)

    def test_rounding_is_forgiven(self):
        self.limit(cpu=1)
        self.add_container(cpu=0.1)
        self.add_container(cpu=0.2)
        self.check(cpu=0.7)

    def test_noop_driver_limits_nothing(self):
        self.config('quota', driver='zun.common.quota.NoopQuotaDriver')
        self.limit(containers=0)
        self.check(containers=1).apply()
        self.assertEqual({'limit': -1, 'in_use': -1},
                         quota.QUOTAS.get_project_quotas(
                             self.context, 'p')['cpu'])
        self.assertEqual(-1, quota.QUOTAS.get_class_quotas(
            self.context, 'gold')['cpu'])


class UpdateTest(QuotaTestCase):

    def setUp(self):
        super().setUp()
        self.add_container()
        self.container = type('Container', (), {
            'cpu': 1.0, 'memory': '512'})()

    def test_difference_counts(self):
        self.limit(memory=600)
        quota.check_update(self.context, self.container, {'memory': '600'})
        self.assertRaises(exception.OverQuota, quota.check_update,
                          self.context, self.container, {'memory': '601'})

    def test_other_changes_are_free(self):
        self.limit(containers=0)
        quota.check_update(self.context, self.container, {'name': 'x'})

    def test_row_without_sizes(self):
        self.container.cpu = self.container.memory = None
        self.limit(cpu=2)
        quota.check_update(self.context, self.container, {'cpu': 1})

    def test_holding_counts_what_others_got_since_the_check(self):
        self.limit(cpu=2)
        quota.check_update(self.context, self.container, {'cpu': 2.0})
        with db_api.writer(self.context):
            quota.hold_update(self.context, self.container, {'cpu': 2.0})
        self.add_container()

        def hold():
            with db_api.writer(self.context):
                quota.hold_update(self.context, self.container,
                                  {'cpu': 2.0})
        self.assertRaises(exception.OverQuota, hold)

    def test_noop_driver_holds_nothing(self):
        self.config('quota', driver='zun.common.quota.NoopQuotaDriver')
        quota.hold_update(self.context, self.container, {'cpu': 1e9})


class ReservationTest(QuotaTestCase):

    def sums(self):
        return db_api.quota_sums(self.context, 'p')

    def create(self, reservation, **kwargs):
        with db_api.writer(self.context):
            reservation.apply()
            self.add_container(**kwargs)

    def statements(self):
        found = []
        sa.event.listen(
            db_api.get_engine(), 'before_cursor_execute',
            lambda *args: found.append(args[2].split()[0]))
        return lambda: [verb for verb in found
                        if verb not in ('BEGIN', 'ROLLBACK')]

    def test_reservations_add_up(self):
        self.create(self.check(containers=1, cpu=0.5, memory=512))
        self.create(self.check(containers=1, cpu=0.25, disk=10))
        self.assertEqual({'containers': 2, 'cpu': 750000, 'memory': 512,
                          'disk': 10}, self.sums())

    def test_who_counted_before_others_counts_again(self):
        self.limit(containers=1)
        first, second = self.check(containers=1), self.check(containers=1)
        self.create(first)
        self.assertRaises(exception.OverQuota, self.create, second)

    def test_second_passes_where_there_is_room(self):
        self.limit(containers=2)
        first, second = self.check(containers=1), self.check(containers=1)
        self.create(first)
        self.create(second)
        self.over(containers=1)

    def test_every_resource_is_held(self):
        for resource, value, stored in (('cpu', 1.0, 1.0),
                                        ('memory', 512, '512'),
                                        ('disk', 10, 10)):
            self.limit(**{resource: int(1.5 * value)})
            first = self.check(**{resource: value})
            second = self.check(**{resource: value})
            sizes = {'cpu': None, 'memory': None, 'disk': None}
            self.create(first, **dict(sizes, **{resource: stored}))
            self.assertRaises(exception.OverQuota, self.create, second)

    def test_uncontended_reservation_is_one_statement(self):
        reservation = self.check(containers=1)
        statements = self.statements()
        with db_api.writer(self.context):
            reservation.apply()
        self.assertEqual(['UPDATE'], statements())

    def test_contended_reservation_with_room_is_one_statement(self):
        self.limit(containers=2)
        reservation = self.check(containers=1)
        self.create(self.check(containers=1))
        statements = self.statements()
        with db_api.writer(self.context):
            reservation.apply()
        self.assertEqual(['UPDATE'], statements())

    def test_what_was_deleted_meanwhile_is_free(self):
        self.limit(containers=1)
        self.add_container()
        with db_api.writer(self.context) as session:
            session.execute(sa.text('DELETE FROM container'))
        self.create(self.check(containers=1))
        with db_api.writer(self.context) as session:
            session.execute(sa.text('DELETE FROM container'))
        self.create(self.check(containers=1))

    def test_smaller_containers_give_nothing_back_before_they_are(self):
        self.create(self.check(containers=1, cpu=1.0))
        self.create(self.check(cpu=-0.5))
        self.assertEqual(1000000, self.sums()['cpu'])

    def test_rolled_back_reservation_leaves_no_trace(self):
        reservation = self.check(containers=1)

        def fail():
            with db_api.writer(self.context):
                reservation.apply()
                raise ValueError()
        self.assertRaises(ValueError, fail)
        self.assertEqual(0, self.sums()['containers'])

    def test_two_first_reservations(self):
        self.limit(containers=1)
        first = self.check(containers=1)
        self.useFixture(fixtures.MonkeyPatch(
            'zun.db.api.quota_sums', lambda *args: None))
        second = self.check(containers=1)
        self.create(first)
        self.assertRaises(exception.OverQuota, self.create, second)

    def test_project_row_that_is_gone(self):
        reservation = self.check(containers=1)
        with db_api.writer(self.context) as session:
            session.execute(quota_models.quota_generation.delete())
        self.assertRaises(exception.Conflict, self.create, reservation)
