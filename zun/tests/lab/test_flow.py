# SPDX-License-Identifier: Apache-2.0
"""The life of a container, by both command-line clients.

Executables as processes of their own, MariaDB, a real kubelet.
"""

import json

from testtools import content

from zun.common.k8s import client as k8s
from zun.tests import base
from zun.tests import databases
from zun.tests.lab import cluster
from zun.tests import processes

SCRIPT = ('trap "echo trapped USR1" USR1; trap "exit 0" TERM; '
          'echo hello from the container; '
          'while :; do sleep 0.2; done')


class DeployedTestCase(base.TestCase):
    """Tests that share one deployment, which each leaves as it was.

    ``cluster`` is the cluster it is on, ``zun`` the deployment.
    """

    _shared: processes.Deployment | None = None

    def setUp(self):
        super().setUp()
        cls = type(self)
        self.config(group='kubernetes', kubeconfig=self.kubeconfig())
        k8s.reset()
        self.addCleanup(k8s.reset)
        self.cluster = k8s.get_cluster()
        if cls._shared is None:
            shared = self.deployment(
                databases.get('mariadb').create_database())
            shared.setUp()
            cls._shared = shared
        self.zun = cls._shared
        self.addOnException(self._attach_logs)
        self.addCleanup(self._delete_containers)

    @classmethod
    def tearDownClass(cls):
        if cls._shared is not None:
            cls._shared.cleanUp()
            cls._shared = None
        super().tearDownClass()

    def kubeconfig(self) -> str:
        """The configuration file of the cluster."""
        raise NotImplementedError

    def deployment(self, database: str) -> processes.Deployment:
        """What to deploy, once for all tests of the class."""
        raise NotImplementedError

    def _attach_logs(self, exc_info):
        for name, text in self.zun.logs().items():
            self.addDetail(name, content.text_content(text))

    def _delete_containers(self):
        # What a failed test left would fail the others.
        for one in self.zun.get('/containers')['containers']:
            self.zun.request('DELETE', '/containers/' + one['uuid'],
                             params={'stop': 'true'})

    def namespaces(self) -> list[str]:
        """The namespaces of this deployment's projects."""
        service = self.zun.prefix + 'service'
        return [one['metadata']['name']
                for one in self.cluster.list(k8s.NAMESPACES)[0]
                if one['metadata']['name'].startswith(self.zun.prefix) and
                one['metadata']['name'] != service]

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
        for state in ('ready', 'running'):
            self.assertNotIn(state, tasks)


class LabTestCase(DeployedTestCase):
    """A deployment on the real cluster."""

    def setUp(self):
        self.lab = cluster.get()
        super().setUp()
        if not self.lab.disposable:
            self.addCleanup(self._remove_lease)

    def _remove_lease(self):
        # Whoever leads makes it anew for the next test.
        name = self.zun.prefix + 'service'
        if self.cluster.find(k8s.NAMESPACES, name):
            self.cluster.delete(k8s.NAMESPACES, name)

    def kubeconfig(self):
        return self.lab.kubeconfig

    def deployment(self, database):
        node = self.cluster.list(k8s.NODES)[0][0]['metadata']['name']
        return processes.Deployment(self.lab.kubeconfig, database, node,
                                    self.lab.containerd)


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
                    '--memory', '64', 'busybox', 'sh', '-c', SCRIPT)
        self.status('box', 'Running')
        self.assertIn('box', self.client('zun', 'list'))
        self.assertIn('Running', self.client('zun', 'show', 'box'))
        self.assertEqual(
            ['kata'],
            [pod['spec']['runtimeClassName'] for pod in self.pods()])
        processes.wait_for('the log', lambda: 'hello from the container' in
                           self.client('zun', 'logs', 'box'))
        self.assertIn('42', self.client(
            'zun', 'exec', 'box', 'sh', '-c', 'echo $((6 * 7))'))
        self.client('zun', 'kill', '--signal', 'USR1', 'box')
        processes.wait_for('the signal', lambda: 'trapped USR1' in
                           self.client('zun', 'logs', 'box'))
        # A kill says Stopped, and what is true follows.
        self.status('box', 'Running')
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
