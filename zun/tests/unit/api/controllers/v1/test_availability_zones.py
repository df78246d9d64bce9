# SPDX-License-Identifier: Apache-2.0
"""Tests of /v1/availability_zones."""

from zun.db import api as db_api
from zun.tests.unit.api import base


class AvailabilityZonesTest(base.ApiTestCase):

    def setUp(self) -> None:
        super().setUp()
        for number, zone in enumerate(('nova', 'az2', 'nova', None)):
            db_api.create_zun_service(self.context, {
                'host': 'compute-%d' % number, 'binary': 'zun-compute',
                'availability_zone': zone})

    def zones(self, query: str = '') -> list:
        page = self.get('/v1/availability_zones' + query).json
        return [zone['availability_zone']
                for zone in page['availability_zones']]

    def test_each_zone_is_listed_once(self):
        self.assertEqual([None, 'az2', 'nova'], self.zones())

    def test_zones_can_be_sorted_backwards(self):
        self.assertEqual(['nova', 'az2', None],
                         self.zones('?sort_dir=desc'))

    def test_list_that_would_go_on_is_refused(self):
        self.assert_error(self.get('/v1/availability_zones?limit=3'), 400,
                          'invalid-value')

    def test_limit_above_the_number_of_zones_is_fine(self):
        self.assertEqual(3, len(self.zones('?limit=4')))

    def test_marker_is_refused(self):
        detail = self.assert_error(
            self.get('/v1/availability_zones?marker=nova'), 400,
            'invalid-value')
        self.assertIn('marker', detail)
