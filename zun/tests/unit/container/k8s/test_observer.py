# SPDX-License-Identifier: Apache-2.0
import datetime

from zun.common.k8s import client
from zun.common.k8s import errors
from zun.common.k8s import watch
from zun.container.k8s import names
from zun.tests.unit.container.k8s import base
from zun.tests.unit.container.k8s import fakes
from zun.tests.unit.container.k8s import test_capsules

NOW = datetime.datetime(2026, 1, 2, 3, 4, 5)
OTHER = '99999999-2222-4333-8444-555555555555'


def ours(found, uuid=fakes.UUID, project=fakes.PROJECT):
    found['metadata']['labels'].update({
        names.CONTAINER: uuid, names.PROJECT: project})
    found['metadata']['name'] = names.pod_name(uuid, 1)
    return found


class ObserverTestCase(base.DriverTestCase):

    def setUp(self):
        super().setUp()
        self.observer = self.driver.observer()

    def changed(self, limit=10):
        return self.observer.changed(limit, 0)

    def look(self, **fields):
        return self.observer.look(fakes.container(**fields), NOW)


class TestChanges(ObserverTestCase):

    def test_nothing_before_the_list(self):
        self.observer.update(watch.Event('ADDED', ours(fakes.running())))
        self.assertEqual([], self.changed())
        self.observer.replace([ours(fakes.running())])
        self.assertEqual([fakes.UUID], self.changed())

    def test_many_changes_count_once(self):
        self.observer.replace([])
        for __ in range(3):
            self.observer.update(
                watch.Event('MODIFIED', ours(fakes.running())))
        self.assertEqual([fakes.UUID], self.changed())
        self.assertEqual([], self.changed())

    def test_limit(self):
        self.observer.replace([ours(fakes.running()),
                               ours(fakes.running(), OTHER)])
        self.assertEqual(1, len(self.changed(1)))
        self.assertEqual(1, len(self.changed(1)))

    def test_gone_while_nobody_watched(self):
        self.observer.replace([ours(fakes.running())])
        self.changed()
        self.observer.replace([])
        self.assertEqual([fakes.UUID], self.changed())
        self.assertEqual(set(), self.observer.known())

    def test_look_again(self):
        self.observer.replace([])
        self.observer.look_again([fakes.UUID], 3600)
        self.assertEqual([], self.changed())
        self.observer.look_again([fakes.UUID], 0)
        self.assertEqual([fakes.UUID], self.changed())

    def test_look_at_all(self):
        self.observer.replace([ours(fakes.running())])
        self.changed()
        self.observer.look_at_all()
        self.assertEqual([fakes.UUID], self.changed())

    def test_other_deployments(self):
        """Their prefix may begin with ours."""
        foreign = ours(fakes.running())
        foreign['metadata']['namespace'] = 'zun-test-' + fakes.PROJECT
        nobodys = ours(fakes.running())
        del nobodys['metadata']['labels'][names.PROJECT]
        self.observer.replace([foreign, nobodys])
        self.assertEqual([], self.changed())
        self.assertEqual(set(), self.observer.known())


class TestLook(ObserverTestCase):

    def test_running(self):
        self.observer.replace([ours(fakes.running())])
        seen = self.look()
        self.assertTrue(seen.present and seen.running)
        self.assertEqual('Running', seen.values['status'])

    def test_ended(self):
        found = ours(fakes.ended(3))
        found['metadata']['annotations'][names.RESTARTS] = '{"count": 1}'
        self.observer.replace([found])
        seen = self.look()
        self.assertEqual((True, 3, 9.0, '{"count": 1}'), (
            seen.ended, seen.exit_code, seen.ran, seen.restarts))

    def test_paused_as_the_row_says(self):
        self.observer.replace([ours(fakes.running())])
        self.assertEqual('Paused', self.look(status='Paused').values[
            'status'])

    def test_gone(self):
        self.assertFalse(self.look().present)

    def test_gone_for_a_reason(self):
        found = ours(fakes.pod({
            'phase': 'Failed', 'reason': 'Evicted', 'message': 'full'}))
        found['metadata']['annotations'][names.RESTARTS] = '{"count": 1}'
        self.observer.replace([found])
        self.observer.update(watch.Event('DELETED', found))
        seen = self.look()
        self.assertEqual((False, 'Evicted: full', '{"count": 1}'),
                         (seen.present, seen.note, seen.restarts))

    def test_newest_generation_counts(self):
        self.observer.replace([ours(fakes.ended(0))])
        self.assertFalse(self.look(
            container_id=names.pod_name(fakes.UUID, 2)).present)

    def test_capsule(self):
        capsule = test_capsules.make_capsule()
        self.assertIsNone(self.observer.look_into(capsule, NOW))
        self.observer.replace([ours(fakes.running())])
        self.assertEqual(
            {fakes.UUID, fakes.MEMBER, test_capsules.INIT},
            set(self.observer.look_into(capsule, NOW)))


class TestRemoval(ObserverTestCase):

    def test_unknown(self):
        found = self.put(ours(fakes.ended(0)))
        self.observer.replace([found])
        self.observer.remove_unknown([fakes.UUID])
        self.assertEqual([], self.pods())

    def test_unknown_that_went(self):
        self.observer.replace([ours(fakes.ended(0))])
        self.observer.remove_unknown([fakes.UUID])
        self.assertEqual(1, self.cluster.count('delete', client.PODS))

    def test_unknown_that_was_made_again(self):
        found = self.put(ours(fakes.running()))
        self.observer.replace([found])
        self.cluster.faults['delete', 'pods'] = [errors.Conflict('uid')]
        self.observer.remove_unknown([fakes.UUID])
        self.assertEqual([found['metadata']['name']], self.pods())


class TestProjects(ObserverTestCase):

    def test_ours_alone(self):
        for name, project in ((fakes.NAMESPACE, fakes.PROJECT),
                              ('zun-test-x', 'x'), ('zun-y', None)):
            self.cluster.put(client.NAMESPACES, {'metadata': {
                'name': name, 'labels': {names.MANAGED: 'true'},
                'annotations': {names.PROJECT: project}
                if project else None}})
        self.assertEqual([fakes.PROJECT], self.observer.projects())
