# SPDX-License-Identifier: Apache-2.0

from oslo_config import cfg
from oslo_middleware import cors

from zun.common import config
import zun.conf
from zun.tests import base

CONF = zun.conf.CONF


class ParseArgsTestCase(base.TestCase):

    def file(self, text: str) -> str:
        return self.create_tempfiles([('zun', text)], '.conf')[0]

    def test_default_files(self):
        config.parse_args(['zun-api'], [self.file('[api]\nport = 1234\n')])
        self.assertEqual(1234, CONF.api.port)

    def test_named_file_instead_of_the_default_ones(self):
        config.parse_args(
            ['zun-api', '--config-file', self.file('[api]\nport = 1\n')],
            [self.file('[api]\nport = 2\n')])
        self.assertEqual(1, CONF.api.port)

    def test_options_of_the_log(self):
        config.parse_args(['zun-api', '--debug'], [])
        self.assertTrue(CONF.debug)

    def test_quiet_libraries(self):
        self.assertIn('kubernetes=WARN', CONF.default_log_levels)

    def test_may_be_called_again(self):
        config.parse_args(['zun-api', '--debug'], [])
        config.parse_args(['zun-api'], [])
        self.assertFalse(CONF.debug)

    def test_missing_file(self):
        self.assertRaises(cfg.ConfigFilesNotFoundError, config.parse_args,
                          ['zun-api', '--config-file', '/no/such'])


class SetConfigDefaultsTestCase(base.TestCase):

    def test_browsers_may_send_the_version(self):
        config.set_config_defaults()
        defaults = {opt.name: opt.default for opt in cors.CORS_OPTS}
        self.assertIn('OpenStack-API-Version', defaults['allow_headers'])
        self.assertIn('OpenStack-API-Version', defaults['expose_headers'])
        self.assertEqual(['GET', 'PUT', 'POST', 'DELETE', 'PATCH'],
                         defaults['allow_methods'])
