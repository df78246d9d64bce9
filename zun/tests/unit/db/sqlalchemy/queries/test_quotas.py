# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun.db import api as dbapi
from zun.tests.unit.db import base

P = 'project-1'


class QuotasTestCase(base.DbTestCase):

    def test_get(self):
        dbapi.quota_create(self.context, P, 'cpu', 5)
        self.assertEqual(5, dbapi.quota_get(self.context, P,
                                            'cpu')['hard_limit'])

    def test_missing(self):
        e = self.assertRaises(exception.ProjectQuotaNotFound,
                              dbapi.quota_get, self.context, P, 'cpu')
        self.assertEqual('Quota for project project-1 could not be found.',
                         str(e))

    def test_newest_row_counts(self):
        for limit in (5, 9, 7):
            dbapi.quota_create(self.context, P, 'cpu', limit)
        self.assertEqual(7, dbapi.quota_get(self.context, P,
                                            'cpu')['hard_limit'])
        self.assertEqual([7], [
            row['hard_limit']
            for row in dbapi.quota_get_all_by_project(self.context, P)])

    def test_all_of_a_project(self):
        dbapi.quota_create(self.context, P, 'cpu', 5)
        dbapi.quota_create(self.context, P, 'disk', None)
        dbapi.quota_create(self.context, 'other', 'cpu', 9)
        self.assertEqual(
            {'cpu': 5, 'disk': None},
            {row['resource']: row['hard_limit']
             for row in dbapi.quota_get_all_by_project(self.context, P)})

    def test_update_changes_the_newest(self):
        dbapi.quota_create(self.context, P, 'cpu', 5)
        dbapi.quota_create(self.context, P, 'cpu', 6)
        dbapi.quota_update(self.context, P, 'cpu', 7)
        self.assertEqual(7, dbapi.quota_get(self.context, P,
                                            'cpu')['hard_limit'])

    def test_update_missing(self):
        self.assertRaises(exception.ProjectQuotaNotFound,
                          dbapi.quota_update, self.context, P, 'cpu', 7)

    def test_destroy_removes_older_rows_too(self):
        dbapi.quota_create(self.context, P, 'cpu', 5)
        dbapi.quota_create(self.context, P, 'cpu', 6)
        dbapi.quota_destroy(self.context, P, 'cpu')
        self.assertRaises(exception.ProjectQuotaNotFound,
                          dbapi.quota_destroy, self.context, P, 'cpu')

    def test_destroy_all(self):
        dbapi.quota_create(self.context, P, 'cpu', 5)
        dbapi.quota_create(self.context, 'other', 'cpu', 5)
        dbapi.quota_destroy_all_by_project(self.context, P)
        self.assertEqual([], dbapi.quota_get_all_by_project(self.context, P))
        self.assertEqual(1, len(dbapi.quota_get_all_by_project(
            self.context, 'other')))

    def test_destroy_all_of_nothing(self):
        dbapi.quota_destroy_all_by_project(self.context, P)

    def test_no_usage_is_recorded(self):
        self.assertEqual([], dbapi.quota_usage_get_all_by_project(
            self.context, P))


class QuotaClassesTestCase(base.DbTestCase):

    def test_get(self):
        dbapi.quota_class_create(self.context, 'gold', 'cpu', 5)
        self.assertEqual(5, dbapi.quota_class_get(
            self.context, 'gold', 'cpu')['hard_limit'])

    def test_missing(self):
        e = self.assertRaises(exception.QuotaClassNotFound,
                              dbapi.quota_class_get, self.context, 'gold',
                              'cpu')
        self.assertEqual('Quota class gold could not be found.', str(e))

    def test_default_class(self):
        dbapi.quota_class_create(self.context, 'default', 'cpu', 5)
        dbapi.quota_class_create(self.context, 'gold', 'cpu', 9)
        for rows in (dbapi.quota_class_get_default(self.context),
                     dbapi.quota_class_get_all_by_name(self.context)):
            self.assertRows([5], rows, 'hard_limit')

    def test_all_of_a_class(self):
        dbapi.quota_class_create(self.context, 'gold', 'cpu', 9)
        dbapi.quota_class_create(self.context, 'gold', 'disk', 8)
        self.assertRows(['cpu', 'disk'], dbapi.quota_class_get_all_by_name(
            self.context, 'gold'), 'resource')

    def test_update(self):
        dbapi.quota_class_create(self.context, 'gold', 'cpu', 9)
        row = dbapi.quota_class_update(self.context, 'gold', 'cpu', 3)
        self.assertEqual(3, row['hard_limit'])
        self.assertIsNotNone(row['updated_at'])

    def test_update_missing(self):
        self.assertRaises(exception.QuotaClassNotFound,
                          dbapi.quota_class_update, self.context, 'gold',
                          'cpu', 3)
