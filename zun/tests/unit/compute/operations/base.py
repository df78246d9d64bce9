# SPDX-License-Identifier: Apache-2.0
"""Operations as a worker runs them: task by task, on real rows."""

import threading

import fixtures
import sqlalchemy as sa

from zun.common import consts
from zun.compute import container_actions as actions
from zun.compute import manager
from zun.compute.operations import starts
from zun.compute.tasks import execution
from zun.compute.tasks import queue
from zun.compute.tasks import registry
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy import task_models
from zun import objects
from zun.tests import base
from zun.tests import fixtures as zun_fixtures
from zun.tests.unit.compute.operations import fakes
from zun.tests.unit.container import fake_driver
from zun.tests.unit.db import utils

HOST = 'compute-1'
TASK = task_models.task
_OWNER = 'worker-1'
# Attempts after which something goes round in circles.
_MANY = 60


class Clock:
    """A clock on which each look takes a second."""

    def __init__(self):
        self._now = 0.0

    def monotonic(self):
        self._now += 1.0
        return self._now


class OperationTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(zun_fixtures.Database(in_file=True))
        self.config(group='task', poke=False)
        self.config(group='kubernetes', start_wait=1)
        objects.register_all()
        self.useFixture(fixtures.MockPatchObject(starts, 'time', Clock()))
        self.engine = fake_driver.FakeDriver()
        self.network = fakes.Network()
        self.placement = fakes.Placement()
        self.wire = fakes.Tripwire()
        sa.event.listen(db_api.get_engine(), 'commit',
                        lambda connection: self.wire.pass_moment())
        self.manager = manager.Manager()
        self.manager.parts = fakes.Parts(self.engine, self.network,
                                         self.placement, self.wire)
        closing = threading.Event()
        closing.set()
        self.executor = execution.Executor(
            registry.from_manager(self.manager), closing)
        self.context = utils.member()
        self.node = utils.create_test_compute_node(
            hostname=HOST, cpu_used=0.0, mem_used=0, mem_free=16384,
            disk_used=0, running_containers=0, disk_quota_supported=True,
            numa_topology=None)

    # -- rows ------------------------------------------------------------
    def new_container(self, cls=objects.Container, **fields):
        """A row as the API makes it, its allocation claimed."""
        values = {**utils.get_test_container(), **fakes.VALUES, **fields}
        container = cls(self.context, **{
            key: value for key, value in values.items()
            if key in cls.fields})
        container.create(self.context)
        self.placement.allocations[container.uuid] = {'VCPU': 1}
        return container

    def put_container(self, state=fake_driver.RUNNING, **fields):
        """A container that exists: row, engine, port, claim."""
        container = self.new_container(
            host=HOST, **{'status': consts.RUNNING, **fields})
        self.network.ports['net-0'] = container.uuid
        self.network.own_ports.add('net-0')
        container_id = self.engine.new_id(container)
        self.engine.containers[container_id] = [container.uuid, state]
        container.container_id = container_id
        if not fields.get('addresses'):
            container.addresses = {'net': [{
                'addr': '10.0.0.5', 'version': 4, 'port': 'net-0',
                'subnet_id': 's', 'preserve_on_delete': False}]}
        container.save(self.context)
        return container

    def row(self, container):
        return type(container).get_by_uuid(utils.admin(), container.uuid)

    def figures(self):
        """cpus and containers that the node counts."""
        node = objects.ComputeNode.get_by_name(self.context, HOST)
        return node.cpu_used, node.running_containers

    def events(self, container):
        """What a request's action says: its message, and its events."""
        action = objects.ContainerAction.get_by_request_id(
            self.context, container.uuid, self.context.request_id)
        found = objects.ContainerActionEvent.get_by_action(
            self.context, action.id)
        return action.message, {
            event.event.removeprefix('compute__do_container_'): event.result
            for event in found}

    # -- tasks -----------------------------------------------------------
    def ask(self, kind, container, action=None, **arguments):
        """Put a task into the queue, with the action it completes."""
        if action is not None:
            objects.ContainerAction.action_start(
                self.context, container.uuid, action, want_result=False)
        lane = 'capsule' if kind.startswith('capsule') else 'container'
        return queue.enqueue(
            self.context, kind, {lane: container, **arguments},
            host=HOST, lane=container.uuid)

    def task(self, uuid):
        with db_api.reader(None) as session:
            return session.execute(
                TASK.select().where(TASK.c.uuid == uuid)).one()

    def change_task(self, uuid, **values):
        with db_api.writer(None) as session:
            session.execute(TASK.update().where(TASK.c.uuid == uuid)
                            .values(**values))

    def attempt(self, uuid):
        """Claim a task and run it once, as if it were due."""
        task = self.task(uuid)
        with db_api.writer(None) as session:
            claimed = tasks.claim(session, tasks.Candidate(
                task.id, task.uuid, task.epoch, task.lane, task.host),
                _OWNER)
        self.executor.run(claimed, lambda: True)

    def run_task(self, uuid):
        """Run a task to its end, attempt by attempt; its row then."""
        for __ in range(_MANY):
            task = self.task(uuid)
            if task.state in task_models.FINISHED:
                return task
            self.attempt(uuid)
        raise AssertionError('%s does not end: %s' % (task.kind, task.error))

    def take_over(self, uuid):
        """What the reaper does when a worker has died."""
        with db_api.writer(None) as session:
            tasks.take_from(session, _OWNER)

    def do(self, kind, container, action=None, **arguments):
        """Ask for an operation and run it to its end."""
        return self.run_task(self.ask(kind, container, action, **arguments))

    def done(self, kind, container, action=None, **arguments):
        """An operation that must succeed."""
        task = self.do(kind, container, action, **arguments)
        self.assertEqual(('done', None), (task.state, task.error))
        return task

    def failed(self, kind, container, action=None, **arguments):
        """An operation that must fail; the text of its error."""
        task = self.do(kind, container, action, **arguments)
        self.assertEqual('failed', task.state)
        return task.error

    def create(self, container, run=True, networks=(fakes.REQUESTED,),
               volumes=None, limits=None):
        return self.ask(
            'container_create', container, actions.CREATE,
            limits=limits or {}, requested_networks=list(networks),
            requested_volumes=volumes or {container.uuid: []}, run=run)

    # -- what must hold in the end ---------------------------------------
    def assertRow(self, container, **values):
        row = self.row(container)
        self.assertEqual(values, {name: getattr(row, name)
                                  for name in values})

    def assertNothingLeft(self, container):
        """Engine, Neutron, Placement and node know it no more."""
        self.assertEqual({}, self.engine.containers)
        self.assertNotIn(container.uuid, self.network.ports.values())
        self.assertEqual(set(), self.network.own_ports.intersection(
            self.network.ports))
        self.assertEqual({}, self.network.groups)
        self.assertNotIn(container.uuid, self.placement.allocations)
        self.assertEqual((0.0, 0), self.figures())

    def assertRunsOnce(self, container, state=fake_driver.RUNNING):
        """One container on the engine, one port, counted once."""
        self.assertEqual([[container.uuid, state]],
                         list(self.engine.containers.values()))
        self.assertEqual([container.uuid],
                         list(self.network.ports.values()))
        self.assertIn(container.uuid, self.placement.allocations)
        self.assertEqual((1.0, 1), self.figures())

    def kill_everywhere(self, start, check):
        """Run an operation, killed once at each moment in turn.

        :param start: makes a container and asks for the operation:
            returns both.
        :param check: called with the container and the ended task.
        """
        fatal, moments = 0, None
        while moments is None or fatal < moments:
            container, uuid = start()
            self.wire.moments, self.wire.fatal = 0, fatal or None
            try:
                self.attempt(uuid)
            except fakes.Killed:
                self.take_over(uuid)
            self.wire.fatal = None
            task = self.run_task(uuid)
            if moments is None:
                moments = self.wire.moments
                self.assertGreater(moments, 2)
            check(container, task)
            self.clean_up(container)
            fatal += 1

    def clean_up(self, container):
        """As if nothing had ever been there."""
        self.engine.containers.clear()
        self.engine.faults.clear()
        self.network.ports.clear()
        self.network.groups.clear()
        self.placement.allocations.clear()
        with db_api.writer(None) as session:
            session.execute(TASK.delete())
        node = objects.ComputeNode.get_by_name(self.context, HOST)
        node.cpu_used, node.mem_used, node.mem_free = 0.0, 0, 16384
        node.disk_used, node.running_containers = 0, 0
        node.save(self.context)
