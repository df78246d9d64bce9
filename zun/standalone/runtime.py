# SPDX-License-Identifier: Apache-2.0
"""The runtime interface of the agent, on a simulated node.

What containerd does on a real node: signals with any number, waiting, pause
(SIGSTOP to all processes of the container) and resume, and images made of
containers.
"""

import asyncio
import json
import pathlib
import typing

from zun.container.runtime import base
from zun.image.oci import archive
from zun.standalone.cluster import cluster as clusters
from zun.standalone.cluster import containers
from zun.standalone.cluster import images
from zun.standalone.cluster import layers

# Bytes of an image archive that a simulated node takes at most.
_ARCHIVE_BYTES = 1 << 30


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

    # -- images and layers -------------------------------------------------
    def pull(self, reference: str,
             credentials: tuple[str, str, str] | None = None
             ) -> base.RuntimeImage:
        name = images.normalize(reference)
        auths = []
        if credentials is not None:
            auths = [{name.partition('/')[0]: {
                'username': credentials[1], 'password': credentials[2]}}]

        def fetch() -> None:
            self._kubelet().add_image(
                name, self._cluster.registry.pull(name, auths))

        try:
            self._cluster.call(fetch)
        except images.ImageError as exc:
            kind = (base.ObjectMissing if self._cluster.registry.find(name)
                    is None else base.RuntimeError)
            raise kind(str(exc)) from exc
        return self.usable(reference)

    def usable(self, reference: str) -> base.RuntimeImage | None:
        name = images.normalize(reference)
        found = self._cluster.call(
            lambda: self._kubelet().present.get(name))
        if found is None:
            return None
        return base.RuntimeImage(reference, images.digest(name), found.size)

    def discard(self, image_id: str, reference: str) -> bool:
        return self._cluster.call(lambda: self._kubelet().remove_image(
            images.normalize(reference)))

    def import_archive(self, source: typing.BinaryIO, name: str,
                       labels: dict[str, str] | None = None
                       ) -> base.RuntimeImage:
        with archive.Archive(source, _ARCHIVE_BYTES) as found:
            contents = found.contents()
            config = json.loads(found.read(contents.config_path))
            parts = [found.open(path)[0] for path in contents.layers]

            def take() -> None:
                node = self._kubelet()
                made = node.layers.take(images.normalize(name), config.get(
                    'config') or {}, parts, labels or {})
                node.add_image(made.reference, made.image)

            self._cluster.call(take)
        return self.usable(name)

    def image(self, name: str) -> base.RuntimeImage | None:
        found = self._cluster.call(
            lambda: self._kubelet().layers.known.get(images.normalize(name)))
        return _image(found) if found else None

    def list_images(self, prefix: str = '') -> list[base.RuntimeImage]:
        found = self._cluster.call(
            lambda: list(self._kubelet().layers.known.values()))
        return sorted((_image(layer) for layer in found
                       if layer.reference.startswith(prefix)),
                      key=lambda image: image.created)

    def remove_image(self, name: str) -> None:
        def remove() -> None:
            reference = images.normalize(name)
            self._kubelet().layers.remove(reference)
            self._kubelet().remove_image(reference)
        self._cluster.call(remove)

    def commit(self, container_id: str, name: str,
               labels: dict[str, str] | None = None,
               unpack: bool = True) -> base.RuntimeImage:
        def make() -> layers.Layer:
            node = self._kubelet()
            made = node.layers.add(
                images.normalize(name), self._container(container_id),
                labels or {})
            node.add_image(made.reference, made.image)
            return made
        return _image(self._cluster.call(make))

    def export_archive(self, name: str, fileobj: typing.BinaryIO,
                       tag: str | None = None) -> int:
        found = self._cluster.call(
            lambda: self._kubelet().layers.known.get(images.normalize(name)))
        if found is None:
            raise base.ObjectMissing('there is no image %s' % name)
        return fileobj.write(layers.archive(found, tag or name))

    def log_path(self, container_id: str) -> pathlib.Path | None:
        return self._cluster.call(
            lambda: self._container(container_id).log.path)

    def _kubelet(self):
        self._workers()
        return self._cluster.control.kubelets[self._node]

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


def _image(layer: layers.Layer) -> base.RuntimeImage:
    return base.RuntimeImage(
        layer.reference, images.digest(layer.reference), layer.size,
        layer.labels, layer.created, layer.size)
