# SPDX-License-Identifier: Apache-2.0
"""What containers on Neutron ports see, and whom they reach."""

import json
import subprocess
import time

from zun.tests.lab_network import cases
from zun.tests.lab_network import labs
from zun.tests import processes


class TestInside(cases.TestCase):

    def test_ports_are_active_and_pods_have_their_addresses(self):
        for one in (self.shared.a1, self.shared.a2, self.shared.b1,
                    self.shared.c1):
            self.await_port(one.entries()[0]['port'], 'ACTIVE')
            self.assertEqual(
                {entry['addr'] for entry in one.entries()},
                {ip['ip'] for ip in one.pod()['status']['podIPs']})
        port = self.shared.a1.port()
        self.assertEqual(
            (labs.NODE, 'ovs', 'compute:zun', self.shared.a1.uuid),
            (port['binding:host_id'], port['binding:vif_type'],
             port['device_owner'], port['device_id']))

    def test_mac_addresses_mtu_routes_and_resolvers(self):
        one, net = self.shared.a1, self.shared.net_a
        link = json.loads(one.inside('ip', '-j', 'addr', 'show', 'dev',
                                     'eth0').stdout)[0]
        self.assertEqual(
            (one.port()['mac_address'], net.net['mtu']),
            (link['address'], link['mtu']))
        self.assertEqual(
            {(one.address(4), 24), (one.address(6), 64)},
            {(info['local'], info['prefixlen'])
             for info in link['addr_info'] if info['scope'] == 'global'})
        routes = one.execute('ip route') + one.execute('ip -6 route')
        self.assertIn('default via 192.168.77.1 dev eth0', routes)
        self.assertIn('198.51.100.0/24 via 192.168.77.9 dev eth0', routes)
        self.assertIn('default via %s dev eth0' % net.subnets[6][
            'gateway_ip'], routes)
        self.assertEqual(['nameserver 192.168.77.2'],
                         one.execute('cat /etc/resolv.conf').split('\n')[:1])

    def test_no_other_links(self):
        self.assertEqual(['lo', 'eth0'], self.shared.a1.links())

    def test_fixed_address_and_jumbo_frames(self):
        net = self.network('192.168.90.0/24', mtu=1400)
        one = self.container([{'network': net.id,
                               'v4-fixed-ip': '192.168.90.77'}])
        self.assertEqual('192.168.90.77', one.address())
        self.assertIn('mtu 1400', one.inside('ip', 'link', 'show',
                                             'eth0').stdout)

    def test_several_networks_from_the_start(self):
        one = self.container([{'network': self.shared.net_a.id},
                              {'network': self.shared.net_b.id}])
        self.assertEqual(['lo', 'eth0', 'eth1'], one.links())
        for target in (self.shared.a1, self.shared.b1):
            self.assertTrue(one.pings(target.address()))
        routes = one.inside('ip', 'route').stdout
        self.assertEqual(1, routes.count('default'))

    def test_only_ipv6(self):
        net = self.network(None, 'fd99::/64')
        first, second = (self.container(
            [{'network': net.id}],
            security_groups=[self.shared.group]) for __ in range(2))
        self.assertTrue(first.pings(second.address(6)))

    def test_network_without_subnet_is_refused(self):
        net = self.network(None)
        made = self.container([{'network': net.id}], wait=False)
        seen = made.await_status('Error')
        self.assertIn('has no subnet', seen['status_reason'])

    def test_name_servers(self):
        """Three at most; the kubelet writes them, not the plug-in."""
        net = self.network('192.168.91.0/24', dns_nameservers=[
            '192.0.2.%d' % number for number in range(1, 6)])
        one = self.container([{'network': net.id}])
        self.assertEqual(
            ['nameserver 192.0.2.%d' % number for number in (1, 2, 3)],
            one.execute('cat /etc/resolv.conf').split('\n')[:3])


class TestReach(cases.TestCase):

    def test_neighbours_ping_each_other(self):
        for version in (4, 6):
            for here, there in ((self.shared.a1, self.shared.a2),
                                (self.shared.a2, self.shared.a1)):
                self.assertTrue(here.pings(there.address(version)))

    def test_other_networks_do_not(self):
        a1, a2, b1, c1 = (self.shared.a1, self.shared.a2, self.shared.b1,
                          self.shared.c1)
        # Another project's, and even the same address.
        self.assertEqual(a1.address(), c1.address())
        self.assertFalse(c1.pings(a2.address()))
        for target in (a1.address(), a1.address(6), '192.168.77.1'):
            self.assertFalse(b1.pings(target), target)

    def test_rule_opens_and_closes_a_port(self):
        a1, a2 = self.shared.a1, self.shared.a2
        group = cases.group_id(self.zun.neutron, self.shared.group)
        self.assertFalse(a2.reaches(a1.address(), 8080))
        rule = cases.add_rule(self.zun.neutron, group, 'IPv4', 'tcp', 8080)
        processes.wait_for('open', lambda: a2.reaches(a1.address(), 8080))
        self.assertFalse(a2.reaches(a1.address(), 80))
        self.assertFalse(a2.reaches(a1.address(6), 8080))
        self.assertIn('hello', a2.execute(
            'wget -qO- http://%s:8080/index.html' % a1.address()))
        self.zun.neutron.ask('DELETE', '/security-group-rules/' + rule)
        processes.wait_for('closed', lambda: not a2.reaches(
            a1.address(), 8080, 1))

    def test_established_connection_is_cut(self):
        a1, a2 = self.shared.a1, self.shared.a2
        group = cases.group_id(self.zun.neutron, self.shared.group)
        rule = cases.add_rule(self.zun.neutron, group, 'IPv4', 'tcp', 5002)
        server = self.start(a1, _COUNT_LINES)
        client = self.start(a2, _SEND_LINES, a1.address())
        for __ in range(5):
            self.assertEqual('line\n', server.stdout.readline())
        self.zun.neutron.ask('DELETE', '/security-group-rules/' + rule)
        # What was on its way comes; then the server says that it is quiet.
        for line in server.stdout:
            if line == 'quiet\n':
                break
        self.assertIsNone(client.poll())

    def start(self, container, program, *words):
        process = subprocess.Popen(
            ['nsenter', '--net=' + container.attachment()['netns_path'],
             'python3', '-u', '-c', program, *words],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_spoofed_sources_are_dropped(self):
        a1, a2 = self.shared.a1, self.shared.a2
        self.assertTrue(a2.pings(a1.address()))
        for address in ('192.168.77.200/24', 'fd77::200/64'):
            a2.inside('ip', 'addr', 'add', address, 'dev', 'eth0', *(
                ['nodad'] if ':' in address else []))
        self.addCleanup(self.restore, a2)
        self.assertFalse(a2.pings(a1.address(), 2, '-I', '192.168.77.200'))
        self.assertFalse(a2.pings(a1.address(6), 2, '-I', 'fd77::200'))
        self.assertTrue(a2.pings(a1.address(), 2, '-I', a2.address()))
        port = a2.entries()[0]['port']
        self.allow(port, [{'ip_address': '192.168.77.200'}])
        processes.wait_for('the pair is let through', lambda: a2.pings(
            a1.address(), 2, '-I', '192.168.77.200'))
        self.allow(port, [])
        a2.inside('ip', 'link', 'set', 'eth0', 'address',
                  '02:00:00:00:00:99')
        self.assertFalse(a2.pings(a1.address()))

    def allow(self, port, pairs):
        self.zun.neutron_zun.ask('PUT', '/ports/' + port, json={
            'port': {'allowed_address_pairs': pairs}})

    def restore(self, container):
        container.inside('ip', 'link', 'set', 'eth0', 'address',
                         container.port()['mac_address'])
        for address in ('192.168.77.200/24', 'fd77::200/64'):
            container.inside('ip', 'addr', 'del', address, 'dev', 'eth0')
        container.inside('ip', 'route', 'replace', 'default', 'via',
                         '192.168.77.1')
        processes.wait_for('packets pass again', lambda: container.pings(
            self.shared.a1.address()))

    def test_throughput(self):
        """TCP works at all only with checksums computed by the sender."""
        a1, a2 = self.shared.a1, self.shared.a2
        group = cases.group_id(self.zun.neutron, self.shared.group)
        for ethertype in ('IPv4', 'IPv6'):
            rule = cases.add_rule(self.zun.neutron, group, ethertype, 'tcp',
                                  5003)
            self.addCleanup(self.zun.neutron.send, 'DELETE',
                            '/security-group-rules/' + rule)
        for version in (4, 6):
            server = self.start(a1, _COUNT_BYTES)
            self.assertEqual('ready\n', server.stdout.readline())
            began = time.monotonic()
            self.assertEqual(0, a2.inside(
                'python3', '-c', _SEND_BYTES, a1.address(version)
            ).returncode)
            self.assertEqual('%d\n' % _AMOUNT, server.stdout.readline())
            self.note('IPv%d %.0f Mbit/s' % (
                version, _AMOUNT * 8e-6 / (time.monotonic() - began)))

    def test_checksums(self):
        """Left to a card that is not there, no connection is made."""
        a1, a2 = self.shared.a1, self.shared.a2
        group = cases.group_id(self.zun.neutron, self.shared.group)
        rule = cases.add_rule(self.zun.neutron, group, 'IPv4', 'tcp', 80)
        self.addCleanup(self.zun.neutron.send, 'DELETE',
                        '/security-group-rules/' + rule)
        processes.wait_for('open', lambda: a2.reaches(a1.address(), 80))
        self.addCleanup(self.offload, a2, 0)
        self.offload(a2, 1)
        self.assertFalse(a2.reaches(a1.address(), 80))
        self.assertTrue(a2.pings(a1.address()))
        self.offload(a2, 0)
        self.assertTrue(a2.reaches(a1.address(), 80))

    def offload(self, container, value):
        done = container.inside('python3', '-c', _OFFLOAD, str(value))
        self.assertEqual(0, done.returncode, done.stderr)

    def test_administratively_down(self):
        a1, a2 = self.shared.a1, self.shared.a2
        port = '/ports/' + a2.entries()[0]['port']
        self.addCleanup(processes.wait_for, 'up', lambda: a1.pings(
            a2.address()))
        self.addCleanup(self.zun.neutron.ask, 'PUT', port, json={
            'port': {'admin_state_up': True}})
        self.zun.neutron.ask('PUT', port, json={
            'port': {'admin_state_up': False}})
        processes.wait_for('down', lambda: not a1.pings(a2.address()))

    def test_port_deleted_under_a_container(self):
        one = self.container([{'network': self.shared.net_a.id}],
                             security_groups=[self.shared.group])
        self.assertTrue(one.pings(self.shared.a1.address()))
        self.zun.neutron_admin.ask('DELETE', '/ports/' + one.entries()[0][
            'port'])
        processes.wait_for('cut off', lambda: not one.pings(
            self.shared.a1.address()))
        self.assertEqual('Running', one.show()['status'])
        one.delete()
        self.assertNothingLeft()


_OFFLOAD = '''
import ctypes, fcntl, socket, struct, sys
value = ctypes.create_string_buffer(struct.pack(
    'II', 0x17, int(sys.argv[1])))
fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8946,
            struct.pack('16sP', b'eth0', ctypes.addressof(value)))
'''
_AMOUNT = 50 * 1024 * 1024
_COUNT_LINES = '''
import socket
near, __ = socket.create_server(('0.0.0.0', 5002)).accept()
near.settimeout(3)
try:
    while near.recv(1):
        print('line')
except TimeoutError:
    print('quiet')
'''
_SEND_LINES = '''
import socket, sys, time
while True:
    try:
        far = socket.create_connection((sys.argv[1], 5002), 1)
        break
    except OSError:
        time.sleep(0.1)
while True:
    far.send(b'x')
    time.sleep(0.1)
'''
_COUNT_BYTES = '''
import socket
server = socket.create_server(('::', 5003), family=socket.AF_INET6,
                              dualstack_ipv6=True)
print('ready')
near, __ = server.accept()
seen = 0
while True:
    part = near.recv(65536)
    if not part:
        break
    seen += len(part)
print(seen)
near.send(b'.')
'''
_SEND_BYTES = '''
import socket, sys
far = socket.create_connection((sys.argv[1], 5003), 5)
far.settimeout(60)
for __ in range(800):
    far.sendall(bytes(65536))
far.shutdown(socket.SHUT_WR)
far.recv(1)
'''
