# SPDX-License-Identifier: Apache-2.0
from zun.container import driver
from zun.container.k8s import capsule
from zun.container.k8s import pod
from zun.tests import base
from zun.tests.unit.container.k8s import fakes

INIT = 'init-uuid'


def make(members=None, init=(), **fields):
    if members is None:
        members = [fakes.container(uuid=fakes.MEMBER, command=['serve'])]
    images = {member.uuid: driver.Image(member.image, 'ifnotpresent')
              for member in [*members, *init]}
    return capsule.capsule_pod(
        fakes.container(**fields), init, members,
        pod.Surroundings(fakes.NAMESPACE, images=images))


class TestCapsulePod(base.BaseTestCase):

    def test_members_have_their_uuids_as_names(self):
        spec = make()['spec']
        self.assertEqual([{
            'name': fakes.MEMBER, 'image': 'busybox:1',
            'imagePullPolicy': 'IfNotPresent', 'args': ['serve']}],
            spec['containers'])
        self.assertNotIn('initContainers', spec)

    def test_kind(self):
        labels = make()['metadata']['labels']
        self.assertEqual('capsule', labels['zun.openstack.org/kind'])

    def test_init_container_without_probe(self):
        init = [fakes.container(uuid=INIT, healthcheck={'test': 'true'})]
        spec = make(init=init)['spec']
        self.assertEqual([{'name': INIT, 'image': 'busybox:1',
                           'imagePullPolicy': 'IfNotPresent'}],
                         spec['initContainers'])

    def test_restart_policies(self):
        for name, policy in (('always', 'Always'), ('no', 'Never'),
                             ('on-failure', 'OnFailure'),
                             ('unless-stopped', 'Always'),
                             (None, 'Always')):
            given = {'Name': name, 'MaximumRetryCount': '0'} if name else {}
            self.assertEqual(
                policy,
                make(restart_policy=given)['spec']['restartPolicy'])

    def test_id_of_a_member(self):
        self.assertEqual(
            '%s/%s' % (fakes.POD, fakes.MEMBER),
            capsule.member_id(fakes.POD, fakes.container(uuid=fakes.MEMBER)))
