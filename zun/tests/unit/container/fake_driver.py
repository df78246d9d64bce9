# SPDX-License-Identifier: Apache-2.0
"""An engine in memory."""

import itertools

from zun.common import consts
from zun.common import exception
from zun.container import driver
from zun.container import errors

CREATED, RUNNING, PAUSED, EXITED = 'created', 'running', 'paused', 'exited'


class FakeDriver(driver.ContainerDriver, driver.CapsuleDriver):
    """Keeps containers as words for their states.

    :ivar containers: ``container_id`` to [uuid, state].
    :ivar calls: names of the methods called that ask the engine.
    :ivar faults: method to a list of exceptions that its next calls raise;
        None is a call that works.
    :ivar starting: answers of :meth:`await_start` before the last one.
    """

    def __init__(self):
        self.containers = {}
        self.calls = []
        self.faults = {}
        self.starting = []
        self.notes = []
        self.hostname = None
        self.is_cold_plugged = False
        self._numbers = itertools.count(1)

    def new_id(self, container):
        return 'fake-%d' % next(self._numbers)

    def _call(self, name):
        self.calls.append(name)
        faults = self.faults.get(name)
        if faults:
            fault = faults.pop(0)
            if fault is not None:
                raise fault

    def _get(self, container):
        if not container.container_id:
            raise exception.Invalid('Cannot operate an uncreated container.')
        try:
            return self.containers[container.container_id]
        except KeyError:
            raise errors.ContainerMissing(container=container.container_id)

    def _set(self, container, state):
        self._get(container)[1] = state

    def _values(self, container, container_id):
        ports = sorted(int(port.partition('/')[0])
                       for port in container.exposed_ports or {})
        return {'container_id': container_id,
                'hostname': container.hostname or self.hostname,
                'runtime': container.runtime or 'kata', 'ports': ports}

    # -- BaseDriver ------------------------------------------------------
    def remove(self, context, container, force=False):
        self._call('remove')
        for container_id, (uuid, __) in list(self.containers.items()):
            if uuid == container.uuid:
                del self.containers[container_id]

    def tidy(self, context, project_id, empty):
        self._call('tidy')

    # -- ContainerDriver -------------------------------------------------
    def observer(self):
        raise NotImplementedError

    def create(self, context, container, plan):
        self._call('create')
        self.plan = plan
        for container_id, (uuid, __) in self.containers.items():
            if uuid == container.uuid:
                return self._values(container, container_id)
        container_id = self.new_id(container)
        self.containers[container_id] = [container.uuid, CREATED]
        return self._values(container, container_id)

    def recreate(self, context, container, plan=None, restarts=None):
        self._call('recreate')
        if plan is None:
            self._get(container)
        container_id = self.new_id(container)
        self.containers[container_id] = [container.uuid, CREATED]
        return self._values(container, container_id)

    def start(self, context, container):
        self._get(container)
        self._call('start')
        if self._get(container)[1] == EXITED:
            return False
        self._set(container, RUNNING)
        return True

    def await_start(self, context, container, timeout):
        self._get(container)
        self._call('await_start')
        if self.starting:
            return self.starting.pop(0)
        return driver.Started(True)

    def explain(self, context, container):
        return None

    def is_running(self, context, container):
        return self._get(container)[1] in (RUNNING, PAUSED)

    def hold_back(self, context, container):
        self._call('hold_back')
        self._set(container, CREATED)

    def prune(self, context, container):
        self._call('prune')

    def stop(self, context, container, timeout):
        self._get(container)
        self._call('stop')
        self._set(container, EXITED)
        return driver.Stopped(self.notes.pop() if self.notes else None)

    def kill(self, context, container, signal):
        self.require_running(context, container)
        self._call('kill')
        self._set(container, EXITED)

    def pause(self, context, container):
        if self._get(container)[1] != RUNNING:
            raise errors.NotRunning(container=container.uuid)
        self._call('pause')
        self._set(container, PAUSED)

    def unpause(self, context, container):
        if self._get(container)[1] != PAUSED:
            raise errors.NotPaused(container=container.uuid)
        self._call('unpause')
        self._set(container, RUNNING)

    def show(self, context, container, force=False):
        state = self._get(container)[1]
        self._call('show')
        return {'status': {RUNNING: consts.RUNNING, PAUSED: consts.PAUSED,
                           EXITED: consts.STOPPED}.get(state,
                                                       container.status)}

    def show_logs(self, context, container, **kwargs):
        self._get(container)
        self._call('show_logs')
        return b'log\n'

    def execute_run(self, context, container, command, timeout):
        self.require_running(context, container)
        self._call('execute_run')
        self.command = command
        return driver.Executed(b'done\n', 0)

    def open_terminal(self, context, container, command, tty):
        raise NotImplementedError

    def top(self, context, container, ps_args):
        self._get(container)
        self._call('top')
        return {'Titles': ['PID'], 'Processes': [['1']]}

    def stats(self, context, container):
        self._get(container)
        self._call('stats')
        return {'CONTAINER': container.name}

    def get_archive(self, context, container, path):
        self._get(container)
        self._call('get_archive')
        return b'tar', {'name': path}

    def put_archive(self, context, container, path, data):
        self._get(container)
        self._call('put_archive')
        self.archive = data

    def update(self, context, container):
        self._get(container)
        self._call('update')
        return {}

    def change_network(self, context, container, network):
        self._get(container)
        self._call('change_network')
        self.network = network
        return self.is_cold_plugged

    def network_of(self, context, container):
        self._get(container)
        return getattr(self, 'network', driver.Network())

    # -- CapsuleDriver ---------------------------------------------------
    def create_capsule(self, context, capsule, plan):
        self._call('create_capsule')
        members = [*capsule.init_containers, *capsule.containers]
        values = {}
        for row in [capsule, *members]:
            container_id = self.new_id(row)
            self.containers[container_id] = [capsule.uuid, CREATED]
            values[row.uuid] = self._values(row, container_id)
        return values

    def start_capsule(self, context, capsule):
        self._get(capsule)
        self._call('start_capsule')
        self._set(capsule, RUNNING)

    def await_capsule(self, context, capsule, timeout):
        self._call('await_capsule')
        return driver.Started(True)

    def show_capsule(self, context, capsule):
        members = [*capsule.init_containers, *capsule.containers]
        return {row.uuid: {'status': consts.RUNNING}
                for row in [capsule, *members]}
