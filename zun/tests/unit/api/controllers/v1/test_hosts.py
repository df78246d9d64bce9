# SPDX-License-Identifier: Apache-2.0
"""Tests of /v1/hosts."""

from oslo_utils import uuidutils

from zun.db import api as db_api
from zun.tests.unit.api import base

UUID = 'ad000000-0000-4000-8000-000000000001'


class HostsTest(base.ApiTestCase):

    def create(self, number: int = 1, **values) -> dict:
        values = {'uuid': uuidutils.generate_uuid(),
                  'rp_uuid': uuidutils.generate_uuid(),
                  'hostname': 'compute-%d' % number, 'mem_total': 1024,
                  'mem_used': 10, 'cpus': 4, 'cpu_used': 0.5,
                  'total_containers': 2, **values}
        return db_api.create_compute_node(self.context, values)

    def test_members_see_no_hosts(self):
        self.assert_error(self.get('/v1/hosts'), 403,
                          'policy-not-authorized')

    def test_list_shows_hosts_by_name(self):
        for number in (2, 1):
            self.create(number)
        hosts = self.get('/v1/hosts', headers=base.ADMIN).json['hosts']
        self.assertEqual(['compute-1', 'compute-2'],
                         [host['hostname'] for host in hosts])

    def test_full_page_links_to_the_next(self):
        self.create(1)
        last = self.create(2)
        page = self.get('/v1/hosts?limit=2', headers=base.ADMIN).json
        self.assertEqual(
            'http://localhost/v1/hosts?sort_key=hostname&sort_dir=asc&'
            'limit=2&marker=%s' % last['uuid'], page['next'])

    def test_page_follows_its_marker(self):
        first, second = self.create(1), self.create(2)
        page = self.get('/v1/hosts?marker=%s' % first['uuid'],
                        headers=base.ADMIN).json
        self.assertEqual([second['uuid']],
                         [host['uuid'] for host in page['hosts']])

    def test_unknown_marker_comes_before_a_repeated_sort_key(self):
        self.assert_error(
            self.get('/v1/hosts?marker=%s&sort_key=id&sort_key=uuid' % UUID,
                     headers=base.ADMIN), 404, 'compute-node-not-found')

    def test_repeated_sort_key_is_refused(self):
        detail = self.assert_error(
            self.get('/v1/hosts?sort_key=id&sort_key=uuid',
                     headers=base.ADMIN), 400, 'invalid-parameter-value')
        self.assertIn('sort_key was given more than once', detail)

    def test_host_is_found_by_name(self):
        self.create(uuid=UUID)
        host = self.get('/v1/hosts/compute-1', headers=base.ADMIN).json
        self.assertEqual(UUID, host['uuid'])

    def test_host_is_found_by_uuid(self):
        self.create(uuid=UUID)
        host = self.get('/v1/hosts/' + UUID, headers=base.ADMIN).json
        self.assertEqual('compute-1', host['hostname'])

    def test_unknown_host_is_not_found(self):
        detail = self.assert_error(
            self.get('/v1/hosts/gone', headers=base.ADMIN), 404,
            'compute-node-not-found')
        self.assertIn('gone', detail)

    def test_host_without_topology_is_shown(self):
        self.create(numa_topology=None)
        response = self.get('/v1/hosts', headers=base.ADMIN)
        self.assertEqual(200, response.status_int)

    def test_hosts_came_with_1_4(self):
        response = self.get('/v1/hosts', headers=base.ADMIN, version='1.3')
        self.assertEqual(406, response.status_int)

    def test_statements_do_not_grow_with_hosts(self):
        def ask():
            self.get('/v1/hosts', headers=base.ADMIN)
        self.create(1)
        few = self.count_statements(ask)
        for number in range(2, 12):
            self.create(number)
        self.assertEqual(few, self.count_statements(ask))
