# SPDX-License-Identifier: Apache-2.0
from zun.common import exception
from zun.common.k8s import client
from zun.container import driver
from zun.container import errors
from zun.tests.unit.container.k8s import base
from zun.tests.unit.container.k8s import fakes

INIT = '33333333-2222-4333-8444-555555555555'


def make_capsule(**fields):
    capsule = fakes.container(status='Running', **fields)
    capsule.containers = [fakes.container(
        uuid=fakes.MEMBER, exposed_ports={'80/tcp': {}})]
    capsule.init_containers = [fakes.container(uuid=INIT)]
    return capsule


def plan(credentials=(None, None), mounts=None):
    images = {uuid: driver.Image('busybox:1', 'ifnotpresent', one)
              for uuid, one in zip((fakes.MEMBER, INIT), credentials)}
    return driver.Plan(images, mounts=mounts or {})


class TestCreate(base.DriverTestCase):

    def test_rows(self):
        values = self.driver.create_capsule(None, make_capsule(), plan())
        self.assertEqual(
            {fakes.UUID: (fakes.POD, []),
             fakes.MEMBER: ('%s/%s' % (fakes.POD, fakes.MEMBER), [80]),
             INIT: ('%s/%s' % (fakes.POD, INIT), [])},
            {uuid: (row['container_id'], row['ports'])
             for uuid, row in values.items()})

    def test_secrets_are_the_capsules(self):
        mount = driver.Mount('k', '/etc/k', contents=b'x')
        self.driver.create_capsule(None, make_capsule(), plan(
            (('r.test', 'u', 'p'), None),
            {fakes.MEMBER: [mount], INIT: [mount]}))
        self.assertEqual(['zun-%s-file-k' % fakes.UUID,
                          'zun-%s-registry' % fakes.UUID],
                         self.cluster.names(client.SECRETS))

    def test_two_registries(self):
        self.assertRaises(
            exception.Invalid, self.driver.create_capsule, None,
            make_capsule(), plan((('a', 'u', 'p'), ('b', 'u', 'p'))))

    def test_start(self):
        self.driver.create_capsule(None, make_capsule(), plan())
        self.driver.start_capsule(None, make_capsule())
        self.assertEqual([], self.pod()['spec']['schedulingGates'])


class TestAwait(base.DriverTestCase):

    def await_capsule(self, status):
        found = fakes.pod(status)
        found['spec']['containers'][0]['name'] = fakes.MEMBER
        self.put(found)
        return self.driver.await_capsule(None, make_capsule(), 1)

    def waiting(self, reason, message=''):
        return {'phase': 'Pending', 'containerStatuses': [{
            'name': fakes.MEMBER, 'state': {'waiting': {
                'reason': reason, 'message': message}}}]}

    def test_running(self):
        self.assertTrue(self.await_capsule({'phase': 'Running'}).done)

    def test_not_yet(self):
        seen = self.await_capsule(self.waiting('ContainerCreating'))
        self.assertEqual((False, None), (seen.done, seen.reason))

    def test_registry_away(self):
        seen = self.await_capsule(self.waiting('ErrImagePull', 'refused'))
        self.assertEqual((False, 'ErrImagePull'), (seen.done, seen.reason))

    def test_no_such_image(self):
        error = self.assertRaises(
            errors.StartFailed, self.await_capsule,
            self.waiting('ErrImagePull', 'not found'))
        self.assertEqual('ErrImagePull', error.reason)

    def test_init_container_that_fails(self):
        error = self.assertRaises(errors.StartFailed, self.await_capsule, {
            'phase': 'Failed', 'initContainerStatuses': [{
                'name': INIT, 'state': {'terminated': {'exitCode': 4}}}]})
        self.assertIn('%s ended with exit code 4' % INIT, str(error))

    def test_removed(self):
        self.assertRaises(errors.ContainerMissing,
                          self.driver.await_capsule, None, make_capsule(), 1)


class TestShow(base.DriverTestCase):

    def test_all_rows(self):
        found = fakes.running()
        found['status']['startTime'] = '2026-01-02T03:00:00Z'
        found['spec']['containers'][0]['name'] = fakes.MEMBER
        found['status']['containerStatuses'][0]['name'] = fakes.MEMBER
        found['status']['initContainerStatuses'] = [{
            'name': INIT, 'state': {'terminated': {
                'exitCode': 0, 'startedAt': '2026-01-02T03:00:00Z',
                'finishedAt': '2026-01-02T03:00:01Z'}}}]
        self.put(found)
        values = self.driver.show_capsule(None, make_capsule())
        self.assertEqual(
            {fakes.UUID: 'Running', fakes.MEMBER: 'Running',
             INIT: 'Stopped'},
            {uuid: row['status'] for uuid, row in values.items()})
