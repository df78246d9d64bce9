# SPDX-License-Identifier: Apache-2.0
"""Tests of JSON bodies."""

import datetime
import json

from zun.api import rendering
from zun.tests import base


class RenderingTest(base.TestCase):

    def test_times_have_a_space_and_no_zone(self):
        moment = datetime.datetime(2026, 1, 2, 3, 4, 5, 678)
        self.assertEqual('["2026-01-02 03:04:05.000678"]',
                         rendering.to_json([moment]))

    def test_whole_seconds_have_no_fraction(self):
        self.assertEqual('"2026-01-02 03:04:05"', rendering.to_json(
            datetime.datetime(2026, 1, 2, 3, 4, 5)))

    def test_sets_are_lists(self):
        self.assertEqual([1], json.loads(rendering.to_json({1})))

    def test_plain_documents(self):
        document = {'a': [1, 1.0, None, True, 'é']}
        self.assertEqual(document, json.loads(rendering.to_json(document)))
