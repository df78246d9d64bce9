# SPDX-License-Identifier: Apache-2.0
"""Pod status from the states of its containers: pure functions.

Conditions, reasons and their order are those of a real kubelet 1.36.
"""

import dataclasses
from typing import Any

from zun.standalone.cluster import store


@dataclasses.dataclass
class ContainerState:
    """What the kubelet knows of one container.

    Exactly one of ``waiting``, ``running`` and ``terminated`` is set; each
    is the document of the API's ContainerState.
    """

    name: str
    image: str
    image_id: str = ''
    container_id: str = ''
    waiting: dict[str, str] | None = None
    running: dict[str, str] | None = None
    terminated: dict[str, Any] | None = None
    ready: bool = False
    started: bool = False
    resources: dict[str, Any] | None = None
    restarts: int = 0
    last: dict[str, Any] | None = None

    def document(self) -> dict[str, Any]:
        """An entry of ``containerStatuses``."""
        state = {key: value for key, value in (
            ('waiting', self.waiting), ('running', self.running),
            ('terminated', self.terminated)) if value is not None}
        doc: dict[str, Any] = {
            'name': self.name, 'image': self.image,
            'imageID': self.image_id, 'state': state,
            'lastState': {'terminated': self.last} if self.last else {},
            'ready': self.ready, 'started': self.started,
            'restartCount': self.restarts}
        if self.container_id:
            doc['containerID'] = 'containerd://' + self.container_id
            doc['resources'] = self.resources or {}
            requests = (self.resources or {}).get('requests')
            if requests and self.running is not None:
                doc['allocatedResources'] = requests
        return doc


def restarts(state: ContainerState, policy: str, init: bool = False
             ) -> bool:
    """Whether an ended container is started again."""
    if state.terminated is None or policy == 'Never':
        return False
    failed = state.terminated['exitCode'] != 0
    return failed or (policy == 'Always' and not init)


def phase(init: list[ContainerState], main: list[ContainerState],
          stopping: bool, policy: str = 'Never') -> str:
    """Pending, Running, Succeeded or Failed.

    :param stopping: nothing is started again: a deadline or a deletion.
    """
    policy = 'Never' if stopping else policy
    for state in init:
        if state.terminated is None or restarts(state, policy, True):
            return 'Pending'
        if state.terminated['exitCode'] != 0:
            return 'Failed'
    ended = [s for s in main if s.terminated]
    if len(ended) == len(main) and not any(
            restarts(s, policy) for s in main):
        failed = any(s.terminated['exitCode'] for s in ended
                     if s.terminated)
        return 'Failed' if failed else 'Succeeded'
    if any(s.running or s.terminated or s.last for s in main):
        return 'Running'
    return 'Pending'


def conditions(pod: dict[str, Any], init: list[ContainerState],
               main: list[ContainerState], sandbox: bool, current: str
               ) -> list[dict[str, Any]]:
    """The five conditions, keeping transition times that did not change.

    :param current: the phase.
    """
    done = [s for s in init
            if s.terminated and s.terminated['exitCode'] == 0]
    unready = [s.name for s in main if not s.ready]
    reason, message = '', ''
    if current in ('Succeeded', 'Failed'):
        reason = 'PodCompleted' if current == 'Succeeded' else 'PodFailed'
    elif unready:
        reason = 'ContainersNotReady'
        message = 'containers with unready status: [%s]' % ' '.join(unready)
    ready = not reason and not unready
    if len(done) < len(init):
        waiting = [s.name for s in init if s not in done]
        initialized: dict[str, Any] = {
            'status': 'False', 'reason': 'ContainersNotInitialized',
            'message': 'containers with incomplete status: [%s]' %
            ' '.join(waiting)}
    elif current == 'Succeeded':
        initialized = {'status': 'True', 'reason': 'PodCompleted'}
    else:
        initialized = {'status': 'True'}
    readiness: dict[str, Any] = {'status': 'True' if ready else 'False'}
    if reason:
        readiness['reason'] = reason
    if message:
        readiness['message'] = message
    wanted = (
        ('PodReadyToStartContainers',
         {'status': 'True' if sandbox else 'False'}),
        ('Initialized', initialized), ('Ready', readiness),
        ('ContainersReady', readiness), ('PodScheduled',
                                         {'status': 'True'}))
    return [condition(pod, kind, **doc) for kind, doc in wanted]


def condition(pod: dict[str, Any], kind: str, status: str, reason: str = '',
              message: str = '') -> dict[str, Any]:
    """One condition document."""
    before = next((c for c in pod.get('status', {}).get('conditions') or []
                   if c['type'] == kind), None)
    since = store.now()
    if before and before['status'] == status:
        since = before['lastTransitionTime']
    doc: dict[str, Any] = {
        'type': kind, 'status': status, 'lastProbeTime': None,
        'lastTransitionTime': since,
        'observedGeneration': pod['metadata'].get('generation', 1)}
    if reason:
        doc['reason'] = reason
    if message:
        doc['message'] = message
    return doc


def apply(pod: dict[str, Any], init: list[ContainerState],
          main: list[ContainerState], *, node_ip: str, pod_ip: str,
          sandbox: bool, stopping: bool = False, deadline: bool = False
          ) -> None:
    """Write the kubelet's view into ``pod['status']``, in place."""
    status = pod.setdefault('status', {})
    extra = [c for c in status.get('conditions') or []
             if c['type'].startswith(('PodResize', 'Disruption'))]
    current = phase(init, main, stopping or deadline,
                    pod['spec']['restartPolicy'])
    if deadline and not any(s.running for s in init + main):
        current = 'Failed'
    status['conditions'] = conditions(
        pod, init, main, sandbox, current) + extra
    status['phase'] = current
    status.setdefault('startTime', store.now())
    status['observedGeneration'] = pod['metadata'].get('generation', 1)
    status['hostIP'] = node_ip
    status['hostIPs'] = [{'ip': node_ip}]
    if sandbox:
        status['podIP'] = pod_ip
        status['podIPs'] = [{'ip': pod_ip}]
    if init:
        status['initContainerStatuses'] = [s.document() for s in init]
    status['containerStatuses'] = [s.document() for s in main]
    if deadline:
        status['reason'] = 'DeadlineExceeded'
        status['message'] = ('Pod was active on the node longer than the '
                             'specified deadline')
