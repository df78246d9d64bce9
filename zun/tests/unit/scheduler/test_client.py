# SPDX-License-Identifier: Apache-2.0

import types

import fixtures
from oslo_utils import timeutils

from zun.common import clients
from zun.common import context as zun_context
from zun.common import exception
from zun.db import api as db_api
from zun.scheduler.client import query
from zun.scheduler.client import report
from zun.scheduler import utils
from zun.tests import base
from zun.tests import fixtures as zun_fixtures
from zun.tests import peers

RP = ['00000000-0000-4000-8000-0000000000f%d' % number for number in range(9)]
CONSUMER = '00000000-0000-4000-8000-0000000000c1'
TRAIT = 'CUSTOM_ZUN_COMPUTE_STATUS_DISABLED'
CANDIDATES = ('/allocation_candidates?limit=1000&required=!%s'
              '&resources=MEMORY_MB:512,VCPU:1' % TRAIT)


def container(**kwargs):
    return types.SimpleNamespace(**dict({
        'uuid': CONSUMER, 'project_id': 'p', 'user_id': 'u', 'cpu': 1.0,
        'memory': '512', 'disk': 0, 'runtime': None,
        'cpu_policy': 'shared'}, **kwargs))


def alloc_req(*providers, **resources):
    return {'allocations': {rp: {'resources': resources or {'VCPU': 1}}
                            for rp in providers},
            'mappings': {'': list(providers)}}


class PlacementTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.peers = self.useFixture(peers.Peers())
        self.useFixture(fixtures.MonkeyPatch('time.sleep', lambda _s: None))
        self.context = zun_context.RequestContext(
            auth_token=peers.USER_TOKEN, project_id='p', user_id='u')

    def answer(self, method, path, body=None, status=200):
        self.peers.answer('placement', method, path, body, status)

    def allocations(self, **held):
        self.answer('GET', '/allocations/' + CONSUMER, dict(
            {'allocations': {}}, **held))

    def put(self, status=204, detail=''):
        body = None if status == 204 else {'errors': [{'detail': detail}]}
        self.answer('PUT', '/allocations/' + CONSUMER, body, status)

    def bodies(self, method='PUT'):
        return [body for _who, _service, asked, _path, body
                in self.peers.calls if asked == method]


class ReportTest(PlacementTestCase):

    def setUp(self):
        super().setUp()
        self.client = report.SchedulerReportClient(self.context)

    def claim(self, request):
        return self.client.claim_resources(CONSUMER, request, 'p', 'u')

    def test_known_trait(self):
        self.answer('GET', '/traits?name=in:' + TRAIT, {'traits': [TRAIT]})
        self.client.ensure_traits([TRAIT])
        self.assertEqual([], self.bodies())
        self.assertEqual('placement 1.6',
                         self.peers.headers[0]['OpenStack-API-Version'])

    def test_unknown_trait_is_made(self):
        self.answer('GET', '/traits?name=in:' + TRAIT, {'traits': []})
        self.answer('PUT', '/traits/' + TRAIT, status=201)
        self.client.ensure_traits([TRAIT])
        self.assertEqual(1, len(self.bodies()))

    def test_candidates_are_sorted_by_provider(self):
        first, second = alloc_req(RP[1]), alloc_req(RP[1], RP[2])
        self.answer('GET', '/allocation_candidates?limit=1000', {
            'allocation_requests': [first, second],
            'provider_summaries': {}})
        found = self.client.get_allocation_candidates(
            utils.ResourceRequest())
        self.assertEqual({RP[1]: [first, second], RP[2]: [second]},
                         found.requests)

    def test_no_connection_means_no_candidates(self):
        self.peers.refuse('placement')
        self.assertIsNone(self.client.get_allocation_candidates(
            utils.ResourceRequest()))

    def test_error_of_placement_is_told(self):
        self.answer('GET', '/allocation_candidates?limit=1000', {}, 500)
        self.assertRaises(
            clients.PeerUnavailable, self.client.get_allocation_candidates,
            utils.ResourceRequest())

    def test_claim_of_a_new_consumer(self):
        self.allocations()
        self.put()
        self.assertTrue(self.claim(alloc_req(RP[1])))
        self.assertEqual([{
            'allocations': {RP[1]: {'resources': {'VCPU': 1}}},
            'mappings': {'': [RP[1]]}, 'project_id': 'p', 'user_id': 'u',
            'consumer_generation': None}], self.bodies())

    def test_what_is_held_elsewhere_is_repeated(self):
        self.allocations(consumer_generation=4, allocations={
            RP[2]: {'generation': 1, 'resources': {'VCPU': 3}}})
        self.put()
        self.claim(alloc_req(RP[1]))
        body = self.bodies()[0]
        self.assertEqual({RP[1]: {'resources': {'VCPU': 1}},
                          RP[2]: {'resources': {'VCPU': 3}}},
                         body['allocations'])
        self.assertEqual(4, body['consumer_generation'])
        self.assertNotIn('mappings', body)

    def test_what_is_held_on_the_same_provider_stays(self):
        self.allocations(consumer_generation=4, allocations={
            RP[1]: {'generation': 1, 'resources': {'VCPU': 3}}})
        self.put()
        self.claim(alloc_req(RP[1], DISK_GB=1))
        body = self.bodies()[0]
        self.assertEqual({RP[1]: {'resources': {'VCPU': 3}}},
                         body['allocations'])
        self.assertNotIn('mappings', body)

    def test_race_about_the_consumer_is_run_again(self):
        self.allocations()
        self.put(409, 'consumer generation conflict')
        self.put()
        self.assertTrue(self.claim(alloc_req(RP[1])))

    def test_race_that_is_lost_every_time(self):
        self.allocations()
        self.put(409, 'consumer generation conflict')
        self.assertFalse(self.claim(alloc_req(RP[1])))
        self.assertEqual(utils.CLAIM_ATTEMPTS, len(self.bodies()))

    def test_resources_that_are_gone_are_not_asked_for_again(self):
        self.allocations()
        self.put(409, 'Unable to allocate inventory')
        self.assertFalse(self.claim(alloc_req(RP[1])))
        self.assertEqual(1, len(self.bodies()))

    def test_error_during_a_claim_is_told(self):
        self.allocations()
        self.put(500)
        self.assertRaises(clients.PeerUnavailable, self.claim,
                          alloc_req(RP[1]))


class HeldTest(PlacementTestCase):

    def setUp(self):
        super().setUp()
        self.client = report.SchedulerReportClient(self.context)
        self.held = {'project_id': 'p', 'user_id': 'u',
                     'consumer_generation': 1, 'allocations': {
                         RP[1]: {'generation': 5, 'resources': {
                             'VCPU': 1, 'MEMORY_MB': 512}}}}

    def test_give_back(self):
        self.allocations(**self.held)
        self.put()
        self.assertTrue(
            self.client.delete_allocation_for_container(CONSUMER))
        self.assertEqual([dict(self.held, allocations={})], self.bodies())
        self.assertEqual(['placement 1.28'] * 2, [
            headers['OpenStack-API-Version']
            for headers in self.peers.headers])

    def test_nothing_to_give_back(self):
        self.allocations()
        self.assertTrue(
            self.client.delete_allocation_for_container(CONSUMER))
        self.assertEqual([], self.bodies())

    def test_resize(self):
        self.allocations(**self.held)
        self.put()
        self.assertTrue(self.client.update_allocation(
            CONSUMER, RP[1], {'VCPU': 2}))
        self.assertEqual({RP[1]: {'resources': {
            'VCPU': 2, 'MEMORY_MB': 512}}}, self.bodies()[0]['allocations'])

    def test_resize_beyond_what_is_free(self):
        self.allocations(**self.held)
        self.put(409, 'Unable to allocate inventory')
        self.assertFalse(self.client.update_allocation(
            CONSUMER, RP[1], {'VCPU': 99}))

    def test_resize_of_who_holds_nothing_there(self):
        self.allocations(**self.held)
        self.assertFalse(self.client.update_allocation(
            CONSUMER, RP[2], {'VCPU': 2}))

    def test_figures(self):
        self.allocations(**self.held)
        self.assertEqual({RP[1]: {'VCPU': 1, 'MEMORY_MB': 512}},
                         self.client.get_allocations(CONSUMER))


class SelectTest(PlacementTestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(zun_fixtures.Database())
        for number in (1, 2):
            self.add_host(number)
        self.answer('GET', '/traits?name=in:' + TRAIT, {'traits': [TRAIT]})

    def add_host(self, number, **kwargs):
        db_api.create_compute_node(self.context, {
            'uuid': RP[number][:-2] + 'd%d' % number, 'rp_uuid': RP[number],
            'hostname': 'host-%d' % number, 'cpus': 8, 'mem_total': 1024,
            'runtimes': ['runc'], 'labels': {}})
        db_api.create_zun_service(self.context, dict({
            'host': 'host-%d' % number, 'binary': 'zun-compute',
            'last_seen_up': timeutils.utcnow()}, **kwargs))

    def candidates(self, *requests, path=CANDIDATES):
        self.answer('GET', path, {'allocation_requests': list(requests),
                                  'provider_summaries': {}})

    def select(self, spec=None, wanted=None):
        return query.SchedulerClient().select_destinations(
            self.context, [wanted or container()], spec or {})

    def claimable(self):
        self.allocations()
        self.put()

    def test_first_host_is_claimed(self):
        self.candidates(alloc_req(RP[2]), alloc_req(RP[1]))
        self.claimable()
        self.assertEqual([{'host': 'host-1', 'nodename': 'host-1',
                           'limits': {}}], self.select())
        self.assertEqual([RP[1]], list(self.bodies()[0]['allocations']))

    def test_limits_of_the_filters(self):
        self.config('scheduler', enabled_filters=['CPUFilter', 'RamFilter'])
        self.candidates(alloc_req(RP[1]))
        self.claimable()
        self.assertEqual({'cpu': 8, 'memory': 1024},
                         self.select()[0]['limits'])

    def test_no_candidate(self):
        self.candidates()
        self.assertRaises(exception.NoValidHost, self.select)

    def test_placement_that_stops_answering(self):
        self.useFixture(fixtures.MonkeyPatch(
            'zun.scheduler.client.report.SchedulerReportClient.'
            'get_allocation_candidates', lambda _self, _request: None))
        self.assertRaises(exception.NoValidHost, self.select)

    def test_no_host_passes(self):
        self.candidates(alloc_req(RP[1]))
        self.assertRaises(exception.NoValidHost, self.select, wanted=container(
            runtime='kata'))

    def test_provider_that_is_not_a_host_of_ours(self):
        self.candidates(alloc_req(RP[7]), alloc_req(RP[2], RP[7]))
        self.claimable()
        self.assertEqual('host-2', self.select()[0]['host'])

    def test_next_host_when_the_first_was_taken(self):
        self.candidates(alloc_req(RP[1]), alloc_req(RP[2]))
        self.allocations()
        self.put(409, 'Unable to allocate inventory')
        self.put()
        self.assertEqual('host-2', self.select()[0]['host'])

    def test_every_host_was_taken(self):
        self.candidates(alloc_req(RP[1]))
        self.allocations()
        self.put(409, 'Unable to allocate inventory')
        error = self.assertRaises(exception.Conflict, self.select)
        self.assertEqual(409, error.code)

    def test_requested_host(self):
        self.candidates(
            alloc_req(RP[1]), alloc_req(RP[2]),
            path=CANDIDATES.replace('?', '?in_tree=%s&' % RP[2]))
        self.claimable()
        self.assertEqual('host-2', self.select(
            {'requested_host': 'host-2'})[0]['host'])

    def test_requested_host_that_is_unknown(self):
        error = self.assertRaises(exception.RequestedHostNotFound,
                                  self.select, {'requested_host': 'x'})
        self.assertEqual('Requested host x could not be found.', str(error))
        self.assertEqual([], self.peers.calls)

    def test_chance_scheduler_leaves_out_the_dead(self):
        self.config('scheduler', driver='chance_scheduler')
        self.add_host(3, forced_down=True)
        self.candidates(alloc_req(RP[2]), alloc_req(RP[3]))
        self.claimable()
        self.assertEqual('host-2', self.select()[0]['host'])

    def test_chance_scheduler_without_hosts(self):
        self.config('scheduler', driver='chance_scheduler')
        self.candidates(alloc_req(RP[7]))
        self.assertRaises(exception.NoValidHost, self.select)
