# SPDX-License-Identifier: Apache-2.0
"""Manifests of containers, case by case."""

from zun.common import exception
from zun.container.k8s import pod
from zun.tests import base
from zun.tests.unit.container.k8s import fakes
from zun.tests.unit.container.k8s import manifests

PLAIN = {'row': {}, 'around': {}, 'settings': {}}


class TestContainerPod(base.BaseTestCase):

    def test_container_that_asks_for_nothing(self):
        self.assertEqual({
            'apiVersion': 'v1', 'kind': 'Pod',
            'metadata': {
                'name': fakes.POD, 'namespace': fakes.NAMESPACE,
                'labels': {
                    'zun.openstack.org/managed': 'true',
                    'zun.openstack.org/container': fakes.UUID,
                    'zun.openstack.org/generation': '1',
                    'zun.openstack.org/project': fakes.PROJECT,
                    'zun.openstack.org/kind': 'container'},
                'annotations': {}},
            'spec': {
                'restartPolicy': 'Never',
                'terminationGracePeriodSeconds': 10,
                'automountServiceAccountToken': False,
                'enableServiceLinks': False,
                'hostname': '111111112222', 'dnsPolicy': 'Default',
                'runtimeClassName': 'kata',
                'schedulingGates': [{'name': 'zun.openstack.org/start'}],
                'containers': [{'name': 'main', 'image': 'busybox:1',
                                'imagePullPolicy': 'Always'}]},
        }, manifests.make(PLAIN))

    def test_fields(self):
        plain = manifests.make(PLAIN)
        for case in fakes.vectors('containers'):
            made = manifests.make(case)
            wanted = fakes.merged(plain, case['differs'])
            self.assertEqual(wanted, made, case['name'])

    def test_same_arguments_make_the_same_manifest(self):
        for case in fakes.vectors('containers'):
            self.assertEqual(manifests.make(case), manifests.make(case))

    def test_network_that_multus_gives(self):
        def annotations(**settings):
            return pod.container_pod(
                fakes.container(), pod.Surroundings(fakes.NAMESPACE),
                pod.Settings(**settings))['metadata']['annotations']
        key = 'v1.multus-cni.io/default-network'
        self.assertNotIn(key, annotations())
        self.assertEqual('zun-system/zun-cni', annotations(
            multus_network='zun-system/zun-cni')[key])

    def test_privileged_needs_a_runtime_class_that_allows_it(self):
        for runtime, allowed in ((None, ()), ('runc', ('kata',))):
            error = self.assertRaises(
                exception.Invalid, pod.container_pod,
                fakes.container(privileged=True, runtime=runtime),
                pod.Surroundings(fakes.NAMESPACE),
                pod.Settings(privileged_runtime_classes=allowed))
            self.assertIn('Privileged', str(error))

    def test_unknown_pull_policy(self):
        error = self.assertRaises(exception.Invalid, pod.pull_policy,
                                  'sometimes')
        self.assertIn('sometimes', str(error))

    def test_file_in_two_containers_is_one_volume(self):
        item = pod.Mount({'name': 'v'}, {'name': 'v', 'mountPath': '/a'})
        spec = pod.frame(
            fakes.container(), pod.Surroundings(
                fakes.NAMESPACE, mounts={'a': [item], 'b': [item]}),
            pod.Settings())['spec']
        self.assertEqual([{'name': 'v'}], spec['volumes'])
