# SPDX-License-Identifier: Apache-2.0
"""The life of a container, by both command-line clients.

Executables as processes of their own, MariaDB, a real kubelet.
"""

import json

from zun.common.k8s import client as k8s
from zun.tests import base
from zun.tests import databases
from zun.tests.lab import cluster
from zun.tests import processes

SCRIPT = ('trap "echo trapped USR1" USR1; trap "exit 0" TERM; '
          'echo hello from the container; '
          'while :; do sleep 0.2; done')


class LabTestCase(base.TestCase):
    """A deployment on the real cluster, which must be left as it was."""

    def setUp(self):
        super().setUp()
        self.lab = cluster.get()
        self.config(group='kubernetes', kubeconfig=self.lab.kubeconfig)
        k8s.reset()
        self.addCleanup(k8s.reset)
        self.cluster = k8s.get_cluster()
        server = databases.get('mariadb')
        self.database = server.create_database()
        self.addCleanup(server.drop_database, self.database)
        self.node = self.cluster.list(k8s.NODES)[0][0]['metadata']['name']
        self.zun = self.useFixture(processes.Deployment(
            self.lab.kubeconfig, self.database, self.node,
            self.lab.containerd))
        self.addCleanup(self.remove_namespaces)

    def namespaces(self) -> list[str]:
        """The namespaces of this deployment's projects."""
        service = self.zun.prefix + 'service'
        return [one['metadata']['name']
                for one in self.cluster.list(k8s.NAMESPACES)[0]
                if one['metadata']['name'].startswith(self.zun.prefix) and
                one['metadata']['name'] != service]

    def remove_namespaces(self):
        """Also the one of the Lease, when all is over."""
        for name in self.namespaces() + [self.zun.prefix + 'service']:
            if self.cluster.find(k8s.NAMESPACES, name):
                self.cluster.delete(k8s.NAMESPACES, name)

    def pods(self) -> list[dict]:
        """Zun's Pods of this deployment."""
        return [pod for name in self.namespaces()
                for pod in self.cluster.list(k8s.PODS, name)[0]]

    def assertNothingLeft(self):
        """No Pod, Secret, namespace, port, allocation, row or open task."""
        processes.wait_for('namespaces are gone',
                           lambda: not self.namespaces())
        self.assertEqual([], self.zun.get('/containers')['containers'])
        self.assertEqual({}, self.zun.peers.network.rows['ports'])
        self.assertEqual({}, self.zun.peers.placement.allocations)
        tasks = self.zun.run('zun-status', 'task', 'list')
        for state in ('ready', 'running', 'failed'):
            self.assertNotIn(state, tasks)


class TestFlow(LabTestCase):

    def client(self, *command, status=0):
        done = self.zun.client(*command)
        self.assertEqual(status, done.returncode,
                         '%s: %s%s' % (command, done.stdout, done.stderr))
        return done.stdout

    def status(self, name, *statuses):
        return self.zun.wait_status(name, *statuses)

    def test_python_zunclient(self):
        self.client('zun', 'run', '--name', 'box', '--cpu', '0.1',
                    '--memory', '64', '--runtime', 'kata',
                    'busybox', 'sh', '-c', SCRIPT, status=0)
        self.status('box', 'Running')
        self.assertIn('box', self.client('zun', 'list'))
        self.assertIn('kata', self.client('zun', 'show', 'box'))
        processes.wait_for('the log', lambda: 'hello from the container' in
                           self.client('zun', 'logs', 'box'))
        self.assertIn('42', self.client(
            'zun', 'exec', 'box', 'sh', '-c', 'echo $((6 * 7))'))
        self.client('zun', 'kill', '--signal', 'USR1', 'box')
        processes.wait_for('the signal', lambda: 'trapped USR1' in
                           self.client('zun', 'logs', 'box'))
        self.zun.act('box', 'kill', signal='SIGKILL')
        self.status('box', 'Stopped')
        self.client('zun', 'start', 'box')
        self.status('box', 'Running')
        self.client('zun', 'stop', '--timeout', '5', 'box')
        self.status('box', 'Stopped')
        self.client('zun', 'start', 'box')
        self.status('box', 'Running')
        self.client('zun', 'stop', 'box')
        self.status('box', 'Stopped')
        self.client('zun', 'delete', 'box')
        processes.wait_for('box is gone',
                           lambda: self.zun.show('box') is None)
        self.assertNothingLeft()

    def test_exit_code_of_exec(self):
        uuid = self.zun.create(command=['sh', '-c', SCRIPT])
        self.zun.wait_status(uuid, 'Running')
        answer = self.zun.act(uuid, 'execute', run='true',
                              command="sh -c 'echo out; exit 3'").json()
        self.assertEqual((3, 'out\n'),
                         (answer['exit_code'], answer['output']))
        self.zun.delete(uuid)
        self.assertNothingLeft()

    def test_openstack_appcontainer(self):
        def appcontainer(*command):
            return self.client('openstack', 'appcontainer', *command)
        appcontainer('run', '--name', 'osc', '--cpu', '0.1', '--memory',
                     '64', 'busybox', 'sh', '-c', SCRIPT)
        self.status('osc', 'Running')
        listed = json.loads(appcontainer('list', '-f', 'json'))
        self.assertEqual(['osc'], [one['name'] for one in listed])
        shown = json.loads(appcontainer('show', 'osc', '-f', 'json'))
        self.assertEqual('Running', shown['status'])
        processes.wait_for('the log', lambda: 'hello from the container' in
                           appcontainer('logs', 'osc'))
        self.assertIn('42', appcontainer(
            'exec', 'osc', 'sh', '-c', 'echo $((6 * 7))'))
        appcontainer('stop', 'osc')
        self.status('osc', 'Stopped')
        appcontainer('start', 'osc')
        self.status('osc', 'Running')
        appcontainer('kill', '--signal', 'TERM', 'osc')
        self.status('osc', 'Stopped')
        appcontainer('delete', 'osc')
        processes.wait_for('osc is gone',
                           lambda: self.zun.show('osc') is None)
        self.assertNothingLeft()
