# SPDX-License-Identifier: Apache-2.0
"""Operations on a real cluster: database, worker, driver and kubelet.

Everything but the API and the executables, whose tests are beside this
one; what is asked for here is asked as the API does.
"""

import base64
import io
import tarfile
import threading

import fixtures

from zun.common import exception
from zun.common.k8s import client
from zun.container.k8s import base as driver_base
from zun.container.k8s import pod
from zun.container.k8s import power
from zun import objects
from zun.tests import base
from zun.tests.lab import cloud
from zun.tests.lab import cluster
from zun.tests.lab import gate

# Seconds for which the API server is away.
AWAY = 30.0
SAYS = ['sh', '-c', 'trap "exit 0" TERM; trap "echo trapped" USR1; '
        'echo hello; while true; do sleep 0.1; done']

MEMORY_LIMIT = ('sh -c "cat /sys/fs/cgroup/memory.max '
                '/sys/fs/cgroup/memory/memory.limit_in_bytes 2>&-; true"')


class CloudTestCase(base.BaseTestCase):

    TIMEOUT = 600

    def setUp(self):
        super().setUp()
        self.cloud = self.useFixture(cloud.Cloud(self.kubeconfig()))

    def kubeconfig(self):
        return cluster.get().kubeconfig

    def create(self, **fields):
        return self.cloud.create(**{'command': SAYS, **fields})

    def run_in(self, container, command):
        """Exit code and output of a command."""
        done = self.cloud.ask('container_exec', container, command, True,
                              False)
        return done['exit_code'], done['output'].decode()

    def logs(self, container):
        return self.cloud.ask('container_logs', container, True, True,
                              False, 'all', None).decode()

    def wait_for_log(self, container, text):
        self.assertTrue(cloud.wait(
            lambda: text in self.logs(container)), self.logs(container))

    def act(self, verb, container, *args, status):
        """An operation, and the status it must end in."""
        self.cloud.ask('container_' + verb, container, *args)
        row = self.cloud.wait_for(container, status, 'Error')
        self.assertEqual(status, row.status, row.status_reason)
        return row

    def delete(self, *containers, force=True):
        for container in containers:
            self.cloud.ask('container_delete', container, force)
        for container in containers:
            self.cloud.wait_until_gone(container)

    def assertNothingLeft(self):
        """No Pod, Secret, port or namespace."""
        cloud.wait(lambda: not self.cloud.left_over())
        self.assertEqual({}, self.cloud.left_over())
        self.assertTrue(cloud.wait(lambda: self.cloud.cluster.find(
            client.NAMESPACES, self.cloud.namespace) is None))


class TestLife(CloudTestCase):

    def test_whole_life(self):
        container = self.create()
        self.assertEqual('Running', container.status)
        self.wait_for_log(container, 'hello')
        self.assertEqual((3, 'out\n'), self.run_in(
            container, "sh -c 'echo out; exit 3'"))
        self.cloud.ask('container_kill', container, 'USR1')
        self.wait_for_log(container, 'trapped')
        # A kill says Stopped, and what is true follows.
        self.cloud.wait_for(container, 'Running')
        row = self.act('stop', container, '5', status='Stopped')
        self.assertEqual(power.LAYER_LOST, row.status_reason)
        self.act('start', container, status='Running')
        self.assertTrue(cloud.wait(
            lambda: self.logs(container).count('hello') == 2))
        self.act('reboot', container, '2', status='Running')
        self.act('rebuild', container, True, status='Running')
        self.act('kill', container, 'SIGKILL', status='Stopped')
        self.delete(container, force=False)
        self.assertNothingLeft()

    def test_created_then_started(self):
        container = self.create(run=False)
        self.assertEqual('Created', container.status)
        self.assertEqual('', self.logs(container))
        self.act('start', container, status='Running')
        self.delete(container)
        self.assertNothingLeft()

    def test_running_one_is_not_deleted(self):
        container = self.create()
        self.cloud.ask('container_delete', container, False)
        self.cloud.wait_for(container, 'Error')
        # Nothing was taken from it, so the truth comes back.
        row = self.cloud.wait_for(container, 'Running')
        self.assertEqual(1, len(row.addresses))
        self.delete(container)
        self.assertNothingLeft()


class TestFields(CloudTestCase):

    def test_what_the_container_sees(self):
        container = self.create(
            environment={'GREETING': 'a $(HOME) b'}, workdir='/tmp',
            hostname='Web_1', memory='64', cpu=0.5, interactive=True,
            tty=True, labels={'any key': 'x'})
        self.assertEqual((0, 'a $(HOME) b\n'), self.run_in(
            container, 'sh -c \'echo "$GREETING"\''))
        self.assertEqual((0, '/tmp\n'), self.run_in(container, 'pwd'))
        self.assertEqual((0, 'web-1\n'), self.run_in(container, 'hostname'))
        self.assertEqual((0, '%d\n' % (64 << 20)), self.run_in(
            container, MEMORY_LIMIT))
        self.delete(container)

    def test_file(self):
        contents = bytes(range(256))
        container = self.create(mounts=[{
            'type': 'bind', 'destination': '/etc/zun.bin',
            'source': base64.b64encode(contents).decode()}])
        done = self.cloud.ask('container_exec', container,
                              'cat /etc/zun.bin', True, False)
        self.assertEqual(contents, done['output'])
        self.assertEqual(0, self.run_in(container, 'ls /etc/passwd')[0])
        self.delete(container)
        self.assertNothingLeft()

    def test_exposed_ports(self):
        container = self.create(exposed_ports={'80/tcp': {}})
        self.assertEqual([80], container.ports)
        self.assertEqual(1, len(container.security_groups))
        self.delete(container)
        self.assertNothingLeft()


class TestFailures(CloudTestCase):

    def assertError(self, *words, **fields):
        container = self.create(**fields)
        self.assertEqual('Error', container.status)
        for word in words:
            self.assertIn(word, container.status_reason)
        return container

    def test_no_such_image(self):
        container = self.assertError('not found', image='no-such-image:1')
        self.assertEqual({}, self.cloud.left_over())
        self.delete(container)
        self.assertNothingLeft()

    def test_image_that_is_never_pulled(self):
        container = self.assertError(
            'not present with pull policy of Never', image='nginx:none',
            image_pull_policy='never')
        self.delete(container)
        self.assertNothingLeft()

    def test_no_such_command(self):
        container = self.assertError('no such file', command=['/nosuch'])
        self.delete(container)
        self.assertNothingLeft()

    def test_exit_code(self):
        container = self.create(command=['sh', '-c', 'exit 3'])
        row = self.cloud.wait_for(container, 'Stopped')
        self.assertTrue(row.status_detail.startswith('Exited(3)'))
        self.delete(container, force=False)
        self.assertNothingLeft()

    def test_node_without_room(self):
        cloud.CONF.set_override('unschedulable_timeout', 3, 'kubernetes')
        self.addCleanup(cloud.CONF.clear_override, 'unschedulable_timeout',
                        'kubernetes')
        # Placement lets cpus be shared; the Pod asks for the whole of them.
        self.useFixture(fixtures.MockPatchObject(
            driver_base.KubernetesBase, 'settings', pod.Settings))
        node = objects.ComputeNode.get_by_name(self.cloud.context,
                                               self.cloud.host)
        first = self.create(cpu=0.5)
        container = self.assertError('Insufficient cpu', cpu=node.cpus)
        self.assertEqual(1, len(self.cloud.left_over()['pods']))
        self.delete(first, container)
        self.assertNothingLeft()


class TestByItself(CloudTestCase):
    """What happens to containers without being asked for."""

    def test_restart_policy(self):
        container = self.create(
            command=['sh', '-c', 'echo run; exit 4'],
            restart_policy={'Name': 'on-failure',
                            'MaximumRetryCount': '2'}, wait=False)
        self.cloud.wait_for(container, 'Stopped')
        row = self.cloud.row(container)
        self.assertTrue(row.container_id.endswith('-3'), row.container_id)
        self.delete(container)
        self.assertNothingLeft()

    def remove_pod(self, container):
        self.cloud.cluster.delete(
            client.PODS, container.container_id, self.cloud.namespace,
            grace=1)

    def test_removed_by_somebody(self):
        container = self.create()
        self.remove_pod(container)
        row = self.cloud.wait_for(container, 'Error')
        self.assertIn('No such container', row.status_reason)
        self.delete(container)
        self.assertNothingLeft()

    def test_removed_and_healed(self):
        container = self.create(restart_policy={'Name': 'always'})
        before = container.container_id
        self.remove_pod(container)
        self.assertTrue(cloud.wait(
            lambda: self.cloud.row(container).container_id != before))
        self.cloud.wait_for(container, 'Running')
        self.wait_for_log(container, 'hello')
        self.delete(container)
        self.assertNothingLeft()

    def test_auto_remove(self):
        container = self.create(auto_remove=True, command=['sleep', '1'],
                                wait=False)
        self.cloud.wait_until_gone(container)
        self.assertNothingLeft()

    def test_auto_heal(self):
        container = self.create(
            auto_heal=True, command=['sh', '-c', 'sleep 1000'],
            healthcheck={'test': 'test ! -e /tmp/ill', 'interval': 1,
                         'retries': 1})
        before = container.container_id
        self.assertTrue(cloud.wait(lambda: 'healthy' in (
            self.cloud.row(container).status_detail or '')))
        self.run_in(container, 'touch /tmp/ill')
        self.assertTrue(cloud.wait(
            lambda: self.cloud.row(container).container_id != before))
        self.cloud.wait_for(container, 'Running')
        self.delete(container)


class TestChanges(CloudTestCase):

    def test_resize(self):
        container = self.create(cpu=0.1, memory='64')
        changed = self.cloud.ask('container_update', container,
                                 {'memory': '128', 'cpu': 0.2})
        self.assertEqual(('128', 0.2), (changed.memory, changed.cpu))
        self.assertEqual((0, '%d\n' % (128 << 20)), self.run_in(
            container, MEMORY_LIMIT))
        self.assertEqual(1, self.logs(container).count('hello'))
        self.delete(container)

    def test_archives(self):
        container = self.create()
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode='w') as archive:
            member = tarfile.TarInfo('a file')
            member.size = 300000
            archive.addfile(member, io.BytesIO(b'\0\xff\n' * 100000))
        self.cloud.ask('container_put_archive', container, '/tmp',
                       base64.b64encode(file.getvalue()).decode(), True)
        data, stat = self.cloud.ask('container_get_archive', container,
                                    '/tmp/a file', True)
        self.assertEqual(('a file', 300000), (stat['name'], stat['size']))
        with tarfile.open(fileobj=io.BytesIO(
                base64.b64decode(data))) as archive:
            self.assertEqual(b'\0\xff\n' * 100000,
                             archive.extractfile('a file').read())
        self.assertRaises(exception.Invalid, self.cloud.ask,
                          'container_get_archive', container, '/none', True)
        self.delete(container)

    def test_processes_and_figures(self):
        container = self.create(name='box')
        top = self.cloud.ask('container_top', container, None)
        self.assertIn('PID', top['Titles'])
        self.assertIn('trapped', ' '.join(top['Processes'][0]))
        stats = self.cloud.ask('container_stats', container)
        self.assertEqual(('box', 64.0), (stats['CONTAINER'],
                                         stats['MEM LIMIT(MiB)']))
        self.assertGreater(stats['MEM USAGE(MiB)'], 0)
        self.delete(container)


class TestProjects(CloudTestCase):

    def test_many_come_and_go(self):
        """The namespace goes with the last one, and comes again."""
        for __ in range(3):
            containers = [self.create(wait=False, cpu=0.01, memory='16')
                          for __ in range(3)]
            for container in containers:
                self.cloud.wait_for(container, 'Running')
            self.delete(*containers)
        self.assertNothingLeft()


class TestApiServerAway(CloudTestCase):

    def kubeconfig(self):
        self.gate = self.useFixture(gate.Gate(super().kubeconfig()))
        return self.gate.kubeconfig

    def away(self, delay):
        """Take the API server away for a while, after so many seconds."""
        threading.Timer(delay, self.gate.close).start()
        opening = threading.Timer(delay + AWAY, self.gate.open)
        opening.start()
        self.addCleanup(opening.join)

    def test_during_creates(self):
        for delay in (0.05, 0.3):
            self.away(delay)
            container = self.create(wait=False)
            self.cloud.wait_for(container, 'Running', 'Error')
            self.assertRow(container)
            self.delete(container)
            self.assertNothingLeft()

    def assertRow(self, container):
        row = self.cloud.row(container)
        self.assertEqual(('Running', None, 1), (
            row.status, row.status_reason, len(row.addresses)))
        pods, __ = self.cloud.cluster.list(client.PODS,
                                           self.cloud.namespace)
        self.assertEqual([row.container_id],
                         [pod['metadata']['name'] for pod in pods])

    def test_during_a_delete(self):
        container = self.create()
        self.away(0.0)
        self.delete(container)
        self.assertNothingLeft()

    def test_changes_meanwhile_are_seen(self):
        container = self.create(command=['sh', '-c', 'sleep 5; exit 3'])
        self.away(0.0)
        row = self.cloud.wait_for(container, 'Stopped')
        self.assertTrue(row.status_detail.startswith('Exited(3)'))
        self.delete(container)
