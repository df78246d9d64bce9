# SPDX-License-Identifier: Apache-2.0
"""Tests of the JSON Schema dialect."""

from zun.api.validation import validators
from zun.common import exception
from zun.tests import base


class SchemaValidatorTest(base.TestCase):

    def check(self, schema, value):
        validators.SchemaValidator(
            {'type': 'object', 'properties': {'x': schema}}).validate(
            {'x': value})

    def refuse(self, schema, value):
        return str(self.assertRaises(exception.SchemaValidationError,
                                     self.check, schema, value))

    def test_bounds_hold_for_numbers_in_text(self):
        schema = {'minimum': 1, 'maximum': 3}
        self.check(schema, '2')
        self.check(schema, 2.5)
        self.assertIn('minimum', self.refuse(schema, '0'))
        self.assertIn('maximum', self.refuse(schema, '3.5'))

    def test_bounds_do_not_hold_for_other_text(self):
        self.check({'minimum': 1}, 'much')

    def test_message_names_field_and_value(self):
        self.assertStartsWith(
            "Invalid input for field 'x'.Value: '5'. 5 is not of type "
            "'string'", self.refuse({'type': 'string'}, 5))

    def test_message_of_the_whole_document(self):
        error = self.assertRaises(
            exception.SchemaValidationError,
            validators.SchemaValidator({'required': ['x']}).validate, {})
        self.assertStartsWith("'x' is a required property", str(error))

    def test_message_about_a_query(self):
        validator = validators.SchemaValidator(
            {'properties': {'x': {'type': 'integer'}}},
            validators.QUERY_PARAMETER)
        error = self.assertRaises(exception.SchemaValidationError,
                                  validator.validate, {'x': 'a'})
        self.assertStartsWith(
            "Invalid input for query parameters 'x'.", str(error))

    def test_addresses_are_checked(self):
        self.check({'format': 'ipv4'}, '10.0.0.1')
        self.refuse({'format': 'ipv4'}, '10.0.0')
        self.refuse({'format': 'ipv6'}, '10.0.0.1')

    def test_unicode_is_text(self):
        self.check({'type': 'unicode'}, 'é')

    def assertStartsWith(self, start, text):
        self.assertEqual(start, text[:len(start)])
