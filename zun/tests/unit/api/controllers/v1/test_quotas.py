# SPDX-License-Identifier: Apache-2.0
"""Tests of /v1/quotas and /v1/quota_classes."""

from zun.common import consts
from zun.db import api as db_api
from zun.tests.unit.api import base

PATH = '/v1/quotas/' + base.PROJECT
DEFAULTS = {'containers': 40, 'cpu': 20, 'disk': 100, 'memory': 51200}


class QuotasTest(base.ApiTestCase):

    def test_project_has_the_defaults(self):
        self.assertEqual(DEFAULTS, self.get(PATH).json)

    def test_limits_of_another_project_are_not_shown(self):
        self.assert_error(self.get('/v1/quotas/' + base.OTHER_PROJECT), 403,
                          'policy-not-authorized')

    def test_put_sets_what_is_given(self):
        answer = self.put(PATH, {'cpu': '7'}, headers=base.ADMIN)
        self.assertEqual(dict(DEFAULTS, cpu=7), answer.json)
        self.assertEqual(dict(DEFAULTS, cpu=7), self.get(PATH).json)

    def test_newest_limit_counts(self):
        for limit in (7, 3):
            self.put(PATH, {'cpu': limit}, headers=base.ADMIN)
        self.assertEqual(3, self.get(PATH).json['cpu'])

    def test_members_set_nothing(self):
        self.assert_error(self.put(PATH, {'cpu': 7}), 403,
                          'policy-not-authorized')

    def test_limit_that_no_row_can_hold_is_refused(self):
        self.assert_error(
            self.put(PATH, {'cpu': 2 ** 63}, headers=base.ADMIN), 400,
            'invalid-value')
        self.assertEqual(DEFAULTS, self.get(PATH).json)

    def test_usages_are_shown_beside_limits(self):
        db_api.create_container(self.context, {
            'name': 'web', 'cpu': 1.5, 'memory': '512', 'disk': 5,
            'container_type': consts.TYPE_CONTAINER,
            'project_id': base.PROJECT})
        shown = self.get(PATH + '?usages=false').json
        self.assertEqual({'limit': 20, 'in_use': 1.5}, shown['cpu'])
        self.assertEqual({'limit': 40, 'in_use': 1}, shown['containers'])

    def test_delete_resets_to_the_defaults(self):
        self.put(PATH, {'cpu': 7}, headers=base.ADMIN)
        self.assertEqual(200, self.delete(
            PATH, headers=base.ADMIN).status_int)
        self.assertEqual(DEFAULTS, self.get(PATH).json)

    def test_defaults_are_those_of_the_default_class(self):
        self.put('/v1/quota_classes/default', {'cpu': 5},
                 headers=base.ADMIN)
        self.assertEqual(5, self.get(PATH + '/defaults').json['cpu'])


class QuotaClassesTest(base.ApiTestCase):

    def test_put_changes_in_place(self):
        for limit in (7, 3):
            answer = self.put('/v1/quota_classes/gold', {'cpu': limit},
                              headers=base.ADMIN)
        self.assertEqual(dict(DEFAULTS, cpu=3), answer.json)
        rows = db_api.quota_class_get_all_by_name(self.context, 'gold')
        self.assertEqual([3], [row['hard_limit'] for row in rows])

    def test_put_changes_each_row_of_a_resource(self):
        for limit in (1, 2):
            db_api.quota_class_create(self.context, 'gold', 'cpu', limit)
        engine = db_api.get_engine()
        self.put('/v1/quota_classes/gold', {'cpu': 9}, headers=base.ADMIN)
        with engine.connect() as connection:
            limits = connection.exec_driver_sql(
                'SELECT hard_limit FROM quota_classes').scalars().all()
        self.assertEqual([9, 9], limits)

    def test_unknown_class_has_the_defaults(self):
        self.assertEqual(DEFAULTS, self.get('/v1/quota_classes/none',
                                            headers=base.ADMIN).json)

    def test_members_see_no_classes(self):
        self.assert_error(self.get('/v1/quota_classes/default'), 403,
                          'policy-not-authorized')
