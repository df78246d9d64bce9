# SPDX-License-Identifier: Apache-2.0
"""What happens to containers behind Zun's back."""

import shutil

import grpc

from zun.common.k8s import client as k8s
from zun.container.runtime import containerd_pb2 as pb
from zun.tests.lab_faults import base
from zun.tests import processes


class TestDiskPressure(base.FaultTestCase):
    """On a node short of disk the kubelet removes ended containers."""

    def remove_container(self, box, source):
        channel = grpc.insecure_channel(self.lab.containerd)
        self.addCleanup(channel.close)
        # Its request has the identifier alone, as KeyRequest has.
        channel.unary_unary(
            '/runtime.v1.RuntimeService/RemoveContainer',
            request_serializer=pb.KeyRequest.SerializeToString)(
                pb.KeyRequest(key=box.id))
        shutil.rmtree(source.parent)

    def stopped(self, command=base.COUNTS):
        uuid = self.create(command)
        self.zun.act(uuid, 'stop', timeout=1)
        self.zun.wait_status(uuid, 'Stopped')
        return uuid, self.box(uuid)

    def test_layer_and_log_are_safe(self):
        uuid, box = self.stopped(base.DEAF)
        self.remove_container(box, self.runtime.log_path(box.id))
        saved = self.zun.directory / 'agent' / 'logs' / uuid / 'main'
        self.assertTrue((saved / '1.log').exists())
        self.zun.act(uuid, 'start')
        row = self.zun.wait_status(uuid, 'Running')
        self.assertIsNone(row['status_reason'])
        self.assertEqual('begun\n', self.file(uuid, '/mark'))
        self.clean_up(uuid)

    def test_removed_before_it_was_kept(self):
        uuid = self.create(['sh', '-c', 'test -e /mark && exit 1; '
                            'echo begun > /mark; sleep 8'])
        agent = self.zun.processes['zun-compute-agent']
        box = self.box(uuid)
        agent.kill()
        self.zun.wait_status(uuid, 'Stopped')
        self.remove_container(box, self.runtime.log_path(box.id))
        agent.begin()
        processes.wait_for('the user is told', lambda: 'is lost' in (
            self.zun.show(uuid)['status_reason'] or ''))
        self.zun.act(uuid, 'start')
        row = self.zun.wait_status(uuid, 'Running')
        self.assertIn('is lost', row['status_reason'])
        self.clean_up(uuid)


class TestPods(base.FaultTestCase):

    def pod_name(self, uuid):
        return max((pod['metadata']['name'] for pod in self.pods()
                    if uuid in pod['metadata']['name']),
                   key=lambda name: int(name.rpartition('-')[2]))

    def delete_pod(self, uuid):
        self.cluster.delete(k8s.PODS, self.pod_name(uuid),
                            self.namespaces()[0], grace=1)

    def evict(self, uuid):
        """What ``kubectl drain`` does to each Pod."""
        name, namespace = self.pod_name(uuid), self.namespaces()[0]
        self.cluster.create(
            k8s.Resource('/api/v1', 'pods/%s/eviction' % name), {
                'apiVersion': 'policy/v1', 'kind': 'Eviction',
                'metadata': {'name': name, 'namespace': namespace},
                'deleteOptions': {'gracePeriodSeconds': 1}}, namespace)

    def test_deleted(self):
        uuid = self.create()
        self.delete_pod(uuid)
        row = self.zun.wait_status(uuid, 'Error')
        self.assertIn('No such container', row['status_reason'])
        self.clean_up(uuid)

    def test_deleted_while_it_is_paused(self):
        uuid = self.create()
        self.zun.act(uuid, 'pause')
        self.zun.wait_status(uuid, 'Paused')
        self.delete_pod(uuid)
        self.zun.wait_status(uuid, 'Error')
        self.clean_up(uuid)

    def test_deleted_and_started_again(self):
        uuid = self.create(restart_policy={'Name': 'always'})
        before = self.pod_name(uuid)
        self.delete_pod(uuid)
        processes.wait_for('another Pod', lambda: self.pods() and
                           self.pod_name(uuid) != before)
        self.zun.wait_status(uuid, 'Running')
        self.clean_up(uuid)

    def test_drained(self):
        uuid = self.create()
        self.evict(uuid)
        row = self.zun.wait_status(uuid, 'Stopped')
        self.assertIn('Evict', row['status_reason'])
        self.clean_up(uuid)

    def test_drained_and_started_again(self):
        uuid = self.create(restart_policy={'Name': 'always'})
        before = self.pod_name(uuid)
        self.evict(uuid)
        processes.wait_for('another Pod', lambda: self.pods() and
                           self.pod_name(uuid) != before)
        self.zun.wait_status(uuid, 'Running')
        self.clean_up(uuid)
