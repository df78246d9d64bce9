# SPDX-License-Identifier: Apache-2.0
"""The runtime interface of the agent, on a simulated node.

What containerd does on a real node: signals with any number, waiting, pause
(SIGSTOP to all processes of the container) and resume.
"""

import asyncio

from zun.container.runtime import base
from zun.standalone.cluster import cluster as clusters
from zun.standalone.cluster import containers


class Simulated(base.Runtime):
    """Containers of one node of a cluster in this process."""

    def __init__(self, cluster: clusters.Cluster, node: str) -> None:
        super().__init__()
        self._cluster = cluster
        self._node = node

    def version(self) -> str:
        self._workers()
        return 'simulated 1'

    def find(self, pod_uid: str, container_name: str
             ) -> base.RuntimeContainer | None:
        def look() -> base.RuntimeContainer | None:
            worker = self._workers().get(pod_uid)
            found = worker and worker.containers.get(container_name)
            return _describe(found) if found else None
        return self._cluster.call(look)

    def state(self, container_id: str) -> base.State:
        return self._cluster.call(
            lambda: _describe(self._container(container_id)).state)

    def signal(self, container_id: str, signum: int) -> None:
        def send() -> bool:
            return self._container(container_id).signal(signum)
        if not 1 <= signum <= 64:
            raise base.RuntimeError('%d is no signal' % signum)
        if not self._cluster.call(send):
            raise base.ContainerGone(container_id)

    def wait(self, container_id: str, timeout: float) -> int | None:
        async def ended() -> int | None:
            container = self._container(container_id)
            try:
                async with asyncio.timeout(timeout):
                    await container.ended.wait()
            except TimeoutError:
                return None
            return container.exit_code
        return self._cluster.submit(ended()).result()

    def pause(self, container_id: str) -> None:
        self._cluster.call(lambda: self._running(container_id).pause())

    def resume(self, container_id: str) -> None:
        self._cluster.call(lambda: self._running(container_id).resume())

    def _workers(self):
        node = self._cluster.control.kubelets.get(self._node)
        if node is None or node.gone:
            raise base.RuntimeUnavailable(
                'the simulated node %s is off' % self._node)
        return node.workers

    def _container(self, container_id: str) -> containers.Container:
        for worker in self._workers().values():
            for container in worker.containers.values():
                if container.id == container_id:
                    return container
        raise base.ContainerGone(container_id)

    def _running(self, container_id: str) -> containers.Container:
        container = self._container(container_id)
        if not container.running:
            raise base.ContainerGone(container_id)
        return container


def _describe(container: containers.Container) -> base.RuntimeContainer:
    if container.process is None:
        return base.RuntimeContainer(container.id, base.State.CREATED)
    if not container.running:
        return base.RuntimeContainer(container.id, base.State.STOPPED,
                                     exit_code=container.exit_code)
    state = base.State.PAUSED if container.paused else base.State.RUNNING
    return base.RuntimeContainer(container.id, state,
                                 pid=container.process.pid)
