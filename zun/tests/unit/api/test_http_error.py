# SPDX-License-Identifier: Apache-2.0
"""Tests of the mapping of exceptions to answers."""

from oslo_db import exception as db_exc

from zun.api import http_error
from zun.common import exception
from zun.tests import base


class DescribeTest(base.TestCase):

    def test_error_of_the_application_keeps_its_words(self):
        error = http_error.describe(
            exception.ContainerNotFound(container='web'))
        self.assertEqual((404, 'container-not-found'),
                         (error.status, error.code))
        self.assertIn('web', error.detail)

    def test_template_is_the_clients_fault(self):
        error = http_error.describe(
            exception.InvalidCapsuleTemplate('no image'))
        self.assertEqual(400, error.status)

    def test_peer_that_is_away_is_503(self):
        class Away(exception.ZunException):
            code = 503
        self.assertEqual(503, http_error.describe(Away('away')).status)

    def test_unexpected_error_tells_nothing(self):
        error = http_error.describe(KeyError('secret'))
        self.assertEqual(500, error.status)
        self.assertNotIn('secret', error.detail)

    def test_value_that_does_not_fit_a_column_shows_no_statement(self):
        error = http_error.describe(
            db_exc.DBDataError(ValueError('[SQL: INSERT INTO x]')))
        self.assertEqual(400, error.status)
        self.assertNotIn('SQL', error.detail)

    def test_value_that_a_driver_does_not_send_is_refused(self):
        error = http_error.describe(db_exc.DBError(
            ValueError('A string literal cannot contain NUL')))
        self.assertEqual(400, error.status)

    def test_other_error_of_the_database_is_unexpected(self):
        error = http_error.describe(db_exc.DBError(KeyError('x')))
        self.assertEqual(500, error.status)

    def test_database_that_is_away_is_503(self):
        error = http_error.describe(
            db_exc.DBConnectionError(OSError('db.internal refused')))
        self.assertEqual(503, error.status)
        self.assertNotIn('internal', error.detail)
