# SPDX-License-Identifier: Apache-2.0

import json

from zun.standalone.peers import placement
from zun.standalone.peers import service
from zun.tests import base

ADMIN = service.Caller('u', 'p', ('admin',))


class PlacementTest(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.placement = placement.Placement()
        self.uuid = self.ask('POST', '/resource_providers',
                             {'name': 'n1'})[1]['uuid']
        self.ask('PUT', self.url('inventories'), {
            'resource_provider_generation': 0,
            'inventories': {'VCPU': {'total': 4, 'allocation_ratio': 2.0},
                            'MEMORY_MB': {'total': 1000,
                                          'reserved': 500}}})

    def url(self, rest):
        return '/resource_providers/%s/%s' % (self.uuid, rest)

    def ask(self, method, path, body=None, query=()):
        status, _, data = self.placement.handle(service.Request(
            method, path, list(query), {}, json.dumps(body or {}).encode(),
            'http://x', ADMIN))
        return status, json.loads(data or b'null')

    def candidates(self, **query):
        found = self.ask('GET', '/allocation_candidates',
                         query=list(query.items()))[1]
        return list(found['provider_summaries'])

    def claim(self, consumer, amount, generation=None):
        return self.ask('PUT', '/allocations/' + consumer, {
            'allocations': {self.uuid: {'resources': {'VCPU': amount}}},
            'consumer_generation': generation, 'project_id': 'p',
            'user_id': 'u'})

    def test_capacity_is_what_is_not_reserved_times_the_ratio(self):
        self.assertEqual([self.uuid], self.candidates(
            resources='VCPU:4,MEMORY_MB:500'))
        self.assertEqual([], self.candidates(resources='MEMORY_MB:501'))
        self.assertEqual([], self.candidates(resources='DISK_GB:1'))

    def test_a_claim_takes_room(self):
        self.assertEqual(204, self.claim('c1', 6)[0])
        self.assertEqual([], self.candidates(resources='VCPU:3'))
        status, body = self.claim('c2', 3)
        self.assertEqual(409, status)
        self.assertIn('exceed the capacity', body['errors'][0]['detail'])

    def test_consumer_generation(self):
        self.claim('c1', 1)
        status, body = self.claim('c1', 2)
        self.assertEqual((409, 'placement.concurrent_update'), (
            status, body['errors'][0]['code']))
        self.assertEqual(204, self.claim('c1', 2, 1)[0])

    def test_empty_allocations_remove(self):
        self.claim('c1', 1)
        status, _ = self.ask('PUT', '/allocations/c1', {
            'allocations': {}, 'consumer_generation': 1,
            'project_id': 'p', 'user_id': 'u'})
        self.assertEqual(204, status)
        self.assertEqual({'allocations': {}},
                         self.ask('GET', '/allocations/c1')[1])

    def test_provider_generation(self):
        status, _ = self.ask('PUT', self.url('inventories'), {
            'resource_provider_generation': 0, 'inventories': {}})
        self.assertEqual(409, status)

    def test_inventory_in_use_stays(self):
        self.claim('c1', 1)
        generation = self.ask('GET', '/resource_providers/' + self.uuid)[
            1]['generation']
        status, _ = self.ask('PUT', self.url('inventories'), {
            'resource_provider_generation': generation, 'inventories': {}})
        self.assertEqual(409, status)

    def test_traits(self):
        self.ask('PUT', '/traits/CUSTOM_X')
        generation = self.ask('GET', self.url('traits'))[1][
            'resource_provider_generation']
        self.ask('PUT', self.url('traits'), {
            'resource_provider_generation': generation,
            'traits': ['CUSTOM_X']})
        self.assertEqual([self.uuid], self.candidates(
            resources='VCPU:1', required='CUSTOM_X'))
        self.assertEqual([], self.candidates(
            resources='VCPU:1', required='!CUSTOM_X'))

    def test_several_claims_are_all_or_nothing(self):
        def body(amount):
            return {'allocations': {self.uuid: {
                'resources': {'VCPU': amount}}}, 'project_id': 'p',
                'user_id': 'u', 'consumer_generation': None}
        status, _ = self.ask('POST', '/allocations', {
            'c1': body(5), 'c2': body(5)})
        self.assertEqual(409, status)
        self.assertEqual({'allocations': {}},
                         self.ask('GET', '/allocations/c1')[1])

    def test_only_admins(self):
        status, _, _ = self.placement.handle(service.Request(
            'GET', '/traits', [], {}, b'', '',
            service.Caller('u', 'p', ('member',))))
        self.assertEqual(403, status)
