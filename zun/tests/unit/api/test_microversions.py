# SPDX-License-Identifier: Apache-2.0
"""Tests of versions and their header."""

from zun.api import microversions
from zun.api.microversions import Version
from zun.tests import base


class ParseTest(base.TestCase):

    def assert_invalid(self, header, message):
        error = self.assertRaises(microversions.InvalidVersion,
                                  microversions.parse, header)
        self.assertIn(message, str(error))

    def test_no_header_is_the_oldest_version(self):
        self.assertEqual(Version(1, 1), microversions.parse(None))

    def test_numbers(self):
        self.assertEqual(Version(1, 40),
                         microversions.parse('container 1.40'))

    def test_latest_is_the_newest_version(self):
        self.assertEqual(microversions.MAX_VERSION,
                         microversions.parse('container LATEST'))

    def test_other_service(self):
        self.assert_invalid('compute 2.1', 'Invalid service type')

    def test_more_than_one_version(self):
        self.assert_invalid('container 1.1, compute 2.1',
                            'Invalid service type')

    def test_no_numbers(self):
        for text in ('1', '1.', '1.x', '1.2.3', '.1'):
            self.assert_invalid('container ' + text, 'Invalid value')


class VersionTest(base.TestCase):

    def test_order_is_that_of_numbers(self):
        self.assertLess(Version(1, 9), Version(1, 10))

    def test_text(self):
        self.assertEqual('1.10', str(microversions.version('1.10')))

    def test_header(self):
        self.assertEqual('container 1.7', Version(1, 7).header)

    def test_ends_are_served(self):
        self.assertTrue(microversions.is_served(Version(1, 1)))
        self.assertTrue(microversions.is_served(Version(1, 40)))

    def test_others_are_not(self):
        for version in (Version(1, 0), Version(1, 41), Version(0, 9),
                        Version(2, 0), Version(-1, 5)):
            self.assertFalse(microversions.is_served(version), version)

    def test_history_has_no_gap(self):
        self.assertEqual(['1.%d' % number for number in range(1, 41)],
                         [entry[0] for entry in microversions.HISTORY])
