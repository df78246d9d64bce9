# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
from unittest import mock

from zun.common.k8s import client
from zun.common.k8s import errors as k8s_errors
from zun.container import driver
from zun.container.k8s import layers
from zun.container.k8s import names
from zun.container.runtime import base as runtime_base
from zun.tests import base as tests_base
from zun.tests.unit.container.k8s import base
from zun.tests.unit.container.k8s import fakes

KEPT_1 = 'zun.local/kept/%s/main:1' % fakes.UUID
BASE = driver.Image('busybox@sha256:1', 'ifnotpresent')


def kept(images, note=None, found=None):
    """A Pod of which something is kept."""
    found = found or fakes.ended(3)
    found['metadata']['annotations'][names.KEPT] = layers.Kept(
        images, note).dump()
    return found


class TestNextImages(tests_base.TestCase):

    def next(self, former, current=BASE):
        images, origins = layers.next_images(former, {'main': current})
        return images['main'], origins

    def test_layer_that_was_kept(self):
        self.assertEqual(
            (driver.Image(KEPT_1, 'never'),
             {'main': ['busybox@sha256:1', 'ifnotpresent']}),
            self.next(kept({'main': KEPT_1})))

    def test_nobody_kept_it(self):
        self.assertEqual((BASE, {}), self.next(fakes.ended(3)))

    def test_it_could_not_be_kept(self):
        self.assertEqual((BASE, {}), self.next(kept({}, 'no room')))

    def second(self, found):
        """A Pod that was made from a layer."""
        found['metadata']['annotations'][names.ORIGINS] = json.dumps(
            {'main': list(BASE[:2])})
        return found

    def test_later_one_goes_back_to_the_first_image(self):
        former = self.second(fakes.ended(3))
        self.assertEqual((BASE, {}), self.next(
            former, driver.Image(KEPT_1, 'never')))

    def test_what_has_not_run_goes_on_with_the_layer(self):
        former = self.second(fakes.gated())
        self.assertEqual(
            (driver.Image(KEPT_1, 'never'), {'main': list(BASE[:2])}),
            self.next(former, driver.Image(KEPT_1, 'never')))


class KeepTestCase(base.DriverTestCase):

    def setUp(self):
        super().setUp()
        self.runtime = self.driver.runtime = mock.Mock(
            spec=runtime_base.Runtime)
        self.runtime.logs = mock.Mock()
        self.runtime.log_path.return_value = pathlib.Path('/l/0.log')
        self.runtime.find.return_value = runtime_base.RuntimeContainer(
            'c1', runtime_base.State.STOPPED)
        self.runtime.list_images.return_value = []
        self.runtime.commit.side_effect = (
            lambda container_id, name, labels: runtime_base.RuntimeImage(
                name, 'sha256:1'))

    def keep(self, found):
        self.put(found)
        return self.driver.keep(None, fakes.container())

    def noted(self):
        return layers.kept_of(self.pod())


class TestKeep(KeepTestCase):

    def test_layer_and_log(self):
        self.assertIsNone(self.keep(fakes.ended(3)))
        self.assertEqual(({'main': KEPT_1}, None, True), self.noted())
        self.runtime.logs.save.assert_called_once_with(
            fakes.UUID, 'main', 1, pathlib.Path('/l/0.log'))

    def test_labels_say_whose_it_is(self):
        self.keep(fakes.ended(3))
        self.assertEqual({
            'zun.openstack.org/container': fakes.UUID,
            'zun.openstack.org/deployment': 'zun-'},
            self.runtime.commit.call_args[0][2])

    def test_what_runs_is_left_alone(self):
        for found in (fakes.running(), fakes.gated()):
            self.assertIsNone(self.keep(found))
        self.runtime.commit.assert_not_called()

    def test_once(self):
        self.assertEqual('no room', self.keep(kept({}, 'no room')))
        self.runtime.commit.assert_not_called()

    def test_ended_before_its_pod_has(self):
        found = fakes.ended(3)
        found['status']['phase'] = 'Running'
        found['spec']['restartPolicy'] = 'Never'
        self.keep(found)
        self.assertEqual({'main': KEPT_1}, self.noted().images)

    def test_node_has_removed_it(self):
        self.runtime.find.return_value = None
        self.assertIn('removed', self.keep(fakes.ended(3)))
        self.assertEqual({}, self.noted().images)

    def test_runtime_refuses(self):
        self.runtime.commit.side_effect = runtime_base.RuntimeError('full')
        self.assertIn('full', self.keep(fakes.ended(3)))

    def test_runtime_away(self):
        self.runtime.commit.side_effect = runtime_base.RuntimeUnavailable('x')
        self.assertRaises(k8s_errors.Unavailable, self.keep, fakes.ended(3))
        self.assertIsNone(self.noted())

    def test_log_that_can_not_be_read(self):
        self.runtime.logs.save.side_effect = OSError('bad disk')
        self.assertIsNone(self.keep(fakes.ended(3)))
        self.assertEqual(({'main': KEPT_1}, None, False), self.noted())

    def test_layer_of_one_that_never_ran(self):
        found = fakes.pod({'phase': 'Failed', 'reason': 'Evicted'})
        found['spec']['containers'][0]['image'] = KEPT_1
        found['metadata']['labels'][names.GENERATION] = '2'
        self.runtime.find.return_value = None
        self.keep(found)
        self.assertEqual({'main': KEPT_1}, self.noted().images)

    def test_layers_before_go(self):
        before = 'zun.local/kept/%s/main:0' % fakes.UUID
        self.runtime.list_images.return_value = [
            runtime_base.RuntimeImage(name, 'sha256:1')
            for name in (before, KEPT_1)]
        self.keep(fakes.ended(3))
        self.runtime.remove_image.assert_called_once_with(before)

    def test_without_a_runtime(self):
        self.driver.runtime = None
        self.assertIsNone(self.keep(fakes.ended(3)))
        self.assertIsNone(self.noted())


class TestIsKept(KeepTestCase):

    def test_by_what_the_pod_says(self):
        for found, known in ((fakes.running(), True),
                             (fakes.ended(3), False),
                             (kept({'main': KEPT_1}), True)):
            self.put(found)
            self.assertEqual(known, self.driver.is_kept(
                None, fakes.container()))


class TestInUse(KeepTestCase):

    def in_use(self, found):
        self.put(found)
        return self.driver.images_in_use(fakes.container())

    def test_of_a_stopped_one(self):
        self.assertEqual(({'busybox:1', KEPT_1}, True),
                         self.in_use(kept({'main': KEPT_1})))

    def test_of_a_running_one(self):
        found = fakes.running()
        found['spec']['containers'][0]['image'] = KEPT_1
        self.assertEqual(({KEPT_1}, False), self.in_use(found))

    def test_nobody_knows(self):
        self.assertIsNone(self.driver.images_in_use(fakes.container()))

    def test_given_up(self):
        self.put(kept({'main': KEPT_1}))
        note = self.driver.give_up_layer(fakes.container(), KEPT_1)
        self.assertIn('kept_layers_size', note)
        self.assertEqual(({}, note, False), self.noted())

    def test_not_given_up_when_it_is_needed(self):
        self.put(fakes.running())
        self.assertIsNone(self.driver.give_up_layer(
            fakes.container(), KEPT_1))


class TestStart(KeepTestCase):

    def test_next_pod_is_made_from_the_layer(self):
        self.put(kept({'main': KEPT_1}))
        self.driver.recreate(None, fakes.container())
        made = self.cluster.get(client.PODS, 'zun-%s-2' % fakes.UUID,
                                fakes.NAMESPACE)
        item, = made['spec']['containers']
        self.assertEqual((KEPT_1, 'Never'),
                         (item['image'], item['imagePullPolicy']))
        self.assertEqual({'main': ['busybox:1', 'always']},
                         layers.origins_of(made))
