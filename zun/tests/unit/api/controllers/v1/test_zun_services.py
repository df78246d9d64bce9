# SPDX-License-Identifier: Apache-2.0
"""Tests of /v1/services."""

from oslo_utils import timeutils

from zun.db import api as db_api
from zun.tests.unit.api import base

NAMES = 'host=compute-1&binary=zun-compute'


class ServicesTest(base.ApiTestCase):

    def create(self, **values) -> dict:
        values = {'host': 'compute-1', 'binary': 'zun-compute', **values}
        return db_api.create_zun_service(self.context, values)

    def row(self) -> dict:
        return db_api.get_zun_service(self.context, 'compute-1',
                                      'zun-compute')

    def put(self, path: str, body=None, headers=base.ADMIN, **kwargs):
        return super().put(path, body, headers=headers, **kwargs)

    def test_members_see_no_services(self):
        self.assert_error(self.get('/v1/services'), 403,
                          'policy-not-authorized')

    def test_new_service_is_up(self):
        self.create()
        service, = self.get('/v1/services',
                            headers=base.ADMIN).json['services']
        self.assertEqual('up', service['state'])

    def test_service_without_a_zone_is_in_the_default_one(self):
        self.create(availability_zone=None)
        service, = self.get('/v1/services',
                            headers=base.ADMIN).json['services']
        self.assertEqual('nova', service['availability_zone'])

    def test_times_have_a_t_and_six_digits(self):
        when = timeutils.parse_strtime('2026-01-02T03:04:05.000000')
        self.create(last_seen_up=when)
        service, = self.get('/v1/services',
                            headers=base.ADMIN).json['services']
        self.assertEqual('2026-01-02T03:04:05.000000',
                         service['last_seen_up'])

    def test_disable_keeps_the_reason(self):
        self.create()
        answer = self.put('/v1/services/disable?disabled_reason=disks&' +
                          NAMES).json
        self.assertEqual({'service': {
            'host': 'compute-1', 'binary': 'zun-compute', 'disabled': True,
            'disabled_reason': 'disks'}}, answer)
        self.assertTrue(self.row()['disabled'])
        self.assertEqual('disks', self.row()['disabled_reason'])

    def test_unknown_service_comes_before_a_reason_that_is_no_text(self):
        self.assert_error(self.put('/v1/services/disable', {
            'host': 'compute-1', 'binary': 'zun-compute',
            'disabled_reason': {}}), 404, 'zun-service-not-found')

    def test_reason_that_is_no_text_is_refused(self):
        self.create()
        detail = self.assert_error(self.put('/v1/services/disable', {
            'host': 'compute-1', 'binary': 'zun-compute',
            'disabled_reason': {}}), 400, 'invalid-value')
        self.assertIn('disabled_reason', detail)
        self.assertFalse(self.row()['disabled'])

    def test_enable_forgets_the_reason(self):
        self.create(disabled=True, disabled_reason='disks')
        self.put('/v1/services/enable?' + NAMES)
        self.assertFalse(self.row()['disabled'])
        self.assertIsNone(self.row()['disabled_reason'])

    def test_force_down_takes_a_body(self):
        self.create()
        self.put('/v1/services/force_down', {
            'host': 'compute-1', 'binary': 'zun-compute',
            'forced_down': True})
        self.assertTrue(self.row()['forced_down'])

    def test_force_down_of_a_body_that_is_no_flag_is_refused(self):
        self.create()
        detail = self.assert_error(self.put('/v1/services/force_down', {
            'host': 'compute-1', 'binary': 'zun-compute',
            'forced_down': 'maybe'}), 400, 'invalid-value')
        self.assertIn('forced_down', detail)

    def test_host_of_a_body_that_is_no_text_is_refused(self):
        detail = self.assert_error(self.put('/v1/services/enable', {
            'host': {'a': 1}, 'binary': 'zun-compute'}), 400,
            'invalid-value')
        self.assertIn('host', detail)

    def test_missing_argument_is_named(self):
        detail = self.assert_error(
            self.put('/v1/services/enable?host=compute-1'), 400,
            'invalid-parameter-value')
        self.assertIn('binary', detail)

    def test_unknown_service_is_not_found(self):
        self.assert_error(self.put('/v1/services/enable?' + NAMES), 404,
                          'zun-service-not-found')

    def test_members_switch_nothing(self):
        self.create()
        for action in ('enable?', 'disable?', 'force_down?forced_down=1&'):
            self.assertNotEqual(200, self.put(
                '/v1/services/' + action + NAMES,
                headers=base.MEMBER).status_int)
        self.assertFalse(self.row()['disabled'])

    def test_delete_removes_the_row(self):
        self.create()
        response = self.delete('/v1/services?' + NAMES, headers=base.ADMIN)
        self.assertEqual(200, response.status_int)
        self.assertIsNone(self.row())

    def test_delete_of_a_repeated_name_is_refused(self):
        self.assert_error(
            self.delete('/v1/services?host=a&host=b&binary=x',
                        headers=base.ADMIN), 400, 'invalid-value')
