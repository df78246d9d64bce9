# SPDX-License-Identifier: Apache-2.0

from zun.standalone.cluster import scheduler
from zun.tests import base


def node(name='n1', cpu='2', memory='1Gi', **spec):
    return {'metadata': {'name': name, 'labels': {'zone': 'a'}},
            'spec': spec, 'status': {'allocatable': {
                'cpu': cpu, 'memory': memory, 'pods': '2'}}}


def pod(cpu='100m', memory='64Mi', on=None, phase='Running', **spec):
    made = {'spec': {'containers': [{'resources': {'requests': {
        'cpu': cpu, 'memory': memory}}}], **spec},
        'status': {'phase': phase}}
    if on:
        made['spec']['nodeName'] = on
    return made


class PlaceTest(base.BaseTestCase):

    def assertRefused(self, text, wanted, nodes, pods=()):
        name, why = scheduler.place(wanted, nodes, list(pods))
        self.assertEqual('', name)
        self.assertIn(text, why)

    def test_fits(self):
        self.assertEqual(('n1', ''), scheduler.place(pod(), [node()], []))

    def test_the_emptier_node_is_chosen(self):
        self.assertEqual('n2', scheduler.place(
            pod(), [node(), node('n2')], [pod(on='n1')])[0])

    def test_what_runs_counts(self):
        self.assertRefused('0/1 nodes are available: 1 Insufficient cpu. ',
                           pod('1500m'), [node()], [pod('600m', on='n1')])

    def test_what_has_ended_does_not_count(self):
        self.assertEqual('n1', scheduler.place(
            pod('1500m'), [node()],
            [pod('600m', on='n1', phase='Failed')])[0])

    def test_reasons_are_counted(self):
        self.assertRefused('0/2 nodes are available: 2 Insufficient memory.',
                           pod(memory='2Gi'), [node(), node('n2')])

    def test_too_many_pods(self):
        self.assertRefused('1 Too many pods', pod(), [node()],
                           [pod(on='n1'), pod(on='n1')])

    def test_cordoned(self):
        self.assertRefused('1 node(s) were unschedulable', pod(),
                           [node(unschedulable=True)])

    def test_taint(self):
        taint = {'key': 'k', 'value': 'v', 'effect': 'NoSchedule'}
        self.assertRefused('1 node(s) had untolerated taint(s)', pod(),
                           [node(taints=[taint])])
        self.assertEqual('n1', scheduler.place(
            pod(tolerations=[{'key': 'k', 'operator': 'Exists'}]),
            [node(taints=[taint])], [])[0])

    def test_node_name_by_affinity(self):
        def affine(name):
            return pod(affinity={'nodeAffinity': {
                'requiredDuringSchedulingIgnoredDuringExecution': {
                    'nodeSelectorTerms': [{'matchFields': [{
                        'key': 'metadata.name', 'operator': 'In',
                        'values': [name]}]}]}}})
        nodes = [node(), node('n2')]
        self.assertEqual('n2', scheduler.place(affine('n2'), nodes, [])[0])
        self.assertRefused("2 node(s) didn't satisfy plugin(s) "
                           '[NodeAffinity]', affine('n3'), nodes)

    def test_init_containers_need_not_fit_at_once(self):
        self.assertEqual(
            {'cpu': 500, 'memory': 64 * 2 ** 20, 'ephemeral-storage': 0},
            scheduler.requests(pod(initContainers=[
                {'resources': {'requests': {'cpu': '500m'}}},
                {'resources': {'requests': {'cpu': '300m'}}}])['spec']))
