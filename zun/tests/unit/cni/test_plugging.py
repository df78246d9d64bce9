# SPDX-License-Identifier: Apache-2.0
import os

from zun.cni import spec
from zun.tests import base
from zun.tests.unit.cni import fakes

PORTS = [fakes.vif(number)['id'] for number in range(4)]


class PluggingTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.it = self.useFixture(fakes.Plugging())
        self.driver = self.it.driver

    def add(self, *vifs, uid=fakes.UID, **kwargs):
        return self.it.plugger.add(self.it.request(**kwargs), fakes.pod(
            *(vifs or (fakes.vif(),)), uid=uid))

    def delete(self, sandbox='box-1'):
        self.it.plugger.delete(sandbox)

    def follow(self, *vifs, **kwargs):
        self.it.plugger.follow(fakes.pod(*vifs, **kwargs))

    def interfaces(self, sandbox='box-1'):
        return {name: vif.id for name, vif in
                self.it.store.get(sandbox).interfaces.items()}

    def assertRefused(self, code, function, *args, **kwargs):
        error = self.assertRaises(spec.CNIError, function, *args, **kwargs)
        self.assertEqual(code, error.code)
        return str(error)

    def assertNothing(self):
        self.assertEqual(({}, []), (self.driver.plugged,
                                    self.it.store.all()))
        self.assertEqual([], [name for name in os.listdir(self.it.folder)
                              if name.endswith('.json')])


class TestAdd(PluggingTestCase):

    def test_result(self):
        result = self.add()
        self.assertEqual(['10.0.0.5/24'],
                         [ip['address'] for ip in result['ips']])
        self.assertEqual({PORTS[0]: 'eth0'}, self.driver.plugged)

    def test_several(self):
        self.add(fakes.vif(0), fakes.vif(1))
        self.assertEqual({'eth0': PORTS[0], 'eth1': PORTS[1]},
                         self.interfaces())
        self.assertEqual([('eth0', ['0.0.0.0/0']), ('eth1', [])],
                         self.driver.routes)

    def test_again(self):
        self.add()
        self.add()
        self.assertEqual({PORTS[0]: 'eth0'}, self.driver.plugged)

    def test_pod_does_not_say(self):
        for text in (None, 'x', '[]'):
            message = self.assertRefused(
                spec.INVALID_CONFIGURATION, self.it.plugger.add,
                self.it.request(), fakes.pod(text=text))
            self.assertIn('zun-p/pod', message)
        self.assertNothing()

    def test_first_port_has_no_address(self):
        self.assertRefused(spec.INVALID_CONFIGURATION, self.add,
                           fakes.vif(ips=[]))
        self.assertNothing()

    def test_second_port_has_no_address(self):
        self.add(fakes.vif(0), fakes.vif(1, ips=[]))
        self.assertEqual(2, len(self.driver.plugged))

    def test_failure_leaves_nothing(self):
        self.driver.failing = {PORTS[1]}
        self.assertRaises(OSError, self.add, fakes.vif(0), fakes.vif(1))
        self.assertNothing()

    def test_packets_do_not_pass(self):
        self.driver.inactive = {PORTS[0]}
        message = self.assertRefused(spec.TRY_AGAIN, self.add)
        self.assertIn(PORTS[0], message)
        self.assertNothing()

    def test_failure_that_cannot_be_undone_is_known(self):
        self.driver.failing = {PORTS[0], None}
        self.assertRaises(OSError, self.add)
        self.driver.failing = set()
        self.it.restart()
        self.delete()
        self.assertNothing()

    def test_what_an_earlier_attempt_left_goes_first(self):
        self.driver.plugged = {PORTS[0]: 'eth0'}
        self.add()
        self.assertEqual(['disconnect', 'connect'],
                         [call for call, __ in self.driver.calls])


class TestDelete(PluggingTestCase):

    def test_all(self):
        self.add(fakes.vif(0), fakes.vif(1))
        self.delete()
        self.assertNothing()

    def test_twice_and_unknown(self):
        self.add()
        for sandbox in ('box-1', 'box-1', 'other'):
            self.delete(sandbox)
        self.assertNothing()

    def test_by_a_later_process(self):
        self.add()
        self.it.restart()
        self.delete()
        self.assertNothing()

    def test_after_the_sandbox(self):
        self.add()
        os.unlink(self.it.netns())
        self.delete()
        self.assertNothing()

    def test_failure_is_tried_again(self):
        self.add()
        self.driver.failing = {None}
        self.assertRaises(OSError, self.delete)
        self.driver.failing = set()
        self.delete()
        self.assertNothing()

    def test_port_is_in_a_later_sandbox(self):
        self.add()
        self.add(sandbox='box-2', netns=self.it.netns('netns-2'))
        self.delete()
        self.assertEqual({PORTS[0]: 'eth0'}, self.driver.plugged)
        self.delete('box-2')
        self.assertNothing()

    def test_later_sandbox_is_known_after_a_restart(self):
        self.add(sandbox='box-z')
        self.add(sandbox='box-a', netns=self.it.netns('netns-2'))
        self.it.restart()
        self.delete('box-z')
        self.assertEqual({PORTS[0]: 'eth0'}, self.driver.plugged)


class TestCheck(PluggingTestCase):

    def check(self):
        self.it.plugger.check(self.it.request('CHECK'))

    def test_all_is_well(self):
        self.add()
        self.it.inside['eth0'] = (fakes.MAC, {'10.0.0.5', 'fe80::1'})
        self.check()

    def test_unknown(self):
        self.assertRefused(spec.UNKNOWN_CONTAINER, self.check)

    def test_not_in_the_switch(self):
        self.add()
        self.driver.plugged.clear()
        self.assertRefused(spec.NOT_PLUGGED, self.check)

    def test_inside(self):
        self.add()
        for seen in ({}, {'eth0': ('02:00:00:00:00:01', {'10.0.0.5'})},
                     {'eth0': (fakes.MAC, {'10.0.0.6'})}):
            self.it.inside = seen
            self.assertRefused(spec.NOT_PLUGGED, self.check)


class TestCollect(PluggingTestCase):

    def test_others_go(self):
        self.add(sandbox='box-1')
        self.add(fakes.vif(1), sandbox='box-2')
        for __ in range(2):
            self.it.plugger.collect('zun', {'box-2'})
            self.assertEqual({PORTS[1]: 'eth0'}, self.driver.plugged)

    def test_other_networks_stay(self):
        self.add(network='other')
        self.it.plugger.collect('zun', set())
        self.assertEqual({PORTS[0]: 'eth0'}, self.driver.plugged)


class TestSweep(PluggingTestCase):

    def sweep(self):
        self.it.restart()
        self.it.plugger.sweep()

    def test_living_stay(self):
        self.add()
        self.sweep()
        self.assertEqual({PORTS[0]: 'eth0'}, self.driver.plugged)

    def test_namespace_is_gone(self):
        self.add()
        os.unlink(self.it.netns())
        self.sweep()
        self.assertNothing()

    def test_namespace_is_another_one(self):
        self.add()
        path = self.it.netns()
        os.rename(path, path + '-kept')
        self.it.netns()
        self.sweep()
        self.assertNothing()

    def test_node_has_started_anew(self):
        self.add()
        self.useFixture(fakes.fixtures.MonkeyPatch(
            'zun.cni.attachments.boot_id', lambda: 'next'))
        self.sweep()
        self.assertNothing()

    def test_namespace_that_was_never_seen(self):
        """In a container that has no view of the node's namespaces."""
        request = self.it.request()
        request.environment['CNI_NETNS'] = '/not/seen/here'
        self.it.plugger.add(request, fakes.pod(fakes.vif()))
        self.sweep()
        self.assertEqual({PORTS[0]: 'eth0'}, self.driver.plugged)

    def test_one_that_fails_is_no_trouble_for_others(self):
        self.add(sandbox='box-1')
        os.unlink(self.it.netns())
        self.driver.failing = {None}
        self.sweep()
        self.driver.failing = set()
        self.sweep()
        self.assertNothing()


class TestFollow(PluggingTestCase):

    def test_attach(self):
        self.add()
        self.follow(fakes.vif(0), fakes.vif(1))
        self.assertEqual({'eth0': PORTS[0], 'eth1': PORTS[1]},
                         self.interfaces())
        self.assertEqual(1, self.driver.calls.count(('connect', PORTS[0])))

    def test_detach(self):
        self.add(fakes.vif(0), fakes.vif(1))
        self.follow(fakes.vif(0))
        self.assertEqual({PORTS[0]: 'eth0'}, self.driver.plugged)

    def test_first_one_goes_and_the_next_leads_out(self):
        self.add(fakes.vif(0), fakes.vif(1))
        self.follow(fakes.vif(1))
        self.assertEqual({'eth1': PORTS[1]}, self.interfaces())
        self.assertEqual(('eth1', ['0.0.0.0/0']), self.driver.routes[-1])

    def test_free_name_is_taken(self):
        self.add(fakes.vif(0), fakes.vif(1), fakes.vif(2))
        self.follow(fakes.vif(0), fakes.vif(2))
        self.follow(fakes.vif(0), fakes.vif(2), fakes.vif(3))
        self.assertEqual({'eth0': PORTS[0], 'eth2': PORTS[2],
                          'eth1': PORTS[3]}, self.interfaces())

    def test_nothing_left(self):
        self.add()
        self.follow()
        self.assertEqual(({}, {}), (self.driver.plugged, self.interfaces()))

    def test_unchanged(self):
        self.add()
        calls = list(self.driver.calls)
        self.follow(fakes.vif(0, mtu=1400))
        self.assertEqual(calls, self.driver.calls)

    def test_other_pod(self):
        self.add()
        self.follow(fakes.vif(1), uid='uid-2')
        self.assertEqual({PORTS[0]: 'eth0'}, self.driver.plugged)

    def test_attach_fails(self):
        self.add()
        self.driver.failing = {PORTS[1]}
        self.assertRaises(OSError, self.follow, fakes.vif(0), fakes.vif(1))
        self.assertEqual({PORTS[0]: 'eth0'}, self.driver.plugged)
        self.driver.failing = set()
        self.follow(fakes.vif(0), fakes.vif(1))
        self.assertEqual(2, len(self.driver.plugged))

    def test_unreadable_changes_nothing(self):
        self.add()
        self.assertRefused(spec.INVALID_CONFIGURATION, self.follow,
                           text='x')
        self.assertEqual({PORTS[0]: 'eth0'}, self.driver.plugged)

    def test_sandbox_is_gone(self):
        self.add()
        os.unlink(self.it.netns())
        self.assertRefused(spec.TRY_AGAIN, self.follow, fakes.vif(1))
