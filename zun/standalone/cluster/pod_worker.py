# SPDX-License-Identifier: Apache-2.0
"""The life of one Pod on its node, as one asyncio task."""

import asyncio
import datetime
import shutil
import signal
from typing import Any
from typing import Awaitable
from typing import TYPE_CHECKING
from typing import TypeVar

from zun.standalone.cluster import containers
from zun.standalone.cluster import environment
from zun.standalone.cluster import images
from zun.standalone.cluster import logs
from zun.standalone.cluster import pod_status
from zun.standalone.cluster import processes
from zun.standalone.cluster import store as stores

if TYPE_CHECKING:
    from zun.standalone.cluster import kubelet

T = TypeVar('T')


class Stop(Exception):
    """The Pod shall stop; ``cause`` is deleted, gone or deadline."""


class PodWorker:
    """Brings one Pod up, watches it, and takes it down."""

    def __init__(self, node: 'kubelet.Kubelet', pod: dict[str, Any]) -> None:
        self.node = node
        self.pod = pod
        self.uid = pod['metadata']['uid']
        self.directory = node.root / 'pods' / self.uid
        self.volumes = environment.Volumes(
            node.store, self.directory / 'volumes', node.root / 'shared')
        self.containers: dict[str, containers.Container] = {}
        self.init = self._states('initContainers', 'PodInitializing')
        self.main = self._states('containers', 'PodInitializing' if self.init
                                 else 'ContainerCreating')
        self.sandbox = False
        self.cause = ''
        self.overdue = False
        self.ip = node.next_ip()
        self.changed = asyncio.Event()
        self._stop = asyncio.Event()
        self._probes: list[asyncio.Task[None]] = []
        self.task = asyncio.get_running_loop().create_task(self._life())

    def _states(self, field: str, reason: str
                ) -> list[pod_status.ContainerState]:
        return [pod_status.ContainerState(
            c['name'], c['image'], waiting={'reason': reason},
            resources=c.get('resources'))
            for c in self.pod['spec'].get(field) or []]

    # what others tell it

    def update(self, pod: dict[str, Any]) -> None:
        """The Pod object changed."""
        self.pod = pod
        self.changed.set()
        if pod['metadata'].get('deletionTimestamp'):
            self.stop('deleted')

    def stop(self, cause: str) -> None:
        """Ask for the end; 'gone' wins over 'deleted' over 'deadline'."""
        order = ('', 'deadline', 'deleted', 'gone')
        if order.index(cause) > order.index(self.cause):
            self.cause = cause
        self._stop.set()

    # life

    async def _life(self) -> None:
        deadline = asyncio.ensure_future(self._watch_deadline())
        try:
            if self.pod['metadata'].get('deletionTimestamp'):
                self.stop('deleted')
            try:
                await self._interruptible(self._run())
            except Stop:
                await self._terminate()
            deadline.cancel()
            self.sandbox = False
            self.publish()
            while self.cause not in ('deleted', 'gone'):
                self._stop.clear()
                await self._stop.wait()
        finally:
            deadline.cancel()
            for probe in self._probes:
                probe.cancel()
            for container in self.containers.values():
                container.destroy()
            shutil.rmtree(self.directory, ignore_errors=True)
        self.node.finished(self)

    async def _interruptible(self, work: Awaitable[T]) -> T:
        task = asyncio.ensure_future(work)
        stop = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait({task, stop},
                               return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise Stop()
        finally:
            stop.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    async def _run(self) -> None:
        if self.node.lost_containers(self.pod):
            self._mark_lost()
            return
        self.publish()
        await self._mount()
        self.sandbox = True
        self.publish()
        for state in self.init:
            await self._bring_up(state, 'initContainers')
            if state.terminated is None or state.terminated['exitCode']:
                return
        for state in self.main:
            state.waiting = {'reason': 'PodInitializing' if self.init
                             else 'ContainerCreating'}
        await asyncio.gather(*(self._bring_up(s, 'containers')
                               for s in self.main))

    def _mark_lost(self) -> None:
        for state in self.main:
            state.waiting = None
            state.terminated = {
                'exitCode': 255, 'reason': 'Unknown',
                'startedAt': None, 'finishedAt': stores.now()}

    async def _mount(self) -> None:
        told = ''
        while True:
            try:
                self.volumes.prepare(self.pod)
                return
            except environment.NotMounted as e:
                if str(e) != told:
                    told = str(e)
                    self.node.event(self.pod, 'Warning', 'FailedMount', told)
            await asyncio.sleep(self.node.timing.mount_retry)

    async def _bring_up(self, state: pod_status.ContainerState, field: str
                        ) -> None:
        """Pull, start and wait for one container, again and again."""
        policy = self.pod['spec']['restartPolicy']
        backoff = 0.0
        while True:
            await self._run_once(state, field)
            if not pod_status.restarts(state, policy,
                                       field == 'initContainers'):
                return
            await self._back_off(state, backoff)
            backoff = min(max(backoff * 2, self.node.timing.crash_backoff),
                          self.node.timing.crash_backoff_limit)

    async def _back_off(self, state: pod_status.ContainerState,
                        seconds: float) -> None:
        """Wait before an ended container is started again."""
        state.last, state.terminated = state.terminated, None
        state.restarts += 1
        state.waiting = {'reason': 'ContainerCreating'}
        if seconds:
            meta = self.pod['metadata']
            state.waiting = {
                'reason': 'CrashLoopBackOff',
                'message': 'back-off %ds restarting failed container=%s '
                'pod=%s_%s(%s)' % (seconds, state.name, meta['name'],
                                   meta['namespace'], self.uid)}
            self.node.event(self.pod, 'Warning', 'BackOff', 'Back-off '
                            'restarting failed container ' + state.name)
        self.publish()
        await asyncio.sleep(seconds)

    async def _run_once(self, state: pod_status.ContainerState, field: str
                        ) -> None:
        spec = next(c for c in self.pod['spec'][field]
                    if c['name'] == state.name)
        path = 'spec.%s{%s}' % (field, state.name)
        image = await self.node.pull(self, state, spec, path)
        before = self.containers.get(state.name)
        if before is not None:
            before.destroy()
        container = containers.Container(
            self.uid, spec, image, self.directory / 'root' / state.name,
            self.node.log_path(self.pod, state.name, state.restarts))
        self.containers[state.name] = container
        env = await self._environment(state, container, image, path)
        state.container_id = container.id
        self.node.event(self.pod, 'Normal', 'Created', 'Container created',
                        path)
        try:
            container.furnish()
            self.volumes.mount(spec, container.directory)
            container.start(env)
        except processes.StartError as e:
            self._start_failed(state, str(e), path)
            return
        self.node.event(self.pod, 'Normal', 'Started', 'Container started',
                        path)
        state.waiting = None
        state.running = {'startedAt': stores.now()}
        state.started = field == 'containers'
        state.ready = field == 'containers' and (
            'exec' not in (spec.get('readinessProbe') or {}))
        self.publish()
        if state.started and not state.ready:
            self._probes.append(asyncio.ensure_future(
                self._probe(state, container, spec['readinessProbe'])))
        await self._wait(state, container)

    async def _environment(self, state: pod_status.ContainerState,
                           container: containers.Container,
                           image: images.Image, path: str
                           ) -> dict[str, str]:
        while True:
            try:
                return environment.variables(
                    self.node.store, self.pod, container.spec, image,
                    str(container.directory))
            except environment.ConfigError as e:
                waiting = {'reason': 'CreateContainerConfigError',
                           'message': str(e)}
                if state.waiting != waiting:
                    state.waiting = waiting
                    self.node.event(self.pod, 'Warning', 'Failed',
                                    'Error: %s' % e, path)
                    self.publish()
            await asyncio.sleep(self.node.timing.mount_retry)

    def _start_failed(self, state: pod_status.ContainerState, why: str,
                      path: str) -> None:
        message = containers.START_FAILED % why
        state.waiting = None
        state.terminated = {
            'containerID': 'containerd://' + state.container_id,
            'exitCode': 128, 'finishedAt': stores.now(),
            'message': message, 'reason': 'StartError',
            'startedAt': '1970-01-01T00:00:00Z'}
        self.node.event(self.pod, 'Warning', 'Failed', 'Error: ' + message,
                        path)
        self.publish()

    async def _wait(self, state: pod_status.ContainerState,
                    container: containers.Container) -> None:
        code = await container.run()
        started = (state.running or {}).get('startedAt')
        reason = 'Completed' if code == 0 else 'Error'
        state.running = None
        state.ready = state.started = False
        state.terminated = {
            'containerID': 'containerd://' + container.id, 'exitCode': code,
            'reason': container.killed_for or reason,
            'startedAt': started, 'finishedAt': stores.now()}
        if code and container.spec['terminationMessagePolicy'] == (
                'FallbackToLogsOnError'):
            tail = logs.read(container.log.path, logs.LogOptions(tail=80))
            state.terminated['message'] = tail[-2048:].decode(
                errors='replace')
        if container.name in {s.name for s in self.init} and code == 0:
            state.ready = True
        self.publish()

    async def _probe(self, state: pod_status.ContainerState,
                     container: containers.Container, probe: dict[str, Any]
                     ) -> None:
        """The exec readiness probe: sets ``ready`` as it succeeds."""
        await asyncio.sleep(probe.get('initialDelaySeconds') or 0)
        good = bad = 0
        while container.running:
            if await self._probe_once(container, probe):
                good, bad = good + 1, 0
            else:
                good, bad = 0, bad + 1
            ready = state.ready
            if good >= (probe.get('successThreshold') or 1):
                ready = True
            elif bad >= (probe.get('failureThreshold') or 3):
                ready = False
            if ready != state.ready and container.running:
                state.ready = ready
                self.publish()
            await asyncio.sleep(probe.get('periodSeconds') or 10)

    async def _probe_once(self, container: containers.Container,
                          probe: dict[str, Any]) -> bool:
        said = bytearray()
        path = 'spec.containers{%s}' % container.name
        try:
            process = container.execute(
                probe['exec']['command'], lambda _s, data: said.extend(data),
                tty=False, stdin=False)
            async with asyncio.timeout(probe.get('timeoutSeconds') or 1):
                code = await process.wait()
        except processes.StartError as e:
            code, said = 1, bytearray(str(e).encode())
        except TimeoutError:
            processes.send(process.pid, signal.SIGKILL)
            code, said = 1, bytearray(b'command timed out')
        if code:
            self.node.event(
                self.pod, 'Warning', 'Unhealthy',
                'Readiness probe failed: ' + said.decode(errors='replace'),
                path)
        return code == 0

    # end

    async def _watch_deadline(self) -> None:
        while True:
            self.changed.clear()
            limit = self.pod['spec'].get('activeDeadlineSeconds')
            began = self.pod['status'].get('startTime')
            left: float | None = None
            if limit is not None and began:
                passed = datetime.datetime.now(
                    datetime.timezone.utc) - _parse(began)
                left = max(limit - passed.total_seconds(), 0)
            try:
                async with asyncio.timeout(left):
                    await self.changed.wait()
            except TimeoutError:
                self.node.event(self.pod, 'Normal', 'DeadlineExceeded',
                                'Pod was active on the node longer than '
                                'the specified deadline')
                self.overdue = True
                self.stop('deadline')
                return

    def grace(self) -> float:
        """Seconds between SIGTERM and SIGKILL."""
        if self.cause == 'gone':
            return 0
        meta = self.pod['metadata']
        if meta.get('deletionTimestamp'):
            return float(meta.get('deletionGracePeriodSeconds') or 0)
        return float(self.pod['spec']['terminationGracePeriodSeconds'])

    async def _terminate(self) -> None:
        running = [c for c in self.containers.values() if c.running]
        for container in running:
            self.node.event(self.pod, 'Normal', 'Killing',
                            'Stopping container ' + container.name)
            container.signal(signal.SIGTERM)
        waits = [asyncio.ensure_future(self._ending(c)) for c in running]
        if waits:
            await self._grace_period(waits)
            for container in running:
                container.signal(signal.SIGKILL)
            await asyncio.wait(waits)
        for state in self.init + self.main:
            if state.waiting is not None and self.cause == 'deleted':
                state.waiting = None
                state.terminated = {
                    'exitCode': 137, 'reason': 'ContainerStatusUnknown',
                    'message': 'The container could not be located when '
                    'the pod was terminated', 'startedAt': None,
                    'finishedAt': None}

    async def _grace_period(self, waits: list[asyncio.Future[None]]) -> None:
        """Wait for the containers, at most the grace period.

        A second, shorter one changes nothing; a removed Pod ends it.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + self.grace()
        while self.cause != 'gone' and not all(w.done() for w in waits):
            self._stop.clear()
            stop = asyncio.ensure_future(self._stop.wait())
            done, _ = await asyncio.wait(
                {stop, asyncio.gather(*waits)}, timeout=end - loop.time(),
                return_when=asyncio.FIRST_COMPLETED)
            stop.cancel()
            if not done:
                return

    async def _ending(self, container: containers.Container) -> None:
        state = next(s for s in self.init + self.main
                     if s.name == container.name)
        await self._wait(state, container)

    # status

    def publish(self) -> None:
        """Write the status, if the Pod is still this one."""
        self.node.publish(self)

    def edit(self, pod: dict[str, Any]) -> None:
        """Put this worker's view into a copy of the Pod."""
        pod_status.apply(pod, self.init, self.main,
                         node_ip=self.node.address, pod_ip=self.ip,
                         sandbox=self.sandbox,
                         stopping=bool(self.cause), deadline=self.overdue)

    def take_resources(self) -> bool:
        """Adopt resized resources of running containers; if any changed."""
        changed = False
        for state, spec in zip(self.main, self.pod['spec']['containers']):
            if state.resources != spec.get('resources'):
                state.resources = spec.get('resources')
                changed = True
        return changed


def _parse(moment: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(moment.replace('Z', '+00:00'))
