# SPDX-License-Identifier: Apache-2.0
"""What only the simulated cluster can do: faults, and its node's runtime."""

import io
import os

import fixtures
from kubernetes import client
from kubernetes import config
from kubernetes import watch
import urllib3

from zun.container.runtime import base as runtime_base
from zun.standalone.cluster import cluster
from zun.standalone.cluster import images
from zun.standalone.cluster import kubelet
from zun.standalone import runtime
from zun.tests import base
from zun.tests.functional.standalone import conformance

COUNT = ['sh', '-c', 'i=0; while :; do i=$((i+1)); echo $i; sleep 0.02; '
         'done']


class ClusterTestCase(base.BaseTestCase):

    wait_for = staticmethod(conformance.Conformance.wait_for)

    def setUp(self):
        super().setUp()
        self.root = self.useFixture(fixtures.TempDir()).path
        self.start()

    def start(self):
        self.cluster = cluster.Cluster(
            self.root, [kubelet.NodeSpec('n1')]).start()
        self.addCleanup(self.cluster.stop)
        configuration = client.Configuration()
        config.load_kube_config(self.cluster.kubeconfig(),
                                client_configuration=configuration)
        configuration.retries = False
        self.v1 = client.CoreV1Api(client.ApiClient(configuration))

    def run_pod(self, name='p', command=('sleep', '600')):
        self.v1.create_namespaced_pod('default', conformance.pod_body(
            name, list(command)))
        return self.wait_for(
            lambda: (lambda p: p if p.status.phase == 'Running' else None)(
                self.read(name)))

    def read(self, name='p'):
        return self.v1.read_namespaced_pod(name, 'default')


class ClusterTest(ClusterTestCase):

    def test_only_the_token_opens_it(self):
        for token in (None, 'forged'):
            answer = urllib3.PoolManager(cert_reqs='CERT_NONE').request(
                'GET', self.cluster.url + '/api/v1/pods',
                headers={'Authorization': 'Bearer %s' % token})
            self.assertEqual(401, answer.status)

    def test_secrets_on_disk_are_private(self):
        for name in ('token', 'tls.key', 'kubeconfig'):
            mode = os.stat(os.path.join(self.root, name)).st_mode
            self.assertEqual(0o600, mode & 0o777, name)

    def test_api_stopped_and_started(self):
        self.run_pod()
        self.cluster.stop_api()
        self.assertRaises(urllib3.exceptions.HTTPError, self.read)
        self.cluster.start_api()
        self.assertEqual('Running', self.read().status.phase)

    def test_faults(self):
        self.cluster.fault(status=500, times=1)
        self.assertRaises(client.ApiException, self.v1.list_node)
        self.cluster.fault(refuse=True, times=1)
        self.assertRaises(urllib3.exceptions.HTTPError, self.v1.list_node)
        self.assertEqual(1, len(self.v1.list_node().items))

    def test_an_answer_that_is_lost(self):
        self.cluster.fault(method='POST', path='/secrets$', lose=True,
                           times=1)
        self.assertRaises(
            urllib3.exceptions.HTTPError, self.v1.create_namespaced_secret,
            'default', {'metadata': {'name': 's'}})
        self.assertEqual('s', self.v1.read_namespaced_secret(
            's', 'default').metadata.name)

    def test_forgotten_events(self):
        version = self.v1.list_namespaced_secret(
            'default').metadata.resource_version
        self.v1.create_namespaced_secret('default',
                                         {'metadata': {'name': 's'}})
        self.cluster.compact()
        error = self.assertRaises(
            client.ApiException, list, watch.Watch().stream(
                self.v1.list_namespaced_secret, 'default',
                resource_version=version, timeout_seconds=5))
        self.assertEqual(410, error.status)

    def test_lost_node(self):
        self.run_pod()
        self.cluster.lose_node('n1')
        ready = {c.type: c.status
                 for c in self.v1.read_node('n1').status.conditions}
        self.assertEqual('Unknown', ready['Ready'])
        self.assertEqual('Running', self.read().status.phase)
        self.cluster.return_node('n1')
        self.wait_for(lambda: self.read().status.phase == 'Failed')
        ended = self.read().status.container_statuses[0].state.terminated
        self.assertEqual((255, 'Unknown'), (ended.exit_code, ended.reason))

    def test_deleted_node_takes_its_pods_along(self):
        self.run_pod()
        self.cluster.delete_node('n1')
        self.wait_for(lambda: not self.v1.list_pod_for_all_namespaces()
                      .items)

    def test_killed_for_memory(self):
        self.run_pod()
        self.cluster.kill_container('default', 'p', 'main', 'OOMKilled')
        self.wait_for(lambda: self.read().status.phase == 'Failed')
        ended = self.read().status.container_statuses[0].state.terminated
        self.assertEqual((137, 'OOMKilled'), (ended.exit_code,
                                              ended.reason))

    def test_new_image(self):
        self.cluster.add_image(images.Image(
            'mine:1', entrypoint=('sh', '-c'), command=('exit 6',)))
        self.v1.create_namespaced_pod('default', conformance.pod_body(
            'p', main={'image': 'mine:1'}))
        self.wait_for(lambda: self.read().status.phase == 'Failed')
        self.assertEqual(6, self.read().status.container_statuses[
            0].state.terminated.exit_code)

    def test_state_outlives_a_restart(self):
        self.run_pod()
        uid = self.read().metadata.uid
        self.cluster.stop()
        self.start()
        self.assertEqual(uid, self.read().metadata.uid)
        self.wait_for(lambda: self.read().status.phase == 'Failed')


class RuntimeTest(ClusterTestCase):
    """The agent's interface on a simulated node."""

    def setUp(self):
        super().setUp()
        self.runtime = runtime.Simulated(self.cluster, 'n1')

    def find(self, command):
        uid = self.run_pod(command=command).metadata.uid
        return self.runtime.find(uid, 'main')

    def log(self):
        return self.v1.read_namespaced_pod_log('p', 'default')

    def test_find(self):
        found = self.find(['sleep', '600'])
        self.assertEqual(runtime_base.State.RUNNING, found.state)
        self.assertIsNone(self.runtime.find('no-such-pod', 'main'))
        self.assertTrue(self.read().status.container_statuses[
            0].container_id.endswith(found.id))

    def test_signal_and_exit_code(self):
        found = self.find(['sh', '-c', 'trap "exit 9" HUP; echo up; '
                           'while :; do sleep 0.05; done'])
        self.wait_for(self.log)
        self.assertIsNone(self.runtime.wait(found.id, 0.05))
        self.runtime.signal(found.id, 1)
        self.assertEqual(9, self.runtime.wait(found.id, 30))
        self.assertRaises(runtime_base.ContainerGone, self.runtime.signal,
                          found.id, 1)

    def test_a_signal_that_is_none(self):
        found = self.find(['sleep', '600'])
        self.assertRaises(runtime_base.RuntimeError, self.runtime.signal,
                          found.id, 65)

    def test_pause(self):
        found = self.find(COUNT)
        self.wait_for(self.log)
        self.runtime.pause(found.id)
        frozen = self.log()
        self.assertEqual(runtime_base.State.PAUSED, self.runtime.find(
            self.read().metadata.uid, 'main').state)
        self.runtime.resume(found.id)
        self.wait_for(lambda: len(self.log()) > len(frozen) + 10)

    def test_stop_of_a_deaf_process(self):
        found = self.find(['sleep', '600'])
        self.assertEqual(137, self.runtime.stop(found.id, 0.1))

    def test_node_that_is_off(self):
        self.cluster.lose_node('n1')
        self.assertRaises(runtime_base.RuntimeUnavailable,
                          self.runtime.version)

    def test_image_of_a_container(self):
        found = self.find(['sh', '-c', 'echo text > file; sleep 600'])
        self.wait_for(lambda: self.stored(found, 'file'))
        made = self.runtime.commit(found.id, 'zun.local/x:1', {'a': 'b'})
        self.assertEqual({'a': 'b'}, made.labels)
        body = conformance.pod_body('q', ['sh', '-c', 'cat file; sleep 600'])
        body['spec']['containers'][0].update(
            image='zun.local/x:1', imagePullPolicy='Never')
        self.v1.create_namespaced_pod('default', body)
        self.wait_for(lambda: self.read('q').status.phase == 'Running' and
                      self.v1.read_namespaced_pod_log('q', 'default'))
        self.assertEqual('text\n', self.v1.read_namespaced_pod_log(
            'q', 'default'))

    def stored(self, found, name):
        """Make sure that a file is a part of the container's layer."""
        self.runtime.commit(found.id, 'zun.local/y:1')
        file = io.BytesIO()
        self.runtime.export_archive('zun.local/y:1', file)
        return name.encode() in file.getvalue()

    def test_image_from_an_archive(self):
        found = self.find(['sh', '-c', 'echo text > file; sleep 600'])
        self.wait_for(lambda: self.stored(found, 'file'))
        file = io.BytesIO()
        self.runtime.export_archive('zun.local/y:1', file)
        file.seek(0)
        made = self.runtime.import_archive(file, 'zun.local/glance/z:1',
                                           {'a': 'b'})
        self.assertEqual(made, self.runtime.usable('zun.local/glance/z:1'))
        self.assertEqual({'a': 'b'}, self.runtime.image(
            'zun.local/glance/z:1').labels)
        body = conformance.pod_body('q', ['sh', '-c', 'cat file; sleep 600'])
        body['spec']['containers'][0].update(
            image='zun.local/glance/z:1', imagePullPolicy='Never')
        self.v1.create_namespaced_pod('default', body)
        self.wait_for(lambda: self.read('q').status.phase == 'Running' and
                      self.v1.read_namespaced_pod_log('q', 'default'))

    def test_pull(self):
        made = self.runtime.pull('busybox')
        self.assertEqual(made, self.runtime.usable('busybox'))
        self.assertTrue(self.runtime.discard(made.digest, 'busybox'))
        self.assertIsNone(self.runtime.usable('busybox'))
        self.assertRaises(runtime_base.ObjectMissing, self.runtime.pull,
                          'no-such-image')
        private = '127.0.0.1:5051/team/private'
        self.assertRaises(runtime_base.RuntimeError, self.runtime.pull,
                          private)
        self.assertIsNotNone(self.runtime.pull(
            private, ('', 'puller', 'pull-secret')))

    def test_image_that_is_removed(self):
        found = self.find(['sleep', '600'])
        self.runtime.commit(found.id, 'zun.local/x:1')
        self.assertEqual(['zun.local/x:1'], [
            image.name for image in self.runtime.list_images('zun.local/')])
        self.runtime.remove_image('zun.local/x:1')
        self.runtime.remove_image('zun.local/x:1')
        self.assertIsNone(self.runtime.image('zun.local/x:1'))
        self.assertEqual([], self.runtime.list_images())

    def test_images_are_there_after_a_restart(self):
        found = self.find(['sleep', '600'])
        self.runtime.commit(found.id, 'zun.local/x:1', {'a': 'b'})
        self.cluster.stop()
        self.start()
        self.assertEqual({'a': 'b'}, runtime.Simulated(
            self.cluster, 'n1').image('zun.local/x:1').labels)
