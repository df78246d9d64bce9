# SPDX-License-Identifier: Apache-2.0
"""Devices in real network namespaces. They need root."""

import json
import os
import pathlib
import subprocess
from unittest import mock

import fixtures

from zun.cni.binding import base as binding
from zun.cni.binding import bridge
from zun.cni.binding import host_device
from zun.cni.binding import links
from zun.cni import vifs
from zun.common import exception
from zun.tests import base
from zun.tests.unit.cni import test_vifs

INSTANCE = '0c000000-0000-4000-8000-000000000001'
MAC = 'fa:16:3e:00:00:01'


class Namespace(fixtures.Fixture):
    """A network namespace, held by a process.

    :ivar file: it as an open file.
    """

    def _setUp(self):
        holder = subprocess.Popen(
            ['unshare', '--net', 'sh', '-c', 'echo; exec sleep infinity'],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.addCleanup(holder.stdout.close)
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        holder.stdout.readline()
        self.path = '/proc/%d/ns/net' % holder.pid
        self.file = os.open(self.path, os.O_RDONLY)
        self.addCleanup(os.close, self.file)

    def ip(self, *words):
        return json.loads(subprocess.run(
            ['nsenter', '--net=' + self.path, 'ip', '-j', *words],
            check=True, capture_output=True, text=True).stdout or '[]')


class DeviceTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest('Network namespaces need root')
        # All happens in namespaces of the test's own: "node" and "box".
        self.node, self.box = (self.useFixture(Namespace())
                               for __ in range(2))
        self.useFixture(fixtures.MonkeyPatch(
            'zun.cni.binding.links._DEVICES', Devices(self.node)))
        self.switch = mock.Mock()

    def on_node(self, function):
        return links.inside(self.node.file, function)

    def plug(self, name='eth0', **fields):
        return binding.Plug(vifs.parse(test_vifs.document(**{
            'vif_type': 'bridge', **fields})), INSTANCE, name)


class Devices:
    """The devices of a namespace, asked as /sys/class/net."""

    def __init__(self, namespace):
        self._namespace = namespace

    def __truediv__(self, name):
        found = mock.Mock()
        found.exists = lambda: name in [
            link['ifname'] for link in self._namespace.ip('link')]
        return found


class TestLinuxBridge(DeviceTestCase):

    IPS = [test_vifs.ip(), test_vifs.ip(
        address='fd77::5', cidr='fd77::/64', gateway='fd77::1')]

    def setUp(self):
        super().setUp()
        self.driver = bridge.BridgeDriver(self.switch)
        self.one = self.plug(mtu=1400, ips=self.IPS)
        self.bridge = self.one.osvif.bridge_name

    def connect(self):
        self.on_node(lambda: self.driver.connect(self.one, self.box.file))

    def disconnect(self):
        self.on_node(lambda: self.driver.disconnect(self.one,
                                                    self.box.file))

    def test_inside(self):
        self.connect()
        link, = self.box.ip('addr', 'show', 'dev', 'eth0')
        self.assertEqual((MAC, 1400, 'UP'), (
            link['address'], link['mtu'], link['operstate']))
        self.assertEqual(
            {('10.0.0.5', 24), ('fd77::5', 64)},
            {(info['local'], info['prefixlen'])
             for info in link['addr_info'] if info['scope'] == 'global'})
        self.assertTrue(all(
            'tentative' not in info for info in link['addr_info']
            if info['scope'] == 'global'))
        self.assertIn('UP', self.box.ip('link', 'show', 'lo')[0]['flags'])

    def test_on_the_node(self):
        self.connect()
        device, = self.node.ip('link', 'show', 'dev', self.one.vif.device)
        self.assertEqual((self.bridge, 1400, 'UP'), (
            device['master'], device['mtu'], device['operstate']))
        self.assertEqual([], self.node.ip(
            '-6', 'addr', 'show', 'dev', self.one.vif.device))

    def test_nothing_is_left(self):
        self.connect()
        for __ in range(2):
            self.disconnect()
        self.assertFalse(self.driver.is_left(self.one))
        self.assertEqual(['lo'], [link['ifname']
                                  for link in self.box.ip('link')])

    def test_is_plugged(self):
        self.assertFalse(self.driver.is_plugged(self.one))
        self.connect()
        self.assertTrue(self.driver.is_plugged(self.one))
        self.assertTrue(self.driver.await_active(self.one, 0))

    def test_seen_inside(self):
        self.connect()
        mac, found = links.inside(self.box.file, links.addresses)['eth0']
        self.assertEqual(MAC, mac)
        self.assertEqual({'10.0.0.5', 'fd77::5'}, {
            address for address in found if address[:4] != 'fe80'})

    def test_routes(self):
        self.connect()
        routes = [vifs.Route('0.0.0.0/0', '10.0.0.1'),
                  vifs.Route('10.9.0.0/16', '10.7.7.7', True),
                  vifs.Route('::/0', 'fd77::1')]
        for __ in range(2):
            links.inside(self.box.file, lambda: links.set_routes(
                'eth0', routes))
        self.assertEqual(
            [('default', '10.0.0.1'), ('10.9.0.0/16', '10.7.7.7')],
            [(route['dst'], route.get('gateway'))
             for route in self.box.ip('route') if 'gateway' in route])
        self.assertIn('fd77::1', [route.get('gateway')
                                  for route in self.box.ip('-6', 'route')])

    def test_own_thread_keeps_its_namespace(self):
        before = os.readlink('/proc/thread-self/ns/net')
        self.connect()
        self.assertRaises(OSError, links.inside, self.box.file,
                          lambda: links.set_routes('eth9', []))
        self.assertEqual(before, os.readlink('/proc/thread-self/ns/net'))


class TestOpenVSwitch(DeviceTestCase):

    def setUp(self):
        super().setUp()
        self.plugged = self.useFixture(fixtures.MockPatch(
            'os_vif.plug')).mock
        self.unplugged = self.useFixture(fixtures.MockPatch(
            'os_vif.unplug')).mock
        self.driver = bridge.VIFOpenVSwitchDriver(self.switch)

    def connect(self, one):
        self.on_node(lambda: self.driver.connect(one, self.box.file))

    def checksum(self):
        found = subprocess.run(
            ['nsenter', '--net=' + self.box.path, 'ip', '-d', '-j', 'link',
             'show', 'eth0'], capture_output=True, text=True, check=True)
        return json.loads(found.stdout)[0]

    def test_device_is_there_before_its_port(self):
        one = self.plug(vif_type='ovs')
        self.plugged.side_effect = lambda *args: self.assertTrue(
            links.exists(one.vif.device))
        self.connect(one)
        (osvif, instance), __ = self.plugged.call_args
        self.assertEqual((one.vif.device, INSTANCE),
                         (osvif.vif_name, instance.uuid))
        self.switch.forget.assert_called_once_with(one.vif.device)

    def test_checksums(self):
        """Computed by the sender for the datapath in user space alone."""
        leave = self.useFixture(fixtures.MockPatch(
            'zun.cni.binding.links.leave_no_checksum')).mock
        self.connect(self.plug(vif_type='ovs', vif_details={
            'datapath_type': 'system'}))
        leave.assert_not_called()
        self.on_node(lambda: links.delete(self.plug().vif.device))
        self.connect(self.plug(vif_type='ovs', vif_details={
            'datapath_type': 'netdev'}))
        leave.assert_called_once_with('eth0')

    def test_disconnect(self):
        one = self.plug(vif_type='ovs')
        self.connect(one)
        self.on_node(lambda: self.driver.disconnect(one, None))
        self.assertEqual(1, self.unplugged.call_count)
        self.assertFalse(links.exists(one.vif.device))

    def test_active(self):
        one = self.plug(vif_type='ovs')
        self.driver.await_active(one, 5)
        self.switch.await_wired.assert_called_once_with(one.vif.device, 5)

    def test_port_without_a_device_is_left(self):
        """The database of the switch outlives the node's restart."""
        self.switch.has.return_value = True
        one = self.plug(vif_type='ovs')
        self.assertTrue(self.driver.is_left(one))
        self.assertFalse(self.driver.is_plugged(one))


class TestHybrid(TestOpenVSwitch):

    DETAILS = {'ovs_hybrid_plug': True}

    def setUp(self):
        super().setUp()
        self.driver = bridge.BridgeDriver(self.switch)

    def plug(self, name='eth0', **fields):
        details = {**self.DETAILS, **fields.pop('vif_details', {})}
        return super().plug(name, **{**fields, 'vif_type': 'ovs',
                                     'vif_details': details})

    def connect(self, one):
        # What os-vif would make.
        self.on_node(self.make_bridge)
        super().connect(one)

    def make_bridge(self):
        with links.pyroute2.IPRoute() as route:
            name = self.plug().osvif.bridge_name
            if not route.link_lookup(ifname=name):
                route.link('add', kind='bridge', ifname=name)

    def test_device_is_there_before_its_port(self):
        """The other way round: the bridge is there before the device."""
        one = self.plug()
        self.plugged.side_effect = lambda *args: self.assertFalse(
            links.exists(one.vif.device))
        self.connect(one)
        device, = self.node.ip('link', 'show', 'dev', one.vif.device)
        self.assertEqual(one.osvif.bridge_name, device['master'])

    def test_active(self):
        one = self.plug()
        self.driver.await_active(one, 5)
        self.switch.await_wired.assert_called_once_with(
            'qvo' + one.vif.id[:11], 5)


class TestHostDevice(DeviceTestCase):

    SLOT = '0000:05:10.2'

    def setUp(self):
        super().setUp()
        self.tree = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self.useFixture(fixtures.MonkeyPatch(
            'zun.cni.binding.host_device._DEVICES', self.tree))
        self.driver = host_device.HostDeviceDriver(self.switch)
        self.one = self.plug(vif_type='hw_veb', profile={
            'pci_slot': self.SLOT})
        self.on_node(self.make_device)

    def make_device(self):
        with links.pyroute2.IPRoute() as route:
            route.link('add', kind='veth', ifname='ens1v2', peer='far')
        (self.tree / self.SLOT / 'net' / 'ens1v2').mkdir(parents=True)

    def test_moved_and_configured(self):
        self.on_node(lambda: self.driver.connect(self.one, self.box.file))
        link, = self.box.ip('addr', 'show', 'dev', 'eth0')
        self.assertEqual(MAC, link['address'])
        self.assertEqual(['lo', 'far'], [link['ifname']
                                         for link in self.node.ip('link')])

    def test_moved_back(self):
        self.on_node(lambda: self.driver.connect(self.one, self.box.file))
        self.take_away()
        self.useFixture(fixtures.MonkeyPatch(
            'zun.cni.binding.host_device._HOST_NAMESPACE', self.node.path))
        self.assertTrue(self.driver.is_left(self.one))
        self.on_node(lambda: self.driver.disconnect(self.one,
                                                    self.box.file))
        self.assertEqual(['lo'], [link['ifname']
                                  for link in self.box.ip('link')])
        self.assertEqual(3, len(self.node.ip('link')))

    def take_away(self):
        (self.tree / self.SLOT / 'net' / 'ens1v2').rmdir()

    def test_device_is_not_there(self):
        self.take_away()
        self.assertRaises(exception.Invalid, self.driver.connect, self.one,
                          self.box.file)

    def test_virtual_function(self):
        parent = self.tree / '0000:05:00.0'
        (parent / 'net' / 'ens1').mkdir(parents=True)
        (self.tree / self.SLOT / 'physfn').symlink_to(parent)
        (parent / 'virtfn7').symlink_to(self.tree / self.SLOT)
        self.assertEqual(('ens1', 7), host_device.parent_of(self.SLOT))

    def test_no_virtual_function(self):
        self.assertIsNone(host_device.parent_of(self.SLOT))


class TestDriverFor(base.TestCase):

    def driver(self, **fields):
        osvif = binding.Plug(vifs.parse(test_vifs.document(**fields)), 'i',
                             'eth0').osvif
        return type(binding.driver_for(osvif, None))

    def test_by_class(self):
        self.assertIs(bridge.VIFOpenVSwitchDriver, self.driver())
        self.assertIs(bridge.BridgeDriver, self.driver(
            vif_details={'ovs_hybrid_plug': True}))
        self.assertIs(bridge.BridgeDriver, self.driver(vif_type='bridge'))
        self.assertIs(host_device.HostDeviceDriver, self.driver(
            vif_type='hw_veb', profile={'pci_slot': '0000:05:10.2'}))

    def test_unknown_type(self):
        self.assertRaises(exception.Invalid, self.driver,
                          vif_type='unbound')

    def test_device_is_not_named(self):
        self.assertRaises(exception.Invalid, self.driver, vif_type='hw_veb')
