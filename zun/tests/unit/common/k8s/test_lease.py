# SPDX-License-Identifier: Apache-2.0
"""Two processes, one Lease, and a clock that tests move."""

import threading

from zun.common.k8s import client
from zun.common.k8s import errors
from zun.common.k8s import lease
from zun.tests import base
from zun.tests.unit.container.k8s import fake_cluster

NAMESPACE = 'zun-system'


class LeaseTestCase(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.cluster = self.useFixture(fake_cluster.FakeCluster())
        self.cluster.put(client.NAMESPACES,
                         {'metadata': {'name': NAMESPACE}})
        self.now = 1000.0
        self.one, self.two = self.elector('one'), self.elector('two')

    def elector(self, identity):
        return lease.Elector(self.cluster, NAMESPACE, 'zun-compute',
                             identity, 15, lambda: self.now)

    def lease(self):
        return self.cluster.get(client.LEASES, 'zun-compute',
                                NAMESPACE)['spec']


class TestElection(LeaseTestCase):

    def test_first_one_wins(self):
        self.assertTrue(self.one.attempt())
        self.assertFalse(self.two.attempt())
        self.assertEqual([True, False], [self.one.is_leader(),
                                         self.two.is_leader()])
        self.assertEqual('one', self.lease()['holderIdentity'])

    def test_renewal(self):
        for __ in range(20):
            self.assertTrue(self.one.attempt())
            self.assertFalse(self.two.attempt())
            self.now += 2

    def test_takeover_in_time(self):
        """The holder dies: another one holds within 20 seconds."""
        self.one.attempt()
        self.two.attempt()
        died = self.now
        while not self.two.attempt():
            self.now += lease.RETRY_PERIOD
        self.assertLess(self.now - died, 20)
        self.assertEqual(1, self.lease()['leaseTransitions'])

    def test_holder_gives_up_before_others_take_over(self):
        self.one.attempt()
        self.now += 10.1
        self.assertFalse(self.one.is_leader())
        self.assertFalse(self.two.attempt())

    def test_holder_comes_back_too_late(self):
        self.one.attempt()
        self.two.attempt()
        self.now += 15
        self.assertTrue(self.two.attempt())
        self.assertFalse(self.one.attempt())
        self.assertFalse(self.one.is_leader())

    def test_waiting_counts_from_the_last_renewal_seen(self):
        self.one.attempt()
        self.two.attempt()
        self.now += 14
        self.one.attempt()
        self.two.attempt()
        self.now += 14
        self.assertFalse(self.two.attempt())

    def test_both_write_at_once(self):
        self.one.attempt()
        self.cluster.faults['replace', 'leases'] = [errors.Conflict('x')]
        self.assertFalse(self.one.attempt())
        self.assertFalse(self.one.is_leader())

    def test_both_create_at_once(self):
        self.cluster.faults['create', 'leases'] = [
            errors.AlreadyExists('x')]
        self.assertFalse(self.one.attempt())

    def test_api_server_away(self):
        self.one.attempt()
        self.cluster.faults['get', 'leases'] = [
            errors.Unavailable('x') for __ in range(3)]
        self.now += 5
        self.assertTrue(self.one.attempt())
        self.now += 4
        self.assertTrue(self.one.attempt())
        self.now += 2
        self.assertFalse(self.one.attempt())

    def test_namespace_is_made(self):
        self.cluster.take_away(client.NAMESPACES, NAMESPACE)
        self.assertTrue(self.one.attempt())

    def test_release(self):
        self.one.attempt()
        self.one.release()
        self.assertFalse(self.one.is_leader())
        self.assertTrue(self.two.attempt())

    def test_release_of_what_is_not_held(self):
        self.one.attempt()
        self.two.release()
        self.assertEqual('one', self.lease()['holderIdentity'])

    def test_release_while_the_server_is_away(self):
        self.one.attempt()
        self.cluster.faults['get', 'leases'] = [errors.Unavailable('x')]
        self.one.release()
        self.assertFalse(self.one.is_leader())


class TestRun(LeaseTestCase):

    def test_started_and_stopped(self):
        told = []
        stop = threading.Event()

        def started():
            told.append('started')
            stop.set()

        self.one.run(stop, started, lambda: told.append('stopped'))
        self.assertEqual(['started', 'stopped'], told)
        self.assertEqual('', self.lease()['holderIdentity'])

    def test_never_won(self):
        self.two.attempt()
        stop = threading.Event()
        attempt = self.one.attempt

        def once():
            stop.set()
            return attempt()

        self.one.attempt = once
        self.one.run(stop, self.fail, self.fail)
