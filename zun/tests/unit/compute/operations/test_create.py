# SPDX-License-Identifier: Apache-2.0
import datetime

from zun.common import consts
from zun.common import exception
from zun.common.k8s import errors as k8s_errors
from zun.container import driver
from zun.container import errors
from zun import objects
from zun.tests.unit.compute.operations import base
from zun.tests.unit.compute.operations import fakes
from zun.tests.unit.container import fake_driver

NO_IMAGE = errors.StartFailed('x: not found', 'ErrImagePull', True)
NO_ROOM = errors.StartFailed('no room', 'Unschedulable', True)
NO_COMMAND = errors.StartFailed('no such file', 'StartError')


class TestCreate(base.OperationTestCase):

    def test_run(self):
        container = self.new_container()
        self.run_task(self.create(container))
        self.assertRunsOnce(container)
        self.assertRow(container, status=consts.RUNNING, task_state=None,
                       host=base.HOST, status_reason=None)
        self.assertEqual(
            (None, {'create': 'Success',
                    'start': 'Success'}),
            self.events(container))

    def test_times(self):
        container = self.new_container()
        self.run_task(self.create(container))
        self.assertIsInstance(self.row(container).started_at,
                              datetime.datetime)

    def test_without_run(self):
        container = self.new_container()
        self.run_task(self.create(container, run=False))
        self.assertRunsOnce(container, fake_driver.CREATED)
        self.assertRow(container, status=consts.CREATED,
                       status_detail='Created', task_state=None,
                       started_at=None)
        self.assertEqual((None, {'create': 'Success'}),
                         self.events(container))

    def test_addresses_and_container_id(self):
        container = self.new_container()
        self.run_task(self.create(container))
        row = self.row(container)
        self.assertEqual(['net'], list(row.addresses))
        self.assertEqual([row.container_id], list(self.engine.containers))

    def test_plan(self):
        container = self.new_container()
        self.run_task(self.create(container))
        plan = self.engine.plan
        self.assertEqual('busybox', plan.images[container.uuid].reference)
        self.assertEqual([{'id': 'net-1'}], plan.network.vifs)
        self.assertEqual(['10.0.0.2'], plan.network.nameservers)

    def test_exposed_ports(self):
        container = self.new_container(exposed_ports={'80/tcp': {}},
                                       security_groups=['mine'])
        self.run_task(self.create(container))
        group, = self.network.groups
        self.assertRow(container, security_groups=['mine', group])

    def test_own_port(self):
        container = self.new_container()
        self.network.ports['mine'] = ''
        self.run_task(self.create(container, networks=[
            {**fakes.REQUESTED, 'port': 'mine',
             'preserve_on_delete': True}]))
        self.assertEqual({'mine': container.uuid}, self.network.ports)

    def test_default_disk(self):
        self.config(default_disk=7)
        container = self.new_container()
        self.run_task(self.create(container))
        self.assertRow(container, disk=7)

    def no_disk_quota(self):
        node = objects.ComputeNode.get_by_name(self.context, base.HOST)
        node.disk_quota_supported = False
        node.save(self.context)

    def test_host_that_cannot_limit_disks(self):
        self.no_disk_quota()
        container = self.new_container(disk=5)
        task = self.run_task(self.create(container))
        self.assertIn('disk quota', task.error)
        self.assertRow(container, status=consts.ERROR)
        self.assertNothingLeft(container)

    def test_no_disk_asked_for_there(self):
        self.no_disk_quota()
        container = self.new_container()
        self.run_task(self.create(container))
        self.assertRow(container, disk=0, status=consts.RUNNING)

    def test_request_without_an_action(self):
        container = self.new_container()
        self.assertIn('ContainerActionNotFound', self.failed(
            'container_create', container, limits={},
            requested_networks=[], requested_volumes={}, run=True))
        self.assertRow(container, status=consts.CREATING)


class TestFailures(base.OperationTestCase):

    def fail_with(self, error, *methods, container=None, **kwargs):
        container = container or self.new_container()
        for method in methods:
            self.engine.faults[method] = [error]
        task = self.run_task(self.create(container, **kwargs))
        self.assertEqual('failed', task.state)
        return container

    def test_no_such_image(self):
        container = self.fail_with(NO_IMAGE, 'await_start')
        self.assertNothingLeft(container)
        self.assertRow(container, status=consts.ERROR, task_state=None,
                       status_reason='x: not found', container_id=None,
                       host=base.HOST, addresses={})
        message, told = self.events(container)
        self.assertEqual(consts.ERROR, told['start'])
        self.assertEqual(consts.ERROR, message)

    def test_no_room_on_the_node(self):
        container = self.fail_with(NO_ROOM, 'await_start')
        self.assertNothingLeft(container)
        self.assertRow(container, status=consts.ERROR, host=None,
                       status_reason='no room')

    def test_no_such_command(self):
        """There is a container to look at, and to start again."""
        container = self.fail_with(NO_COMMAND, 'await_start')
        self.assertRunsOnce(container, fake_driver.CREATED)
        self.assertRow(container, status=consts.ERROR, task_state=None,
                       status_reason='no such file', host=base.HOST)
        self.assertIsNotNone(self.row(container).container_id)

    def test_engine_refuses(self):
        container = self.fail_with(exception.Invalid('privileged'),
                                   'create')
        self.assertNothingLeft(container)
        self.assertRow(container, status=consts.ERROR, host=None,
                       status_reason='privileged', container_id=None)

    def test_neutron_refuses(self):
        container = self.new_container()
        self.network.faults['plug'] = [exception.ZunException('full')]
        self.run_task(self.create(container))
        self.assertNothingLeft(container)
        self.assertRow(container, status=consts.ERROR, addresses={},
                       status_reason='full')
        self.assertEqual(
            consts.ERROR, self.events(container)[1]['create'])

    def test_second_of_two_ports(self):
        container = self.new_container()
        self.network.half = 1
        self.run_task(self.create(container, networks=[
            fakes.REQUESTED, {**fakes.REQUESTED, 'network': 'other'}]))
        self.assertNothingLeft(container)
        self.assertRow(container, status=consts.ERROR)

    def test_own_port_is_given_back(self):
        container = self.new_container()
        self.network.ports['mine'] = ''
        self.engine.faults['create'] = [exception.Invalid('x')]
        self.run_task(self.create(container, networks=[
            {**fakes.REQUESTED, 'port': 'mine',
             'preserve_on_delete': True}]))
        self.assertEqual({'mine': ''}, self.network.ports)

    def test_own_group_is_given_back(self):
        container = self.new_container(exposed_ports={'80/tcp': {}},
                                       security_groups=['mine'])
        self.fail_with(exception.Invalid('x'), 'create',
                       container=container)
        self.assertNothingLeft(container)
        self.assertRow(container, security_groups=['mine'])

    def test_host_is_full(self):
        container = self.fail_with(None, limits={'cpu': 0.5})
        self.assertNothingLeft(container)
        self.assertIn('Insufficient', self.row(container).status_reason)

    def test_namespace_is_tidied(self):
        self.fail_with(NO_IMAGE, 'await_start')
        self.assertIn('tidy', self.engine.calls)

    def test_undo_that_fails_is_repeated(self):
        """And still knows what the failure was."""
        container = self.new_container()
        self.engine.faults['await_start'] = [NO_IMAGE]
        self.engine.faults['remove'] = [k8s_errors.Unavailable('away')]
        task = self.run_task(self.create(container))
        self.assertEqual('failed', task.state)
        self.assertNothingLeft(container)
        self.assertRow(container, status=consts.ERROR,
                       status_reason='x: not found', host=base.HOST)


class TestWaiting(base.OperationTestCase):

    def starting(self, *answers):
        self.engine.starting = list(answers)

    def create_one(self):
        container = self.new_container()
        return container, self.run_task(self.create(container))

    def test_slow_image(self):
        self.starting(*[driver.Started(False)] * 3)
        container, __ = self.create_one()
        self.assertRow(container, status=consts.RUNNING)

    def test_queue_is_not_held_up(self):
        """The task waits, and no attempt is used up."""
        self.starting(*[driver.Started(False)] * 3)
        container = self.new_container()
        uuid = self.create(container)
        self.attempt(uuid)
        task = self.task(uuid)
        self.assertEqual(('ready', 0), (task.state, task.attempt))
        self.run_task(uuid)
        self.assertRunsOnce(container)

    def test_time_is_over(self):
        self.config(group='kubernetes', start_timeout=1)
        self.starting(driver.Started(False))
        container, __ = self.create_one()
        self.assertNothingLeft(container)
        self.assertIn('did not start within',
                      self.row(container).status_reason)

    def test_room_that_comes(self):
        self.config(group='kubernetes', unschedulable_timeout=60)
        self.starting(driver.Started(False, 'Unschedulable', 'full'))
        container, __ = self.create_one()
        self.assertRow(container, status=consts.RUNNING)

    def test_room_that_does_not_come(self):
        self.config(group='kubernetes', unschedulable_timeout=0)
        self.starting(driver.Started(False, 'Unschedulable', 'full'))
        container, __ = self.create_one()
        self.assertNothingLeft(container)
        self.assertRow(container, status=consts.ERROR, host=None,
                       status_reason='full')

    def test_registry_that_stays_away(self):
        self.config(group='kubernetes', image_pull_timeout=0)
        self.starting(driver.Started(False, 'ErrImagePull', 'away'))
        container, __ = self.create_one()
        self.assertNothingLeft(container)
        self.assertRow(container, status=consts.ERROR, host=base.HOST,
                       status_reason='away')


class TestApiServerAway(base.OperationTestCase):
    """A create ends well, whenever the API server goes away."""

    def test_any_call(self):
        for method in ('create', 'start', 'await_start', 'prune'):
            container = self.new_container()
            self.engine.faults[method] = [
                k8s_errors.Unavailable('away') for __ in range(3)]
            task = self.run_task(self.create(container))
            self.assertEqual('done', task.state, method)
            self.assertRunsOnce(container)
            self.clean_up(container)

    def test_for_good(self):
        container = self.new_container()
        self.engine.faults['create'] = [
            k8s_errors.Unavailable('away') for __ in range(99)]
        uuid = self.create(container)
        task = self.run_task(uuid)
        self.assertEqual('failed', task.state)
        self.assertNothingLeft(container)


class TestKilled(base.OperationTestCase):
    """The worker dies at any moment; another one goes on."""

    def start(self, **kwargs):
        container = self.new_container(exposed_ports={'80/tcp': {}},
                                       security_groups=[])
        return container, self.create(container, **kwargs)

    def test_create(self):
        def check(container, task):
            self.assertEqual('done', task.state)
            self.assertRunsOnce(container)
            self.assertEqual(1, len(self.network.groups))
            self.assertRow(container, status=consts.RUNNING,
                           task_state=None)
            self.assertEqual(
                (None, {'create': 'Success',
                        'start': 'Success'}),
                self.events(container))

        self.kill_everywhere(self.start, check)

    def test_create_that_fails(self):
        def start():
            self.engine.faults['await_start'] = [NO_IMAGE] * 9
            return self.start()

        def check(container, task):
            self.assertEqual('failed', task.state)
            self.assertNothingLeft(container)
            self.assertRow(container, status=consts.ERROR,
                           task_state=None, container_id=None,
                           security_groups=[],
                           status_reason='x: not found')

        self.kill_everywhere(start, check)
