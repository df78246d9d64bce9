# SPDX-License-Identifier: Apache-2.0
"""The node: isolation, other Pods, the kubelet, the plug-in's commands."""

import json
import os
import subprocess
import threading
import time

from zun.common.k8s import client as k8s
from zun.tests.lab_network import cases
from zun.tests.lab_network import labs
from zun.tests.lab_network import test_life
from zun.tests import processes

_CLUSTER_GATEWAY = '10.88.0.1'
_SERVICE = '10.96.0.1'
_METADATA = '169.254.169.254'
_KUBELET, _API = 10250, 6443


class TestNode(cases.TestCase):

    def pod(self, name, command=None, namespace='default', **spec):
        """An ordinary Pod that goes with the test."""
        name = '%s-%s' % (name, os.urandom(3).hex())
        cluster = self.zun.cluster
        cluster.create(k8s.PODS, test_life.cases_pod(name, command, **spec),
                       namespace)
        self.addCleanup(cluster.delete, k8s.PODS, name, namespace, grace=1)
        return name

    def await_pod(self, name, limit=60):
        def running():
            found = self.zun.cluster.get(k8s.PODS, name, 'default')
            return found if found['status']['phase'] == 'Running' else None
        return processes.wait_for(name, running, limit)

    def namespace(self):
        return self.shared.a1.pod()['metadata']['namespace']

    def events_of(self, name, namespace):
        return [one['message'] for one in self.zun.cluster.list(
            k8s.EVENTS, namespace, fields='involvedObject.name=' + name)[0]]

    # -- other Pods --------------------------------------------------------
    def test_other_pods_keep_the_clusters_network(self):
        plain = self.await_pod(self.pod('plain'))
        host = self.await_pod(self.pod('host', hostNetwork=True))
        self.assertTrue(plain['status']['podIP'].startswith('10.88.'))
        self.assertEqual(labs.NODE_IP, host['status']['podIP'])

    def test_pod_of_zun_without_its_ports_is_refused(self):
        """By the runtime class, and by the default network's delegate."""
        namespace = self.namespace()
        for spec in ({'runtimeClassName': 'kata'}, {}):
            name = self.pod('bare', namespace=namespace, **spec)
            processes.wait_for('the reason', lambda name=name: any(
                'no usable annotation' in message for message in
                self.events_of(name, namespace)))

    def test_pod_elsewhere_cannot_claim_a_port(self):
        """Annotations count in Zun's namespaces alone."""
        name = self.pod('thief', runtimeClassName='kata')
        processes.wait_for('the reason', lambda: any(
            'no namespace of Zun' in message
            for message in self.events_of(name, 'default')))

    def test_runtime_without_a_network_of_its_own(self):
        """The delegate way: the same plug-in for all Pods of a node."""
        one = self.container([{'network': self.shared.net_a.id}],
                             security_groups=[self.shared.group],
                             runtime='bridge')
        self.assertEqual(['lo', 'eth0'], one.links())
        self.assertTrue(one.pings(self.shared.a1.address()))

    # -- isolation ---------------------------------------------------------
    def test_nothing_of_the_node_is_reachable(self):
        plain = self.await_pod(self.pod('plain', ['sh', '-c', cases.WEB]))
        address = plain['status']['podIP']
        targets = [(labs.NODE_IP, _KUBELET), (labs.NODE_IP, _API),
                   (_CLUSTER_GATEWAY, _API), (_SERVICE, 443),
                   (address, 80), (_METADATA, 80), ('127.0.0.1', _API),
                   ('127.0.0.1', 9696)]
        # They do listen: the node reaches them.
        for host, port in targets[:3] + targets[4:5]:
            self.assertTrue(processes.wait_for(
                '%s:%d' % (host, port), lambda host=host, port=port:
                cases.connects(host, port), 20))
        one = self.container([{'network': self.shared.net_a.id}])
        for host, port in targets:
            self.assertFalse(one.reaches(host, port, 1), (host, port))
        # Nor for who claims that they are on its own link.
        for host in {host for host, __ in targets} - {'127.0.0.1'}:
            one.inside('ip', 'route', 'add', host + '/32', 'dev', 'eth0')
        for host, port in targets:
            self.assertFalse(one.reaches(host, port, 1), (host, port))
        for local in self.link_local():
            self.assertFalse(one.pings(local + '%eth0', 1), local)
        self.assertFalse(cases.connects(one.address(), 80, 1))

    def link_local(self):
        links = json.loads(cases.run('ip', '-6', '-j', 'addr', 'show',
                                     'scope', 'link').stdout)
        found = [info['local'] for link in links
                 for info in link.get('addr_info', ())]
        self.assertTrue(found)
        return found[:4]

    # -- the kubelet -------------------------------------------------------
    def test_kubelet_needs_no_way_in(self):
        """Commands, logs and health checks."""
        one = self.container(
            [{'network': self.shared.net_a.id}],
            command=['sh', '-c', 'echo hello; ' + cases.WEB],
            healthcheck={'cmd': 'true', 'interval': 1})
        self.assertEqual('1\n', one.execute('echo 1'))
        self.assertIn('hello', self.zun.demo.send(
            'GET', '/containers/%s/logs' % one.uuid).text)
        processes.wait_for('ready', lambda: one.pod()['status'][
            'containerStatuses'][0]['ready'])
        hosts = one.execute('cat /etc/hosts')
        for entry in one.entries():
            self.assertIn(entry['addr'], hosts)

    def test_object_goes_after_the_port_is_unplugged(self):
        one = self.container([{'network': self.shared.net_a.id}])
        meta, port = one.pod()['metadata'], one.entries()[0]['port']
        self.assertGreaterEqual(
            one.pod()['spec']['terminationGracePeriodSeconds'], 1)
        one.delete(wait=False)
        processes.wait_for('the Pod is gone', lambda: self.zun.cluster.find(
            k8s.PODS, meta['name'], meta['namespace']) is None)
        self.assertNotIn('tap' + port[:11], cases.vsctl(
            'list-ports', 'br-int'))

    def test_node_stays_ready_without_the_daemon(self):
        self.zun.end('zun-cni-daemon')
        try:
            name = self.pod('plain')
            self.await_pod(name, 30)
            node = self.zun.cluster.get(k8s.NODES, labs.NODE)
            self.assertEqual(['True'], [
                condition['status'] for condition in
                node['status']['conditions']
                if condition['type'] == 'Ready'])
        finally:
            self.zun.begin('zun-cni-daemon')


class TestPlugin(cases.TestCase):
    """The plug-in's commands, called by hand."""

    def setUp(self):
        super().setUp()
        self.one = self.container([{'network': self.shared.net_a.id}],
                                  security_groups=[self.shared.group])
        self.sandbox = self.one.attachment()

    def call(self, command, sandbox=None, netns=None, **more):
        """Exit status and document of one call."""
        namespace, name, uid = self.sandbox['pod']
        configuration = {'cniVersion': '1.1.0', 'name': 'cni-zun',
                         'type': 'zun-cni', 'namespacePrefix': labs.PREFIX,
                         'socket': str(self.zun.run / 'cni.sock'), **more}
        done = subprocess.run(
            [self.zun.work / 'cni-bin/zun-cni'], text=True,
            input=json.dumps(configuration), capture_output=True, env={
                'CNI_COMMAND': command, 'CNI_IFNAME': 'eth0',
                'CNI_CONTAINERID': sandbox or self.sandbox['sandbox'],
                'CNI_NETNS': netns or self.sandbox['netns_path'],
                'CNI_ARGS': 'IgnoreUnknown=1;K8S_POD_NAMESPACE=%s;'
                'K8S_POD_NAME=%s;K8S_POD_UID=%s' % (namespace, name, uid)})
        return done.returncode, json.loads(done.stdout or 'null')

    def reaches(self):
        return self.one.pings(self.shared.a1.address())

    def test_any_order_and_twice(self):
        codes = [self.call(command)[0] for command in (
            'STATUS', 'CHECK', 'CHECK', 'DEL', 'DEL', 'CHECK', 'ADD', 'ADD',
            'CHECK')]
        self.assertEqual([0, 0, 0, 0, 0, 1, 0, 0, 0], codes)
        self.assertTrue(self.reaches())
        self.assertEqual(['lo', 'eth0'], self.one.links())

    def test_result(self):
        status, result = self.call('ADD')
        self.assertEqual(0, status)
        inner = result['interfaces'][1]
        self.assertEqual(
            ('eth0', self.one.port()['mac_address'],
             self.sandbox['netns_path'], self.shared.net_a.net['mtu']),
            (inner['name'], inner['mac'], inner['sandbox'], inner['mtu']))
        self.assertEqual(
            {(self.one.address(4) + '/24', '192.168.77.1', 1),
             (self.one.address(6) + '/64',
              self.shared.net_a.subnets[6]['gateway_ip'], 1)},
            {(ip['address'], ip['gateway'], ip['interface'])
             for ip in result['ips']})

    def test_strangers_del_changes_nothing(self):
        self.assertEqual((0, None), self.call('DEL', 'f' * 64))
        self.assertTrue(self.reaches())

    def test_gc(self):
        valid = [{'containerID': one['sandbox'], 'ifname': 'eth0'}
                 for one in cases.attachments()]
        for __ in range(2):
            self.assertEqual(0, self.call('GC', **{
                'cni.dev/valid-attachments': valid})[0])
        self.assertTrue(self.reaches())
        others = [one for one in valid
                  if one['containerID'] != self.sandbox['sandbox']]
        # Of another CNI network it is none of this one's business.
        self.assertEqual(0, self.call('GC', name='another', **{
            'cni.dev/valid-attachments': others})[0])
        self.assertTrue(self.reaches())
        for __ in range(2):
            self.assertEqual(0, self.call('GC', **{
                'cni.dev/valid-attachments': others})[0])
        self.assertEqual(['lo'], self.links_of(self.sandbox))
        self.assertEqual(0, self.call('ADD')[0])
        self.assertTrue(self.reaches())

    def links_of(self, sandbox):
        return [link['ifname'] for link in json.loads(cases.run(
            'nsenter', '--net=' + sandbox['netns_path'], 'ip', '-j',
            'link').stdout)]

    def test_gc_without_a_list_is_refused(self):
        status, error = self.call('GC')
        self.assertEqual((1, 7), (status, error['code']))
        self.assertTrue(self.reaches())

    def test_killed_in_the_middle(self):
        """At several moments of each command; the next makes it good."""
        for number, command in enumerate(
                ('ADD', 'DEL', 'CHECK', 'GC', 'ADD', 'DEL', 'ADD')):
            self.killed(command, 0.01 * (1 + number))
            for after in ('DEL', 'ADD', 'CHECK'):
                self.assertEqual(0, self.call(after)[0], (command, after))
        self.assertTrue(self.reaches())
        self.assertEqual(['lo', 'eth0'], self.one.links())

    def killed(self, command, seconds):
        """One call, during which the daemon dies after some time."""
        caller = threading.Thread(
            target=self.call, args=[command], kwargs={
                'cni.dev/valid-attachments': [
                    {'containerID': one['sandbox']}
                    for one in cases.attachments()]})
        caller.start()
        # The client alone needs about 30 ms to begin.
        time.sleep(0.03 + seconds)
        self.zun.kill('zun-cni-daemon')
        caller.join()
        self.zun.begin('zun-cni-daemon')
        processes.wait_for('its Pods', lambda: self.call('STATUS')[0] == 0)

    def test_row_in_the_switch(self):
        """What os-vif writes there is what OVN looks for."""
        port = self.one.port()
        found = json.loads(cases.vsctl(
            '--format=json', '--columns=type,error,external_ids', 'list',
            'Interface', 'tap' + port['id'][:11]))['data'][0]
        self.assertEqual(['', ['set', []]], found[:2])
        ids = dict(found[2][1])
        self.assertEqual(
            (port['id'], port['mac_address'], 'active', self.one.uuid,
             'true'),
            tuple(ids[key] for key in (
                'iface-id', 'attached-mac', 'iface-status', 'vm-uuid',
                'ovn-installed')))

    def test_node_has_started_anew(self):
        """The switch's database outlives that, sandboxes do not."""
        self.zun.end('zun-cni-daemon')
        file = self.zun.state / (self.sandbox['sandbox'] + '.json')
        file.write_text(json.dumps({**self.sandbox, 'boot': 'earlier'}))
        self.zun.begin('zun-cni-daemon')
        processes.wait_for('it is swept away', lambda: (
            not file.exists() and self.sandbox['interfaces'][0][1]['id'][
                :11] not in cases.vsctl('list-ports', 'br-int')))

    def test_versions(self):
        __, found = self.call('VERSION')
        self.assertIn('1.1.0', found['supportedVersions'])
        status, error = self.call('CHECK', cniVersion='9.9.9')
        self.assertEqual((1, 1), (status, error['code']))

    def test_round_trip(self):
        began = time.monotonic()
        for __ in range(10):
            self.assertEqual(0, self.call('STATUS')[0])
        self.note('a call takes %.0f ms' % (
            (time.monotonic() - began) * 100))

    def test_what_the_runtime_calls(self):
        """Each sandbox is added once, and deleted at least once."""
        since = self.zun.log_size()
        one = cases.Container(self.zun.demo, [
            {'network': self.shared.net_a.id}])
        one.await_running()
        one.delete()
        log = self.zun.log_since(since)
        self.assertEqual(1, log.count('ADD '))
        self.assertGreaterEqual(log.count('DEL '), 1)
