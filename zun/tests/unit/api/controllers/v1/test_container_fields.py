# SPDX-License-Identifier: Apache-2.0
"""Tests of the values that containers store.

Most rules are held by the recorded vectors; these are what those leave out.
"""

from zun.api.controllers.v1 import container_fields
from zun.common import exception
from zun.tests import base


class FieldsTest(base.BaseTestCase):

    def refuse(self, function, *arguments):
        error = self.assertRaises(exception.InvalidValue, function,
                                  *arguments)
        self.assertEqual(400, error.code)
        return str(error)

    def test_command_line(self):
        split = container_fields.split_command
        self.assertEqual(['sh', '-c', 'a b'], split('sh -c "a b"'))
        self.assertEqual(['a', '#b'], split('a #b'))
        self.assertEqual([], split(''))
        self.assertIsNone(split(None))

    def test_unfinished_command_lines(self):
        for command in ('"a', "a '", 'a\\'):
            self.assertIn(command, self.refuse(
                container_fields.split_command, command))

    def test_health_check(self):
        self.assertEqual(
            {'test': 'true', 'interval': 5},
            container_fields.health_check({'cmd': 'true', 'interval': 5}))

    def test_health_check_without_a_command(self):
        self.assertEqual({'test': ''}, container_fields.health_check({}))

    def test_retries_that_are_no_number(self):
        for retries in ('x', '', None, [], {}, '1.5'):
            self.refuse(container_fields.check_restart_policy,
                        {'Name': 'on-failure', 'MaximumRetryCount': retries})

    def test_plain_items(self):
        container_fields.plain_items(['a', 1, 1.5, True], 'command')
        for item in (None, [], {}):
            self.assertIn('command', self.refuse(
                container_fields.plain_items, ['a', item], 'command'))
