# SPDX-License-Identifier: Apache-2.0
from zun.common import consts
from zun.common import exception
from zun.compute import container_actions as actions
from zun.container import driver
from zun.tests.unit.compute.operations import base
from zun.tests.unit.compute.operations import fakes

OTHER = {**fakes.REQUESTED, 'network': 'other'}


class NetworkTestCase(base.OperationTestCase):

    def put(self, **fields):
        container = self.put_container(**fields)
        self.engine.network = driver.Network([{'id': 'net-0'}],
                                             ['10.0.0.2'])
        return container

    def told(self, container):
        return {name.removeprefix('compute__').removeprefix('do_'): result
                for name, result in self.events(container)[1].items()}

    def plugged(self):
        return [vif['id'] for vif in self.engine.network.vifs]


class TestAttach(NetworkTestCase):

    def attach(self, container, requested=OTHER):
        return self.do('network_attach', container, actions.NETWORK_ATTACH,
                       requested_network=requested)

    def test_one_more(self):
        container = self.put()
        self.assertEqual('done', self.attach(container).state)
        self.assertEqual(['net-0', 'other-1'], self.plugged())
        self.assertEqual({'net', 'other'},
                         set(self.row(container).addresses))
        self.assertRow(container, task_state=None, status=consts.RUNNING)
        self.assertEqual({'network_attach': 'Success'},
                         self.told(container))

    def test_engine_refuses(self):
        """The port is given back."""
        container = self.put()
        self.engine.faults['change_network'] = [exception.Conflict('no')]
        self.assertEqual('failed', self.attach(container).state)
        self.assertEqual({'net-0': container.uuid}, self.network.ports)
        self.assertEqual(['net'], list(self.row(container).addresses))
        self.assertRow(container, task_state=None, status=consts.RUNNING)
        self.assertEqual({'network_attach': 'Error'}, self.told(container))

    def test_in_a_new_sandbox(self):
        container = self.put()
        self.engine.is_cold_plugged = True
        before = self.row(container).container_id
        self.assertEqual('done', self.attach(container).state)
        self.assertNotEqual(before, self.row(container).container_id)
        self.assertEqual(['net-0', 'other-1'], self.plugged())
        self.assertRow(container, task_state=None, status=consts.RUNNING)

    def test_neutron_refuses(self):
        container = self.put()
        self.network.faults['plug'] = [exception.ZunException('full')]
        self.assertIn('full', self.attach(container).error)
        self.assertEqual(['net-0'], self.plugged())

    def test_killed_at_any_moment(self):
        def start():
            container = self.put()
            return container, self.ask(
                'network_attach', container, actions.NETWORK_ATTACH,
                requested_network=OTHER)

        def check(container, task):
            self.assertEqual('done', task.state)
            self.assertEqual(2, len(self.network.ports))
            self.assertEqual(set(self.network.ports), set(self.plugged()))
            self.assertEqual({'net', 'other'},
                             set(self.row(container).addresses))

        self.kill_everywhere(start, check)


class TestDetach(NetworkTestCase):

    def detach(self, container, network='net'):
        return self.do('network_detach', container, actions.NETWORK_DETACH,
                       network=network)

    def test_last_one(self):
        container = self.put()
        self.assertEqual('done', self.detach(container).state)
        self.assertEqual(({}, []), (self.network.ports, self.plugged()))
        self.assertRow(container, addresses={}, task_state=None)
        self.assertEqual({'network_detach': 'Success'},
                         self.told(container))

    def test_not_on_it(self):
        container = self.put()
        self.assertIn('not on network', self.detach(
            container, 'other').error)
        self.assertEqual(['net'], list(self.row(container).addresses))

    def test_engine_refuses(self):
        container = self.put()
        self.engine.faults['change_network'] = [exception.Conflict('no')]
        self.assertEqual('failed', self.detach(container).state)
        self.assertEqual({}, self.network.ports)
        self.assertEqual(['net'], list(self.row(container).addresses))

    def test_repeated_after_a_failure(self):
        container = self.put()
        self.engine.faults['change_network'] = [exception.Conflict('no')]
        self.detach(container)
        self.assertEqual('done', self.detach(container).state)
        self.assertRow(container, addresses={})

    def test_killed_at_any_moment(self):
        def start():
            container = self.put()
            return container, self.ask(
                'network_detach', container, actions.NETWORK_DETACH,
                network='net')

        def check(container, task):
            self.assertEqual('done', task.state)
            self.assertEqual(({}, []), (self.network.ports, self.plugged()))
            self.assertRow(container, addresses={}, task_state=None)

        self.kill_everywhere(start, check)


class TestSecurityGroups(NetworkTestCase):

    def change(self, container, verb):
        action = {'add': actions.ADD_SECURITY_GROUP,
                  'remove': actions.REMOVE_SECURITY_GROUP}[verb]
        return self.do('%s_security_group' % verb, container, action,
                       security_group='g')

    def test_add_and_remove(self):
        container = self.put()
        self.change(container, 'add')
        self.assertEqual({'g'}, self.network.members[container.uuid])
        self.assertRow(container, security_groups=['g'], task_state=None)
        self.context.request_id = 'req-2'
        self.change(container, 'remove')
        self.assertEqual(set(), self.network.members[container.uuid])
        self.assertRow(container, security_groups=[], task_state=None)

    def test_neutron_refuses(self):
        container = self.put()
        self.network.faults['add_security_group'] = [
            exception.SecurityGroupCannotBeApplied('no')]
        self.change(container, 'add')
        self.assertRow(container, security_groups=[], task_state=None,
                       status=consts.RUNNING)
        self.assertEqual({'add_security_group': 'Error'},
                         self.told(container))

    def test_killed_at_any_moment(self):
        def start():
            container = self.put()
            return container, self.ask(
                'add_security_group', container,
                actions.ADD_SECURITY_GROUP, security_group='g')

        def check(container, task):
            self.assertEqual('done', task.state)
            self.assertRow(container, security_groups=['g'])

        self.kill_everywhere(start, check)
