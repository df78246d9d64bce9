# SPDX-License-Identifier: Apache-2.0
import fixtures

from zun.common.k8s import client
from zun.common.k8s import errors
from zun.container import driver
from zun.container.k8s import generations
from zun.container.k8s import layers
from zun.container.k8s import names
from zun.tests import base as tests_base
from zun.tests.unit.container.k8s import base
from zun.tests.unit.container.k8s import fakes

DIGEST = 'sha256:' + 'ab' * 32


def former(number, **fields):
    found = fakes.ended(0, **fields)
    found['metadata']['name'] = names.pod_name(fakes.UUID, number)
    found['metadata']['labels'][names.GENERATION] = str(number)
    return found


class TestMakePod(base.DriverTestCase):

    def make(self):
        return self.driver.create(None, fakes.container(), base.plan())

    def test_values_of_the_row(self):
        container = fakes.container(exposed_ports={'80/tcp': {}})
        self.assertEqual(
            {'container_id': fakes.POD, 'hostname': '111111112222',
             'runtime': 'kata', 'ports': [80]},
            self.driver.create(None, container, base.plan()))

    def test_again(self):
        first = self.make()
        self.assertEqual(first, self.make())
        self.assertEqual([fakes.POD], self.pods())

    def test_former_pod_of_that_name_is_still_going(self):
        found = fakes.running()
        found['metadata']['deletionTimestamp'] = '2026-01-02T03:04:05Z'
        self.put(found)
        error = self.assertRaises(errors.Unavailable, self.make)
        self.assertTrue(error.transient)

    def test_namespace_removed_between_two_calls(self):
        for fault in (errors.NotFound('gone', status=404),
                      errors.Terminating('going', status=403)):
            self.cluster.faults['create', 'pods'] = [fault]
            self.make()
            self.assertEqual([fakes.POD], self.pods())
            self.cluster.take_away(client.PODS, fakes.POD, fakes.NAMESPACE)

    def test_secrets(self):
        mounts = [driver.Mount('k', '/etc/k', contents=b'secret')]
        self.driver.create(None, fakes.container(), base.plan(
            credentials=('r.test', 'u', 'p'), mounts=mounts))
        self.assertEqual(['zun-%s-file-k' % fakes.UUID,
                          'zun-%s-registry' % fakes.UUID],
                         self.cluster.names(client.SECRETS))
        spec = self.pod()['spec']
        self.assertEqual([{'name': 'zun-%s-registry' % fakes.UUID}],
                         spec['imagePullSecrets'])
        self.assertEqual('zun-%s-file-k' % fakes.UUID,
                         spec['volumes'][0]['secret']['secretName'])

    def test_secret_of_an_earlier_attempt(self):
        credentials = ('r.test', 'u', 'p')
        plan = base.plan(credentials=credentials)
        self.driver.create(None, fakes.container(), plan)
        self.driver.create(None, fakes.container(), plan)
        self.assertEqual(1, self.cluster.count('patch', client.SECRETS))


class TestRecreate(base.DriverTestCase):

    def recreate(self, **kwargs):
        return self.driver.recreate(None, fakes.container(), **kwargs)

    def test_keeps_what_the_former_pod_had(self):
        self.driver.create(None, fakes.container(), base.plan(
            credentials=('r.test', 'u', 'p'),
            mounts=[driver.Mount('k', '/etc/k', contents=b'x')],
            network=driver.Network([{'id': 'p1'}], ['10.0.0.2'])))
        before = self.pod()
        values = self.recreate(restarts='{"count": 1}')
        after = self.pod(values['container_id'])
        self.assertEqual(before['spec'], after['spec'])
        self.assertEqual(names.pod_name(fakes.UUID, 2),
                         after['metadata']['name'])
        annotations = after['metadata']['annotations']
        self.assertEqual('[{"id": "p1"}]', annotations[names.VIFS])
        self.assertEqual('{"count": 1}', annotations[names.RESTARTS])

    def test_secrets_belong_to_both_pods(self):
        self.driver.create(None, fakes.container(),
                           base.plan(credentials=('r.test', 'u', 'p')))
        self.recreate()
        name, __, body = self.cluster.patches[-1]
        self.assertEqual('zun-%s-registry' % fakes.UUID, name)
        self.assertEqual(
            names.pod_name(fakes.UUID, 2),
            body['metadata']['ownerReferences'][0]['name'])

    def test_afresh(self):
        self.put(fakes.ended(0))
        values = self.recreate(plan=base.plan(image='other:2'))
        self.assertEqual('other:2', self.pod(values['container_id'])[
            'spec']['containers'][0]['image'])

    def test_afresh_without_a_former_pod(self):
        container = fakes.container(container_id=None)
        self.assertEqual(fakes.POD, self.driver.recreate(
            None, container, base.plan())['container_id'])

    def test_row_counts_where_it_has_changed(self):
        self.put(fakes.ended(0))
        values = self.driver.recreate(None, fakes.container(cpu=2))
        self.assertEqual('2', self.pod(values['container_id'])['spec'][
            'containers'][0]['resources']['limits']['cpu'])


class TestPrune(base.DriverTestCase):

    def prune(self, kept, pods=4):
        self.config('kubernetes', kept_generations=kept)
        for number in range(1, pods + 1):
            self.put(former(number))
        self.driver.prune(None, fakes.container(
            container_id=names.pod_name(fakes.UUID, pods)))
        return [int(name.rpartition('-')[2]) for name in self.pods()]

    def test_oldest_ones_go(self):
        self.assertEqual([3, 4], self.prune(1))

    def test_none_kept(self):
        self.assertEqual([4], self.prune(0))

    def test_no_more_than_are_kept(self):
        self.assertEqual([1, 2], self.prune(1, pods=2))

    def note_down(self, number, logged):
        found = former(number)
        found['metadata']['annotations'][names.KEPT] = layers.Kept(
            {}, logged=logged).dump()
        self.put(found)

    def prune_noted(self, agents):
        self.config('kubernetes', kept_generations=2)
        self.useFixture(fixtures.MockPatchObject(
            generations.streams, 'is_configured', return_value=agents))
        for number, logged in ((1, False), (2, True), (3, True)):
            self.note_down(number, logged)
        self.put(former(4))
        self.driver.prune(None, fakes.container(
            container_id=names.pod_name(fakes.UUID, 4)))
        return [int(name.rpartition('-')[2]) for name in self.pods()]

    def test_saved_logs_make_pods_superfluous(self):
        self.assertEqual([1, 4], self.prune_noted(agents=True))

    def test_saved_logs_that_nobody_asks_for(self):
        self.assertEqual([2, 3, 4], self.prune_noted(agents=False))


class TestImageOf(tests_base.BaseTestCase):

    def image(self, image, policy, image_id):
        found = fakes.ended(0)
        found['status']['containerStatuses'][0]['imageID'] = image_id
        return generations.image_of(found, {
            'name': 'main', 'image': image, 'imagePullPolicy': policy})

    def test_kept_layer(self):
        name = 'zun.local/kept/%s/main:1' % fakes.UUID
        self.assertEqual((name, 'never', None), self.image(
            name, 'Never', 'zun.local/kept/x/main@sha256:1'))

    def test_very_image_it_had(self):
        self.assertEqual(
            ('r.test/app@' + DIGEST, 'ifnotpresent', None),
            self.image('r.test/app:latest', 'Always', 'other@' + DIGEST))

    def test_never_pulled_stays_so(self):
        self.assertEqual('never', self.image(
            'app', 'Never', 'app@' + DIGEST).pull_policy)

    def test_digest_that_nobody_knows(self):
        self.assertEqual(
            ('app:1', 'always', None), self.image('app:1', 'Always', ''))
