# SPDX-License-Identifier: Apache-2.0
"""A simulated node: its Node object, its heartbeat and its Pods."""

import asyncio
import dataclasses
import datetime
import ipaddress
import pathlib
import shutil
from typing import Any
from typing import TYPE_CHECKING

from zun.standalone.cluster import containers
from zun.standalone.cluster import images
from zun.standalone.cluster import layers
from zun.standalone.cluster import pod_status
from zun.standalone.cluster import pod_worker
from zun.standalone.cluster import resources
from zun.standalone.cluster import scheduler
from zun.standalone.cluster import store as stores

if TYPE_CHECKING:
    from zun.standalone.cluster import controllers

READY = ('MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready')
_CONDITIONS = {
    'MemoryPressure': ('False', 'KubeletHasSufficientMemory',
                       'kubelet has sufficient memory available'),
    'DiskPressure': ('False', 'KubeletHasNoDiskPressure',
                     'kubelet has no disk pressure'),
    'PIDPressure': ('False', 'KubeletHasSufficientPID',
                    'kubelet has sufficient PID available'),
    'Ready': ('True', 'KubeletReady', 'kubelet is posting ready status'),
}


@dataclasses.dataclass
class NodeSpec:
    """What a node offers; quantities as Kubernetes writes them."""

    name: str
    cpu: str = '4'
    memory: str = '8Gi'
    storage: str = '64Gi'
    pods: int = 110
    labels: dict[str, str] = dataclasses.field(default_factory=dict)
    handlers: tuple[str, ...] = ('', 'kata', 'runc')


@dataclasses.dataclass
class Timing:
    """Delays in seconds; tests shorten or stretch them."""

    pull: float = 0.02
    pull_backoff: float = 2.0
    pull_backoff_limit: float = 300.0
    mount_retry: float = 0.2
    crash_backoff: float = 10.0
    crash_backoff_limit: float = 300.0
    heartbeat: float = 5.0


class Kubelet:
    """Runs the Pods that are bound to one node."""

    def __init__(self, store: stores.Store, spec: NodeSpec,
                 registry: images.Registry, root: pathlib.Path,
                 events: 'controllers.Events', timing: Timing,
                 index: int) -> None:
        self.store = store
        self.spec = spec
        self.registry = registry
        self.root = root
        self.timing = timing
        self.address = '127.0.0.1'
        self.workers: dict[str, pod_worker.PodWorker] = {}
        self.layers = layers.Layers(root / 'layers')
        self.present: dict[str, images.Image] = {
            layer.reference: layer.image
            for layer in self.layers.known.values()}
        self.gone = False
        self._events = events
        self._ips = ipaddress.ip_network('10.244.%d.0/24' % index).hosts()
        self._beat: asyncio.Task[None] | None = None

    # node

    def start(self) -> None:
        """Register the node and take up the Pods bound to it."""
        self.gone = False
        if not self.store.find(resources.NODES, '', self.spec.name):
            self.store.create(resources.NODES, self._node())
        self.store.listeners.append(self._changed)
        self._beat = asyncio.ensure_future(self._heartbeat())
        for pod in self.store.select(resources.PODS):
            self._changed('ADDED', resources.PODS, pod)

    async def stop(self) -> None:
        """End the node's heartbeat and all its containers."""
        self.gone = True
        if self._changed in self.store.listeners:
            self.store.listeners.remove(self._changed)
        tasks = [w.task for w in self.workers.values()]
        if self._beat is not None:
            tasks.append(self._beat)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.workers.clear()

    def _node(self) -> dict[str, Any]:
        spec = self.spec
        have = {'cpu': spec.cpu, 'memory': spec.memory,
                'ephemeral-storage': spec.storage, 'pods': str(spec.pods)}
        return {
            'metadata': {'name': spec.name, 'labels': {
                'kubernetes.io/hostname': spec.name,
                'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64',
                **spec.labels}},
            'spec': {},
            'status': {
                'addresses': [
                    {'type': 'InternalIP', 'address': self.address},
                    {'type': 'Hostname', 'address': spec.name}],
                'capacity': dict(have), 'allocatable': have,
                'conditions': self._conditions({}), 'images': [],
                'nodeInfo': {
                    'architecture': 'amd64', 'operatingSystem': 'linux',
                    'containerRuntimeVersion': 'containerd://2.2.9',
                    'kubeletVersion': 'v1.36.3', 'kernelVersion': '6.1',
                    'kubeProxyVersion': '', 'machineID': spec.name,
                    'systemUUID': spec.name, 'bootID': spec.name,
                    'osImage': 'simulated node'},
                'runtimeHandlers': [{'name': h} for h in spec.handlers]}}

    @staticmethod
    def _conditions(before: dict[str, dict[str, Any]]
                    ) -> list[dict[str, Any]]:
        now = stores.now()
        result = []
        for kind in READY:
            status, reason, message = _CONDITIONS[kind]
            old = before.get(kind, {})
            since = old.get('lastTransitionTime', now)
            if old.get('status', status) != status:
                since = now
            result.append({
                'type': kind, 'status': status, 'reason': reason,
                'message': message, 'lastHeartbeatTime': now,
                'lastTransitionTime': since})
        return result

    async def _heartbeat(self) -> None:
        while True:
            self.beat()
            await asyncio.sleep(self.timing.heartbeat)

    def beat(self) -> None:
        """Renew the node's lease and conditions."""
        moment = datetime.datetime.now(datetime.timezone.utc).strftime(
            '%Y-%m-%dT%H:%M:%S.%fZ')
        spec = {'holderIdentity': self.spec.name,
                'leaseDurationSeconds': 40, 'renewTime': moment}
        if not self.store.change(
                resources.LEASES, 'kube-node-lease', self.spec.name,
                lambda lease: lease.update(spec=spec)):
            self.store.create(resources.LEASES, {
                'metadata': {'name': self.spec.name,
                             'namespace': 'kube-node-lease'}, 'spec': spec})

        def edit(node: dict[str, Any]) -> None:
            before = {c['type']: c for c in node['status']['conditions']}
            node['status']['conditions'] = self._conditions(before)
            node['spec']['taints'] = [
                t for t in node['spec'].get('taints') or []
                if t['key'] not in ('node.kubernetes.io/unreachable',
                                    'node.kubernetes.io/not-ready')]
            if not node['spec']['taints']:
                del node['spec']['taints']
        self.store.change(resources.NODES, '', self.spec.name, edit)

    # Pods

    def _changed(self, kind: str, resource: resources.ResourceType,
                 pod: dict[str, Any]) -> None:
        if resource is not resources.PODS or (
                pod['spec'].get('nodeName') != self.spec.name):
            return
        worker = self.workers.get(pod['metadata']['uid'])
        if kind == 'DELETED':
            if worker is not None:
                worker.update(pod)
                worker.stop('gone')
        elif worker is not None:
            before = worker.pod['spec']
            worker.update(pod)
            if scheduler.resized(before, pod['spec']):
                self._resize(worker)
        elif pod['status']['phase'] not in ('Succeeded', 'Failed'):
            self.workers[pod['metadata']['uid']] = pod_worker.PodWorker(
                self, pod)
        elif pod['metadata'].get('deletionTimestamp'):
            self._remove(pod)

    def publish(self, worker: pod_worker.PodWorker) -> None:
        """Write a worker's status, unless the node is gone."""
        if self.gone:
            return
        pod = self._current(worker)
        if pod is not None:
            self.store.change(
                resources.PODS, pod['metadata']['namespace'],
                pod['metadata']['name'], worker.edit)

    def finished(self, worker: pod_worker.PodWorker) -> None:
        """A worker has ended: its Pod's object may go."""
        self.workers.pop(worker.uid, None)
        shutil.rmtree(self.log_path(worker.pod, '-').parent.parent,
                      ignore_errors=True)
        pod = self._current(worker)
        if pod is not None:
            self._remove(pod)

    def _remove(self, pod: dict[str, Any]) -> None:
        def edit(obj: dict[str, Any]) -> None:
            obj['metadata']['deletionGracePeriodSeconds'] = 0
            obj['metadata']['deletionTimestamp'] = stores.now()
        meta = pod['metadata']
        if meta.get('deletionGracePeriodSeconds') == 0 and (
                meta.get('finalizers')):
            return  # waits for others
        self.store.change(resources.PODS, meta['namespace'], meta['name'],
                          edit)

    def _current(self, worker: pod_worker.PodWorker
                 ) -> dict[str, Any] | None:
        meta = worker.pod['metadata']
        pod = self.store.find(resources.PODS, meta['namespace'],
                              meta['name'])
        if pod is None or pod['metadata']['uid'] != worker.uid:
            return None
        return pod

    def lost_containers(self, pod: dict[str, Any]) -> bool:
        """Whether a Pod ran before this cluster was started."""
        return any((s.get('state') or {}).get('running')
                   for s in pod['status'].get('containerStatuses') or [])

    def _resize(self, worker: pod_worker.PodWorker) -> None:
        """Carry out a resize, or say that it has to wait."""
        pods = [p for p in self.store.select(resources.PODS)
                if p['spec'].get('nodeName') == self.spec.name and
                p['metadata']['uid'] != worker.uid]
        node = self.store.get(resources.NODES, '', self.spec.name)
        left = scheduler.free(node, pods)
        wanted = scheduler.requests(worker.pod['spec'])
        short = [k for k, v in wanted.items() if v > left[k]]

        def edit(pod: dict[str, Any]) -> None:
            status = pod['status']
            status['conditions'] = [
                c for c in status.get('conditions') or []
                if not c['type'].startswith('PodResize')]
            if short:
                status['conditions'].append(pod_status.condition(
                    pod, 'PodResizePending', 'True', 'Deferred',
                    'Node didn\'t have enough resource: ' +
                    ', '.join(short)))
        meta = worker.pod['metadata']
        self.store.change(resources.PODS, meta['namespace'], meta['name'],
                          edit)
        if not short and worker.take_resources():
            worker.publish()

    # images

    async def pull(self, worker: pod_worker.PodWorker,
                   state: pod_status.ContainerState, spec: dict[str, Any],
                   path: str) -> images.Image:
        """Have the image of a container, trying again with back-off."""
        backoff = self.timing.pull_backoff
        while True:
            try:
                return await self._pull_once(worker.pod, state, spec, path)
            except images.ImageError as e:
                self._pull_failed(worker, state, spec, path, e)
                again = e.reason == 'ErrImagePull'
            await asyncio.sleep(self.timing.pull_backoff / 2)
            if again:
                state.waiting = {
                    'reason': 'ImagePullBackOff',
                    'message': 'Back-off pulling image "%s": %s' % (
                        spec['image'], (state.waiting or {}).get('message'))}
                self.event(worker.pod, 'Normal', 'BackOff',
                           'Back-off pulling image "%s"' % spec['image'],
                           path)
                worker.publish()
            await asyncio.sleep(backoff)
            backoff = min(backoff * 2, self.timing.pull_backoff_limit)

    async def _pull_once(self, pod: dict[str, Any],
                         state: pod_status.ContainerState,
                         spec: dict[str, Any], path: str) -> images.Image:
        reference = images.normalize(spec['image'])
        policy = spec['imagePullPolicy']
        image = self.present.get(reference)
        if policy == 'Never' and image is None:
            raise images.ImageError(
                'ErrImageNeverPull', 'Container image "%s" is not present '
                'with pull policy of Never' % spec['image'])
        if policy == 'Always' or image is None:
            self.event(pod, 'Normal', 'Pulling',
                       'Pulling image "%s"' % spec['image'], path)
            await asyncio.sleep(self.timing.pull)
            image = self.registry.pull(reference, self._auths(pod))
            self.add_image(reference, image)
            self.event(pod, 'Normal', 'Pulled', 'Successfully pulled image '
                       '"%s" in %dms. Image size: %d bytes.' % (
                           spec['image'], self.timing.pull * 1000,
                           image.size), path)
        state.image = reference
        state.image_id = images.repo_digest(reference)
        return image

    def add_image(self, reference: str, image: images.Image) -> None:
        """Make an image present on the node."""
        if self.present.get(reference) == image:
            return
        self.present[reference] = image
        self._images_changed()

    def remove_image(self, reference: str) -> bool:
        """Take an image off the node; whether it was there."""
        was = self.present.pop(reference, None)
        self._images_changed()
        return was is not None

    def _images_changed(self) -> None:
        listed = [{'names': [images.repo_digest(name), name],
                   'sizeBytes': image.size}
                  for name, image in sorted(self.present.items())]
        self.store.change(
            resources.NODES, '', self.spec.name,
            lambda node: node['status'].update(images=listed))

    def _pull_failed(self, worker: pod_worker.PodWorker,
                     state: pod_status.ContainerState, spec: dict[str, Any],
                     path: str, error: images.ImageError) -> None:
        waiting = {'reason': error.reason, 'message': str(error)}
        if error.reason == 'ErrImagePull':
            self.event(worker.pod, 'Warning', 'Failed',
                       'Failed to pull image "%s": %s' % (
                           spec['image'], error), path)
        else:
            reason = ('InspectFailed' if error.reason == 'InvalidImageName'
                      else error.reason)
            self.event(worker.pod, 'Warning', reason, str(error), path)
        self.event(worker.pod, 'Warning', 'Failed',
                   'Error: ' + error.reason, path)
        state.waiting = waiting
        worker.publish()

    def _auths(self, pod: dict[str, Any]) -> list[dict[str, Any]]:
        found = []
        for ref in pod['spec'].get('imagePullSecrets') or []:
            secret = self.store.find(
                resources.SECRETS, pod['metadata']['namespace'],
                ref['name'])
            if secret is not None:
                found.append(images.secret_auths(secret))
        return found

    # small things

    def next_ip(self) -> str:
        """An address for a Pod, in turn."""
        address = next(self._ips, None)
        if address is None:
            network = ipaddress.ip_network('10.245.0.0/16')
            self._ips = network.hosts()
            address = next(self._ips)
        return str(address)

    def log_path(self, pod: dict[str, Any], name: str, run: int = 0
                 ) -> pathlib.Path:
        """The log file of a container's run, as kubelets lay them out."""
        meta = pod['metadata']
        return self.root / 'logs' / ('%s_%s_%s' % (
            meta['namespace'], meta['name'], meta['uid'])) / name / (
                '%d.log' % run)

    def event(self, pod: dict[str, Any], kind: str, reason: str,
              message: str, path: str = '') -> None:
        """Record an event of this kubelet about a Pod."""
        if not self.gone:
            self._events.record(pod, kind, reason, message, path=path,
                                component='kubelet', host=self.spec.name)

    def container(self, pod_uid: str, name: str
                  ) -> containers.Container | None:
        """A container of a Pod on this node."""
        worker = self.workers.get(pod_uid)
        return worker.containers.get(name) if worker else None
