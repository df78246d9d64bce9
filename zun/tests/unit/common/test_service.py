# SPDX-License-Identifier: Apache-2.0

from unittest import mock

import fixtures
from oslo_log import log

from zun.common import service
import zun.conf
from zun.tests import base

CONF = zun.conf.CONF


class PrepareServiceTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        # Logs of the tests and their signals stay with the tests.
        self.setup = self.useFixture(
            fixtures.MockPatchObject(log, 'setup')).mock
        self.reports = self.useFixture(fixtures.MockPatch(
            'oslo_reports.guru_meditation_report.TextGuruMeditation'
            '.setup_autorun')).mock

    def file(self, text: str) -> str:
        return self.create_tempfiles([('zun', text)], '.conf')[0]

    def test_reads_options_and_starts_the_log(self):
        service.prepare_service(['zun-api'],
                                [self.file('[api]\nport = 1234\n')])
        self.assertEqual(1234, CONF.api.port)
        self.setup.assert_called_once_with(CONF, 'zun')

    def test_reports_on_a_signal(self):
        service.prepare_service(['zun-api'], [])
        self.reports.assert_called_once_with(mock.ANY, conf=CONF)

    def test_bad_value_ends_with_one_line(self):
        path = self.file('[quota]\ncontainers = many\n')
        end = self.assertRaises(
            SystemExit, service.prepare_service, ['/bin/zun-api'], [path])
        self.assertEqual(
            'zun-api: [quota] Value for option containers from '
            f"{path} is not valid: invalid literal for int() with base 10: "
            "'many'", str(end))

    def test_missing_file_ends_with_one_line(self):
        end = self.assertRaises(
            SystemExit, service.prepare_service,
            ['zun-api', '--config-file', '/no/such'])
        self.assertIn('/no/such', str(end))


class FailTestCase(base.TestCase):

    def test_names_the_program(self):
        end = self.assertRaises(SystemExit, service.fail, 'no database')
        self.assertEqual(f'{CONF.prog}: no database', str(end))


class RefusePublishedKeyTestCase(base.TestCase):

    def test_published_key(self):
        end = self.assertRaises(SystemExit, service.refuse_published_key)
        self.assertIn('openssl rand', str(end))

    def test_own_key(self):
        self.config(auth_encryption_key='k' * 32)
        service.refuse_published_key()
