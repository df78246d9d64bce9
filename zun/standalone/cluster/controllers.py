# SPDX-License-Identifier: Apache-2.0
"""What the scheduler and the controller manager do, in one loop.

Each pass looks at the store as it is; nothing is remembered, so a pass may
be missed or repeated.
"""

import asyncio
import copy
import datetime
from typing import Any

from zun.standalone.cluster import kubelet
from zun.standalone.cluster import pod_status
from zun.standalone.cluster import resources
from zun.standalone.cluster import scheduler
from zun.standalone.cluster import store as stores
from zun.standalone.cluster import volume_binding

#: Seconds after its last heartbeat that a node counts as lost.
NODE_GRACE = 40.0


class Events:
    """Records Kubernetes events, counting repeated ones."""

    def __init__(self, store: stores.Store, keep: int = 2000) -> None:
        self.store = store
        self.keep = keep
        self._number = 0

    def record(self, obj: dict[str, Any], kind: str, reason: str,
               message: str, *, path: str = '', component: str = '',
               host: str = '') -> None:
        """Store an event about ``obj``; ``kind`` is Normal or Warning."""
        meta = obj['metadata']
        namespace = meta.get('namespace') or 'default'
        if not self._open(namespace):
            return
        ref = {'kind': obj['kind'], 'apiVersion': obj['apiVersion'],
               'namespace': meta.get('namespace', ''), 'name': meta['name'],
               'uid': meta['uid'],
               'resourceVersion': meta['resourceVersion']}
        if path:
            ref['fieldPath'] = path
        same = next((e for e in self.store.select(resources.EVENTS, namespace)
                     if e['involvedObject']['uid'] == meta['uid'] and
                     e['involvedObject'].get('fieldPath', '') == path and
                     e['reason'] == reason and e['message'] == message),
                    None)
        if same is not None:
            self.store.change(resources.EVENTS, namespace,
                              same['metadata']['name'], _again)
            return
        self._number += 1
        self.store.create(resources.EVENTS, {
            'metadata': {'name': '%s.%016x' % (meta['name'], self._number),
                         'namespace': namespace},
            'involvedObject': ref, 'type': kind, 'reason': reason,
            'message': message, 'count': 1, 'firstTimestamp': stores.now(),
            'lastTimestamp': stores.now(), 'eventTime': None,
            'source': {'component': component, 'host': host},
            'reportingComponent': component, 'reportingInstance': host})
        self._trim()

    def _open(self, namespace: str) -> bool:
        found = self.store.find(resources.NAMESPACES, '', namespace)
        return found is not None and not found['metadata'].get(
            'deletionTimestamp')

    def _trim(self) -> None:
        if self._number % 100:
            return
        events = sorted(self.store.select(resources.EVENTS),
                        key=lambda e: int(e['metadata']['resourceVersion']))
        for event in events[:max(0, len(events) - self.keep)]:
            self.store.remove(resources.EVENTS, event)


def _again(event: dict[str, Any]) -> None:
    event['count'] += 1
    event['lastTimestamp'] = stores.now()


class Controllers:
    """Reacts to every change of the store."""

    def __init__(self, store: stores.Store, events: Events) -> None:
        self.store = store
        self.events = events
        self.volumes = volume_binding.VolumeBinding(store)
        self.scheduling = True
        self.eviction_after = 300.0
        self.kubelets: dict[str, kubelet.Kubelet] = {}
        self._dirty = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to react."""
        self.store.listeners.append(self._changed)
        self._dirty.set()
        self._task = asyncio.ensure_future(self._loop())

    async def stop(self) -> None:
        """Stop reacting."""
        self.store.listeners.remove(self._changed)
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _changed(self, _kind: str, resource: resources.ResourceType,
                 _obj: dict[str, Any]) -> None:
        if resource not in (resources.EVENTS, resources.LEASES):
            self._dirty.set()

    async def _loop(self) -> None:
        while True:
            try:
                async with asyncio.timeout(1.0):
                    await self._dirty.wait()
            except TimeoutError:
                pass  # the pass below runs at least once a second
            self._dirty.clear()
            self.reconcile()

    def reconcile(self) -> None:
        """One pass of everything."""
        self.volumes.reconcile()
        if self.scheduling:
            self._schedule()
        self._watch_nodes()
        self._collect_orphans()
        self._end_namespaces()

    # scheduling

    def _schedule(self) -> None:
        pods = self.store.select(resources.PODS)
        for pod in pods:
            if pod['spec'].get('nodeName') or pod['spec'].get(
                    'schedulingGates') or pod['metadata'].get(
                        'deletionTimestamp'):
                continue
            problem = self._claims_problem(pod)
            if problem:
                self._unschedulable(pod, problem)
                continue
            nodes = [n for n in self.store.select(resources.NODES)
                     if self._volumes_reach(pod, n)]
            name, why = scheduler.place(
                pod, nodes, self.store.select(resources.PODS))
            if name:
                self._bind(pod, name)
            else:
                self._unschedulable(pod, why)

    def _bind(self, pod: dict[str, Any], node: str) -> None:
        def edit(obj: dict[str, Any]) -> None:
            obj['spec']['nodeName'] = node
            obj['status']['conditions'] = [
                pod_status.condition(obj, 'PodScheduled', 'True')]
        meta = pod['metadata']
        self.events.record(
            pod, 'Normal', 'Scheduled', 'Successfully assigned %s/%s to %s'
            % (meta['namespace'], meta['name'], node),
            component='default-scheduler')
        self.store.change(resources.PODS, meta['namespace'], meta['name'],
                          edit)

    def _unschedulable(self, pod: dict[str, Any], why: str) -> None:
        def edit(obj: dict[str, Any]) -> None:
            obj['status']['conditions'] = [pod_status.condition(
                obj, 'PodScheduled', 'False', 'Unschedulable', why)]
        meta = pod['metadata']
        before = pod['status'].get('conditions') or []
        if before and before[0].get('message') == why:
            return
        self.events.record(pod, 'Warning', 'FailedScheduling', why,
                           component='default-scheduler')
        self.store.change(resources.PODS, meta['namespace'], meta['name'],
                          edit)

    def _claims_problem(self, pod: dict[str, Any]) -> str:
        nodes = len(self.store.select(resources.NODES))
        for name in volume_binding.claims(pod):
            claim = self.store.find(resources.PVCS,
                                    pod['metadata']['namespace'], name)
            if claim is None:
                return ('0/%d nodes are available: persistentvolumeclaim '
                        '"%s" not found. not found' % (nodes, name))
            if claim['status'].get('phase') != 'Bound':
                return ('0/%d nodes are available: pod has unbound '
                        'immediate PersistentVolumeClaims. not found'
                        % nodes)
        return ''

    def _volumes_reach(self, pod: dict[str, Any], node: dict[str, Any]
                       ) -> bool:
        for name in volume_binding.claims(pod):
            claim = self.store.get(resources.PVCS,
                                   pod['metadata']['namespace'], name)
            volume = self.store.find(resources.PVS, '',
                                     claim['spec']['volumeName'])
            required = (((volume or {}).get('spec') or {}).get(
                'nodeAffinity') or {}).get('required')
            if required and not scheduler.matches_terms(required, node):
                return False
        return True

    # nodes

    def _watch_nodes(self) -> None:
        now = datetime.datetime.now(datetime.timezone.utc)
        for node in self.store.select(resources.NODES):
            name = node['metadata']['name']
            lease = self.store.find(resources.LEASES, 'kube-node-lease',
                                    name)
            if lease is None or name not in self.kubelets:
                continue  # a node without a kubelet here is a test's own
            beat = datetime.datetime.fromisoformat(
                lease['spec']['renewTime'].replace('Z', '+00:00'))
            silent = (now - beat).total_seconds()
            if silent > NODE_GRACE:
                self.mark_unreachable(name)
                if silent > NODE_GRACE + self.eviction_after:
                    self._evict_all(name)
        names = {n['metadata']['name']
                 for n in self.store.select(resources.NODES)}
        for pod in self.store.select(resources.PODS):
            node_name = pod['spec'].get('nodeName')
            if node_name and node_name not in names:
                self._pod_gone_with_node(pod)

    def mark_unreachable(self, name: str) -> None:
        """Show a node as lost: conditions Unknown, taints, Pods not ready."""
        node = self.store.find(resources.NODES, '', name)
        if node is None or any(
                c['type'] == 'Ready' and c['status'] == 'Unknown'
                for c in node['status']['conditions']):
            return

        def edit(obj: dict[str, Any]) -> None:
            for condition in obj['status']['conditions']:
                condition.update(
                    status='Unknown', reason='NodeStatusUnknown',
                    message='Kubelet stopped posting node status.',
                    lastTransitionTime=stores.now())
            taints = obj['spec'].setdefault('taints', [])
            for effect in ('NoSchedule', 'NoExecute'):
                taints.append({'key': 'node.kubernetes.io/unreachable',
                               'effect': effect, 'timeAdded': stores.now()})
        self.store.change(resources.NODES, '', name, edit)

        def unready(obj: dict[str, Any]) -> None:
            for condition in obj['status'].get('conditions') or []:
                if condition['type'] == 'Ready' and (
                        condition['status'] == 'True'):
                    condition.update(status='False',
                                     lastTransitionTime=stores.now())
        for pod in self._pods_of(name):
            self.store.change(resources.PODS, pod['metadata']['namespace'],
                              pod['metadata']['name'], unready)

    def _pods_of(self, node: str) -> list[dict[str, Any]]:
        return [p for p in self.store.select(resources.PODS)
                if p['spec'].get('nodeName') == node]

    def _evict_all(self, node: str) -> None:
        def edit(obj: dict[str, Any]) -> None:
            meta = obj['metadata']
            if 'deletionTimestamp' not in meta:
                meta['deletionTimestamp'] = stores.now()
                meta['deletionGracePeriodSeconds'] = obj['spec'][
                    'terminationGracePeriodSeconds']
                obj['status']['reason'] = 'NodeLost'
                obj['status']['message'] = (
                    'Node %s which was running pod %s is unresponsive' % (
                        node, meta['name']))
        for pod in self._pods_of(node):
            self.store.change(resources.PODS, pod['metadata']['namespace'],
                              pod['metadata']['name'], edit)

    def _pod_gone_with_node(self, pod: dict[str, Any]) -> None:
        def edit(obj: dict[str, Any]) -> None:
            if obj['status'].get('phase') not in ('Succeeded', 'Failed'):
                obj['status']['phase'] = 'Failed'
            obj['status'].setdefault('conditions', []).append(
                pod_status.condition(
                    obj, 'DisruptionTarget', 'True', 'DeletionByPodGC',
                    'PodGC: node no longer exists'))
        meta = pod['metadata']
        if not any(c['type'] == 'DisruptionTarget'
                   for c in pod['status'].get('conditions') or []):
            self.store.change(resources.PODS, meta['namespace'],
                              meta['name'], edit)
        if not meta.get('finalizers'):
            self.store.remove(resources.PODS, pod)

    # ownership and namespaces

    def _collect_orphans(self) -> None:
        uids = {obj['metadata']['uid']
                for obj in self.store.objects.values()}
        for (resource, _, _), obj in list(self.store.objects.items()):
            owners = obj['metadata'].get('ownerReferences') or []
            if owners and not any(o.get('uid') in uids for o in owners):
                self.delete(resource, obj)

    def _end_namespaces(self) -> None:
        for namespace in self.store.select(resources.NAMESPACES):
            meta = namespace['metadata']
            if not meta.get('deletionTimestamp'):
                continue
            contents = [(key[0], obj) for key, obj in
                        list(self.store.objects.items())
                        if key[1] == meta['name']]
            for resource, obj in contents:
                if not obj['metadata'].get('deletionTimestamp'):
                    self.delete(resource, obj)
            if not any(k[1] == meta['name'] for k in self.store.objects):
                self.store.change(
                    resources.NAMESPACES, '', meta['name'],
                    lambda obj: obj['spec'].update(finalizers=[]))

    def delete(self, resource: resources.ResourceType, obj: dict[str, Any],
               grace: int | None = None) -> dict[str, Any]:
        """Delete as the API does: at once, or with a grace period.

        :param grace: seconds; None is the Pod's own.
        :returns: the object as it is after this.
        """
        meta = obj['metadata']
        current = self.store.find(resource, meta.get('namespace', ''),
                                  meta['name'])
        if current is None:
            return obj
        obj = copy.deepcopy(current)
        seconds = _grace(resource, obj, grace)
        meta = obj['metadata']
        if meta.get('deletionTimestamp'):
            if seconds >= (meta.get('deletionGracePeriodSeconds') or 0) and (
                    seconds or meta.get('finalizers')):
                return current
        elif 'generation' in meta:
            meta['generation'] += 1
        moment = datetime.datetime.now(
            datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
        meta['deletionTimestamp'] = moment.strftime('%Y-%m-%dT%H:%M:%SZ')
        if resource is not resources.PODS and not meta.get(
                'finalizers') and not (obj.get('spec') or {}).get(
                    'finalizers'):
            return self.store.remove(resource, obj)
        if resource is resources.NAMESPACES:
            obj['status'] = {'phase': 'Terminating'}
        else:
            meta['deletionGracePeriodSeconds'] = seconds
        return self.store.update(resource, obj)


def _grace(resource: resources.ResourceType, pod: dict[str, Any],
           wanted: int | None) -> int:
    if resource is not resources.PODS:
        return 0
    if not pod['spec'].get('nodeName') or pod['status'].get('phase') in (
            'Succeeded', 'Failed'):
        return 0
    if wanted is not None:
        return wanted
    return int(pod['spec']['terminationGracePeriodSeconds'])
