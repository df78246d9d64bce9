# SPDX-License-Identifier: Apache-2.0

import datetime

from oslo_utils import fixture as time_fixture

from zun.common import exception
from zun.db import api as dbapi
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class ServicesTestCase(base.DbTestCase):

    def test_read_back(self):
        values = utils.get_test_service()
        dbapi.create_zun_service(self.context, values)
        row = dbapi.get_zun_service(self.context, 'compute-1', 'zun-compute')
        self.assertEqual(values, {name: row[name] for name in values})

    def test_missing(self):
        self.assertIsNone(dbapi.get_zun_service(self.context, 'h', 'b'))

    def test_service_that_the_host_has(self):
        utils.create_test_service()
        e = self.assertRaises(exception.ZunServiceAlreadyExists,
                              utils.create_test_service)
        self.assertEqual('Service zun-compute on host compute-1 already '
                         'exists.', str(e))

    def test_higher_count_tells_when_it_was_seen(self):
        now = datetime.datetime(2026, 2, 3, 4, 5, 6)
        self.useFixture(time_fixture.TimeFixture(now))
        utils.create_test_service(report_count=1)
        row = dbapi.update_zun_service(self.context, 'compute-1',
                                       'zun-compute', {'report_count': 2})
        self.assertEqual(now, row['last_seen_up'])

    def test_other_changes_do_not(self):
        service = utils.create_test_service(report_count=1)
        row = dbapi.update_zun_service(self.context, 'compute-1',
                                       'zun-compute', {'report_count': 1,
                                                       'disabled': True})
        self.assertEqual((service['last_seen_up'], True),
                         (row['last_seen_up'], row['disabled']))

    def test_update_missing(self):
        e = self.assertRaises(exception.ZunServiceNotFound,
                              dbapi.update_zun_service, self.context, 'h',
                              'b', {'disabled': True})
        self.assertEqual('Zun service b on host h could not be found.',
                         str(e))

    def test_destroy(self):
        utils.create_test_service()
        dbapi.destroy_zun_service(self.context, 'compute-1', 'zun-compute')
        self.assertRaises(exception.ZunServiceNotFound,
                          dbapi.destroy_zun_service, self.context,
                          'compute-1', 'zun-compute')

    def test_list_sorted(self):
        for zone in ('nova', None, 'az2'):
            utils.create_test_service(host=str(zone), availability_zone=zone)
        rows = dbapi.list_zun_services(self.context,
                                       sort_key='availability_zone')
        self.assertRows([None, 'az2', 'nova'], rows, 'availability_zone')

    def test_list_sorted_descending(self):
        for zone in ('nova', None, 'az2'):
            utils.create_test_service(host=str(zone), availability_zone=zone)
        rows = dbapi.list_zun_services(
            self.context, sort_key='availability_zone', sort_dir='desc')
        self.assertRows(['nova', 'az2', None], rows, 'availability_zone')

    def test_list_sort_key_that_is_no_column(self):
        self.assertRaises(exception.InvalidParameterValue,
                          dbapi.list_zun_services, self.context,
                          sort_key='name')

    def test_list_by_binary(self):
        utils.create_test_service(host='h1')
        utils.create_test_service(host='h2', binary='other')
        self.assertRows(['h1'], dbapi.list_zun_services_by_binary(
            self.context, 'zun-compute'), 'host')
