# SPDX-License-Identifier: Apache-2.0
"""A service whose workers may be killed, and what must be true of it."""

import configparser
import contextlib
import os
import pathlib
import signal
import sys
import time

from oslo_utils import uuidutils
import sqlalchemy as sa

from zun.common.k8s import client as k8s
from zun.container.k8s import names
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy import task_models
from zun.standalone.cluster import cluster as clusters
from zun.standalone.cluster import kubelet
from zun.standalone.peers import identity
from zun.standalone import runtime as simulated
from zun.standalone import settings
from zun.tests.fault import cases
from zun.tests.fault import points
from zun.tests.fault import remote
from zun.tests import processes

NODE = 'node-1'
TASK = task_models.task
COMPUTE = 'zun-compute'
LONE = 'lone'
AGENT = 'zun-compute-agent'
# Seconds without a sign of life after which a worker is given up.
WORKER_TIMEOUT = 3
# Deaths of a worker count as attempts of all that it was working on.
ATTEMPTS = 200
_ENDED = frozenset(('Succeeded', 'Failed'))


class Ground(processes.Deployment):
    """All executables; workers that die are there again a moment later.

    :ivar points: where shots are put.
    :ivar simulated: the cluster.
    """

    def __init__(self, database: str, workers: int = 2,
                 lease_duration: int = 6) -> None:
        self.simulated = clusters.Cluster(nodes=(kubelet.NodeSpec(
            NODE, cpu='64', memory='64Gi', storage='640Gi', pods=500),))
        super().__init__('', database, NODE)
        self._workers = workers
        self._lease_duration = lease_duration
        self._woken: set[int] = set()

    def _setUp(self):
        self.simulated.start()
        self.addCleanup(self.simulated.stop)
        self._kubeconfig = self.simulated.kubeconfig()
        self.engine = sa.create_engine(self._database,
                                       isolation_level='AUTOCOMMIT')
        self.addCleanup(self.engine.dispose)
        super()._setUp()
        # No container is on it, since only administrators see it.
        self.peers.network.add_network(
            LONE, identity.project_id('service'), '10.40.0.0/24')
        self.networks = {
            row['name']: row['id'] for row in
            self.peers.network.rows['networks'].values()}

    def _configure(self):
        super()._configure()
        self.points = points.Folder(self.directory / 'points')
        node = remote.Server(self.points.path / 'runtime',
                             simulated.Simulated(self.simulated, NODE))
        self.addCleanup(node.stop)
        parser = configparser.RawConfigParser()
        parser.read(self.folder.config_file)
        for section, name, value in (
                ('task', 'worker_timeout', WORKER_TIMEOUT),
                ('task', 'max_attempts', ATTEMPTS),
                ('task', 'node_creates', 50),
                ('kubernetes', 'lease_duration', self._lease_duration),
                ('DEFAULT', 'sync_container_state_interval', 5)):
            parser.set(section, name, str(value))
        with open(self.folder.config_file, 'w') as file:
            parser.write(file)

    def _start(self, name, command):
        keeper = [sys.executable, '-m', 'zun.tests.fault.worker']
        if name == COMPUTE:
            command = [*keeper, 'compute', str(self._workers),
                       str(self.points.path)]
        elif name == AGENT:
            command = [*keeper, 'agent', '1', str(self.points.path)]
        elif name != 'zun-api':
            return
        super()._start(name, command)

    def add_group(self) -> None:
        """A security group that containers may get."""
        self.peers.network.seed('security-groups', {
            'id': uuidutils.generate_uuid(), 'name': cases.GROUP,
            'description': '', 'security_group_rules': [],
            'project_id': identity.project_id(settings.PROJECT),
            'tenant_id': identity.project_id(settings.PROJECT)})

    def workers(self) -> list[int]:
        """Process ids of the zun-compute processes."""
        keeper = self.processes[COMPUTE].pid
        children = pathlib.Path('/proc/%d/task/%d/children' % (
            keeper, keeper)).read_text()
        return [int(word) for word in children.split()]

    def wake_stopped(self) -> None:
        """Let those go on that have been stopped for long enough that
        others have their tasks.
        """
        due = time.time() - WORKER_TIMEOUT - 5
        for pid, since in self.points.stopped():
            if since < due and pid not in self._woken:
                self._woken.add(pid)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    # -- what is there -----------------------------------------------------

    def pods(self, uuid: str) -> list[dict]:
        """Pods of a container that are not about to go, oldest first."""
        return sorted((pod for pod in self.stored(k8s.PODS, uuid)
                       if not pod['metadata'].get('deletionTimestamp')),
                      key=lambda pod: names.generation_of(pod))

    def stored(self, resource, uuid: str) -> list[dict]:
        """Objects of the cluster that have to do with a container."""
        cluster = k8s.get_cluster()
        return [one for one in cluster.list(resource)[0]
                if uuid in str(one['metadata'])]

    def ports(self, uuid: str) -> list[dict]:
        """Its Neutron ports."""
        return [port for port in list(
            self.peers.network.rows['ports'].values())
            if port['device_id'] == uuid]

    def attachments(self, uuid: str) -> list[dict]:
        """Cinder volumes that say they are attached for it."""
        return [volume for volume in list(self.peers.volume.volumes.values())
                if uuid in str(volume['attachments'])]

    def tasks(self, lane: str) -> list:
        """Tasks of a lane that have not ended."""
        with self.engine.connect() as connection:
            return connection.execute(TASK.select().where(
                TASK.c.lane == lane,
                TASK.c.state.in_((task_models.READY, task_models.RUNNING)))
            ).all()

    def unfinished(self) -> int:
        """Tasks of any lane that have not ended."""
        with self.engine.connect() as connection:
            return connection.execute(
                sa.select(sa.func.count()).select_from(TASK).where(
                    TASK.c.state.in_((task_models.READY,
                                      task_models.RUNNING)))).scalar()

    def count_networks(self) -> int:
        """Networks that containers may be on."""
        with self.engine.connect() as connection:
            return connection.execute(
                sa.select(sa.func.count()).select_from(
                    models.Network)).scalar()

    def failures(self) -> list:
        """Tasks that failed: (kind, lane, error)."""
        with self.engine.connect() as connection:
            return connection.execute(sa.select(
                TASK.c.kind, TASK.c.lane, TASK.c.error).where(
                    TASK.c.state == task_models.FAILED)).all()

    # -- what must be true -------------------------------------------------

    def wait_idle(self, lane: str, limit: float = processes.LIMIT) -> None:
        """Wait until a lane has no task left.

        :raises AssertionError: one is lost.
        """
        with contextlib.suppress(AssertionError):
            processes.wait_for('', lambda: not self.tasks(lane), limit)
            return
        raise AssertionError('tasks left of %s: %s' % (lane, [
            (row.kind, row.state, row.attempt, row.error)
            for row in self.tasks(lane)]))

    def check_whole(self, uuid: str, row: dict) -> list[str]:
        """What is wrong with a container that is there."""
        wrong = []
        pods, ports = self.pods(uuid), self.ports(uuid)
        # Of former runs only the ends stay.
        phases = [pod['status'].get('phase') for pod in pods]
        if not pods or not _ENDED.issuperset(phases[:-1]):
            wrong.append('Pods %s' % [
                (pod['metadata']['name'], phase)
                for pod, phase in zip(pods, phases)])
        elif row.get('status') == 'Running' and phases[-1] != 'Running':
            wrong.append('the Pod is %s' % phases[-1])
        known = {entry['port'] for entries in (
            row.get('addresses') or {}).values() for entry in entries}
        if {port['id'] for port in ports} != known:
            wrong.append('ports %s, the row has %s' % (
                [port['id'] for port in ports], sorted(known)))
        wrong += self._check_allocation(uuid, row)
        if row.get('task_state'):
            wrong.append('task_state %s' % row['task_state'])
        return wrong

    def _check_allocation(self, uuid, row):
        found = self.peers.placement.allocations.get(uuid)
        if found is None:
            return ['no allocation']
        resources = [one['resources'] for one in
                     found['allocations'].values()]
        if len(resources) != 1:
            return ['allocations %s' % resources]
        if 'memory' in row and resources[0].get('MEMORY_MB') != int(
                row['memory']):
            return ['%s MB allocated, the row has %s' % (
                resources[0].get('MEMORY_MB'), row['memory'])]
        return []

    def check_actions(self, uuid: str) -> list[str]:
        """Events of a container's actions that have no good end."""
        wrong = []
        where = '/containers/%s/container_actions' % uuid
        for action in self.get(where)['containerActions']:
            found = self.get('%s/%s' % (where, action['request_id']))
            events = found['events'] or []
            wrong += ['%s: %s has result %s' % (
                action['action'], event['event'], event['result'])
                for event in events if event['result'] != 'Success' or
                not event['finish_time']]
            if not events:
                wrong.append('%s: no event' % action['action'])
        return wrong

    def check_gone(self, uuid: str) -> list[str]:
        """What is left of a container that was deleted."""
        left = {
            'Pods': self.pods(uuid), 'ports': self.ports(uuid),
            'attachments': self.attachments(uuid),
            'allocation': uuid in self.peers.placement.allocations,
            'Secrets': self.stored(k8s.SECRETS, uuid),
            'volumes': self.stored(k8s.VOLUMES, uuid),
            'claims': self.stored(k8s.CLAIMS, uuid),
            'tasks': self.tasks(uuid)}
        return ['%s left: %s' % (name, str(value)[:300])
                for name, value in left.items() if value]
