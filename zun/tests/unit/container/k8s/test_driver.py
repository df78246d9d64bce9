# SPDX-License-Identifier: Apache-2.0
from zun.common import exception
from zun.common.k8s import client
from zun.common.k8s import errors as k8s_errors
from zun.container import driver
from zun.container import errors
from zun.container.k8s import driver as kubernetes
from zun.container.k8s import names
from zun.tests import base as tests_base
from zun.tests.unit.container.k8s import base
from zun.tests.unit.container.k8s import fakes

NODE = {'metadata': {'name': 'node-1'},
        'status': {'conditions': [{'type': 'Ready', 'status': 'True'}]}}


class TestLoad(tests_base.TestCase):

    def test_old_names_mean_kubernetes(self):
        for name in ('k8s', 'docker', 'cri'):
            self.config(container_driver=name, capsule_driver=name)
            for loaded in (driver.load_container_driver(),
                           driver.load_capsule_driver()):
                self.assertIsInstance(loaded, kubernetes.KubernetesDriver)

    def test_unknown_name(self):
        error = self.assertRaises(exception.ConfigInvalid,
                                  driver.load_container_driver, 'podman')
        self.assertIn('container_driver = podman', str(error))


class TestRemove(base.DriverTestCase):

    def remove(self, force=False):
        self.driver.remove(None, fakes.container(), force)

    def goes(self):
        self.cluster.happening.append(lambda: self.cluster.take_away(
            client.PODS, fakes.POD, fakes.NAMESPACE))

    def test_waits_for_the_node(self):
        self.put(fakes.running())
        self.goes()
        self.remove()
        self.assertEqual([], self.pods())
        self.assertEqual([(fakes.POD, None)], self.cluster.deletions)

    def test_force_hurries(self):
        """But leaves the node time to unplug the network: never 0."""
        self.put(fakes.running())
        self.goes()
        self.remove(force=True)
        self.assertEqual([(fakes.POD, 1)], self.cluster.deletions)

    def test_all_generations_and_secrets(self):
        container = fakes.container()
        self.driver.create(None, container, base.plan(
            credentials=('r.test', 'u', 'p'),
            mounts=[driver.Mount('k', '/etc/k', contents=b'x')]))
        self.driver.recreate(None, container)
        self.remove()
        self.assertEqual([], self.pods())
        self.assertEqual([], self.cluster.names(client.SECRETS))

    def test_nothing_there(self):
        self.remove()
        self.assertEqual([], self.cluster.deletions)

    def test_gone_between_two_calls(self):
        self.put(fakes.running())
        self.cluster.faults['delete', 'pods'] = [
            k8s_errors.NotFound('gone', status=404)]
        self.remove()

    def test_node_that_answers_is_waited_for_again(self):
        self.put(fakes.running())
        self.cluster.put(client.NODES, NODE)
        error = self.assertRaises(k8s_errors.Unavailable, self.remove)
        self.assertTrue(error.transient)
        self.assertEqual([fakes.POD], self.pods())

    def test_node_that_is_lost(self):
        self.put(fakes.running())
        lost = fakes.merged(NODE, {'status': {'conditions': [
            {'type': 'Ready', 'status': 'Unknown'}]}})
        self.cluster.put(client.NODES, lost)
        self.remove()
        self.assertEqual([], self.pods())
        self.assertEqual((fakes.POD, 0), self.cluster.deletions[-1])

    def test_node_that_is_no_more(self):
        self.put(fakes.running())
        self.remove()
        self.assertEqual([], self.pods())


class TestShow(base.DriverTestCase):

    def test_values(self):
        found = fakes.running(spec={'hostname': 'h',
                                    'runtimeClassName': 'kata'})
        self.put(found)
        values = self.driver.show(None, fakes.container())
        self.assertEqual(('Running', 'kata', 'h', []), tuple(
            values[key] for key in ('status', 'runtime', 'hostname',
                                    'ports')))

    def test_own_hostname_stays(self):
        self.put(fakes.running())
        self.assertNotIn('hostname', self.driver.show(
            None, fakes.container(hostname='mine')))

    def test_missing(self):
        self.assertRaises(errors.ContainerMissing, self.driver.show, None,
                          fakes.container())

    def test_never_made(self):
        error = self.assertRaises(
            exception.Invalid, self.driver.show, None,
            fakes.container(container_id=None))
        self.assertIn('uncreated', str(error))


class TestHoldBack(base.DriverTestCase):

    def hold_back(self):
        return self.driver.hold_back(None, fakes.container())

    def test_pod_that_waits_for_its_image(self):
        self.put(fakes.pod())
        values = self.hold_back()
        self.assertEqual([values['container_id']], self.pods())
        self.assertTrue(self.pod(values['container_id'])['spec'][
            'schedulingGates'])

    def test_nothing_to_do(self):
        for found in (fakes.gated(), fakes.running(), fakes.ended(1)):
            self.put(found)
            self.assertIsNone(self.hold_back())
            self.assertEqual([fakes.POD], self.pods())


class TestUpdate(base.DriverTestCase):

    LIMITS = {'limits': {'cpu': '2'}, 'requests': {'cpu': '125m'}}

    def update(self, **fields):
        return self.driver.update(None, fakes.container(**fields))

    def resized(self, **status):
        """The node does what it was asked for."""
        def happen():
            found = self.pod()
            found['status'].update(status)
            found['status']['containerStatuses'][0]['resources'] = (
                found['spec']['containers'][0]['resources'])
            self.cluster.put(client.PODS, found)
        self.cluster.happening.append(happen)

    def test_running_container(self):
        self.put(fakes.running())
        self.resized()
        self.assertEqual({}, self.update(cpu=2))
        self.assertEqual([(fakes.POD, 'resize', {'spec': {'containers': [
            {'name': 'main', 'resources': self.LIMITS}]}})],
            self.cluster.patches)

    def test_no_change(self):
        found = fakes.running()
        found['spec']['containers'][0]['resources'] = self.LIMITS
        self.put(found)
        self.assertEqual({}, self.update(cpu=2))
        self.assertEqual([], self.cluster.patches)

    def test_ended_container_gets_it_at_its_next_start(self):
        self.put(fakes.ended(0))
        self.assertEqual({}, self.update(cpu=2))
        self.assertEqual([], self.cluster.patches)

    def test_container_that_was_not_started(self):
        self.put(fakes.gated())
        values = self.update(cpu=2)
        self.assertEqual(names.pod_name(fakes.UUID, 2),
                         values['container_id'])
        self.assertEqual([values['container_id']], self.pods())

    def test_no_room_on_the_node(self):
        self.put(fakes.running())
        self.resized(conditions=[{'type': 'PodResizePending',
                                  'status': 'True'}])
        error = self.assertRaises(exception.Conflict, self.update, cpu=2)
        self.assertIn('no room', str(error))
        # Put back: without limits as before.
        self.assertEqual({}, self.cluster.patches[-1][2]['spec'][
            'containers'][0]['resources'])

    def test_cluster_that_refuses(self):
        self.put(fakes.running())
        for fault in (k8s_errors.Invalid('no', status=422),
                      k8s_errors.Forbidden('quota', status=403)):
            self.cluster.faults['patch', 'pods'] = [fault]
            self.assertRaises(exception.Conflict, self.update, cpu=2)


class TestNetwork(base.DriverTestCase):

    def test_change(self):
        self.put(fakes.running())
        network = driver.Network([{'id': 'p1'}])
        self.driver.change_network(None, fakes.container(), network)
        self.assertEqual([{'id': 'p1'}], self.driver.network_of(
            None, fakes.container()).vifs)
        self.driver.change_network(None, fakes.container(),
                                   driver.Network())
        self.assertNotIn(names.VIFS, self.pod()['metadata']['annotations'])

    def test_sandbox_that_takes_no_more_interfaces(self):
        network = driver.Network([{'id': 'p1'}])

        def change(found, network=network, cold=('kata',)):
            self.config(group='kubernetes',
                        cold_plug_runtime_classes=list(cold))
            self.put(found)
            return self.driver.change_network(None, fakes.container(),
                                              network)
        kata = {'spec': {'runtimeClassName': 'kata'}}
        self.assertTrue(change(fakes.running(**kata)))
        self.assertFalse(change(fakes.running()))
        self.assertFalse(change(fakes.running(**kata), cold=['other']))
        self.assertFalse(change(fakes.running(**kata), driver.Network()))
        self.assertFalse(change(fakes.ended(**kata)))

    def test_pod_of_another_container_life(self):
        """Another Pod of the same name is not touched."""
        self.put(fakes.running())
        seen = self.pod()
        self.cluster.take_away(client.PODS, fakes.POD, fakes.NAMESPACE)
        other = fakes.running(metadata={'uid': 'u2'})
        self.cluster.put(client.PODS, other)
        self.assertRaises(k8s_errors.Conflict, self.driver.patch_pod, seen,
                          {'spec': {}})
