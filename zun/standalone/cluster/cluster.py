# SPDX-License-Identifier: Apache-2.0
"""The simulated cluster as one object: start it, point a client at it."""

import asyncio
import concurrent.futures
import json
import os
import pathlib
import secrets
import shutil
import socket
import tempfile
import threading
from typing import Any
from typing import Callable
from typing import Coroutine
from typing import Sequence
from typing import TypeVar

from aiohttp import web

from zun.standalone.cluster import certificate
from zun.standalone.cluster import controllers
from zun.standalone.cluster import images
from zun.standalone.cluster import kubelet
from zun.standalone.cluster import processes
from zun.standalone.cluster import resources
from zun.standalone.cluster import server
from zun.standalone.cluster import store as stores
from zun.standalone.cluster import verbs
from zun.standalone import faults

T = TypeVar('T')
NAMESPACES = ('default', 'kube-system', 'kube-public', 'kube-node-lease')
_CALL_LIMIT = 60.0
#: Seconds between two writes of the state to disk.
SAVE_EVERY = 2.0


class Cluster:
    """A simulated Kubernetes on loopback.

    :param root: folder for logs, working directories and the saved state;
        None makes one that is deleted at the end.
    :param nodes: the nodes to have from the start.
    :param known: images that can be pulled.
    :param port: 0 chooses a free one.

    All public methods may be called from any thread.
    """

    def __init__(self, root: str | os.PathLike[str] | None = None,
                 nodes: Sequence[kubelet.NodeSpec] = (
                     kubelet.NodeSpec('standalone'),),
                 known: tuple[images.Image, ...] = images.DEFAULT,
                 port: int = 0, timing: kubelet.Timing | None = None
                 ) -> None:
        self._temporary = root is None
        self.root = pathlib.Path(
            root or tempfile.mkdtemp(prefix='zun-k8s-')).absolute()
        self.root.mkdir(parents=True, exist_ok=True)
        self.token = self._token()
        self.faults = faults.Faults()
        self.registry = images.Registry(known)
        self.timing = timing or kubelet.Timing()
        self.port = port
        self.store = stores.Store()
        self._specs = list(nodes)
        self._tls = certificate.server_context(self.root)
        self._events = controllers.Events(self.store)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._run, name='simulated-cluster', daemon=True)
        self._listening: asyncio.Server | None = None
        self._web: web.Server | None = None

    @property
    def url(self) -> str:
        """Where the API answers."""
        return 'https://127.0.0.1:%d' % self.port

    # starting and stopping

    def start(self) -> 'Cluster':
        """Start everything; returns itself."""
        processes.kill_members('%s/' % self.root)  # left by a crash
        self._thread.start()
        self._await(self._start())
        return self

    def stop(self) -> None:
        """Save the state, end all containers, stop answering."""
        if self._thread.is_alive():
            self._await(self._stop())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        if self._temporary:
            shutil.rmtree(self.root, ignore_errors=True)

    def __enter__(self) -> 'Cluster':
        return self.start()

    def __exit__(self, *_exc: object) -> None:
        self.stop()

    def kubeconfig(self, path: str | os.PathLike[str] | None = None
                   ) -> str:
        """Write a kubeconfig file (mode 0600) and return its path."""
        target = pathlib.Path(path or self.root / 'kubeconfig')
        document = {
            'apiVersion': 'v1', 'kind': 'Config',
            'current-context': 'simulated',
            'clusters': [{'name': 'simulated',
                          'cluster': {
                              'server': self.url,
                              'certificate-authority':
                              str(self.root / 'tls.crt')}}],
            'users': [{'name': 'admin', 'user': {'token': self.token}}],
            'contexts': [{'name': 'simulated', 'context': {
                'cluster': 'simulated', 'user': 'admin'}}]}
        _write_private(target, json.dumps(document, indent=2))
        return str(target)

    # the API server

    def stop_api(self) -> None:
        """Stop listening and break all connections; containers go on."""
        self._await(self._close_listener())

    def start_api(self) -> None:
        """Listen again on the same port, with the same state."""
        self._await(self._listen())

    def drop_watches(self) -> None:
        """Break all watches."""
        self.call(lambda: [t.cancel() for t in self.server.watches])

    def compact(self) -> None:
        """Forget past events: resumed watches get 410."""
        self.call(self.store.compact)

    def fault(self, **fields: Any) -> faults.Fault:
        """Put a :class:`faults.Fault` in force."""
        fault = faults.Fault(**fields)
        self.call(lambda: self.faults.add(fault))
        return fault

    def record_requests(self) -> list[tuple[str, str]]:
        """Start to note (method, path) of requests; the growing list."""
        def begin() -> list[tuple[str, str]]:
            self.server.record = True
            self.server.requests.clear()
            return self.server.requests
        return self.call(begin)

    # nodes and Pods

    def add_node(self, spec: kubelet.NodeSpec) -> None:
        """Add a node and start its kubelet."""
        self.call(lambda: self._add_node(spec))

    def lose_node(self, name: str, notice: bool = True) -> None:
        """A node goes off with all its containers.

        :param notice: show it as unreachable at once, not after 40 s.
        """
        self._await(self._lose_node(name, notice))

    def return_node(self, name: str) -> None:
        """A lost node comes back, without its containers."""
        self.call(self.control.kubelets[name].start)

    def delete_node(self, name: str) -> None:
        """A node and its Node object go for good."""
        self._await(self._delete_node(name))

    def remove_pod(self, namespace: str, name: str) -> None:
        """Take a Pod away behind everybody's back."""
        def remove() -> None:
            pod = self.store.get(resources.PODS, namespace, name)
            self.store.remove(resources.PODS, pod)
        self.call(remove)

    def kill_container(self, namespace: str, name: str, container: str,
                       reason: str) -> None:
        """SIGKILL a container; ``reason`` (OOMKilled) is what it shows."""
        def kill() -> None:
            pod = self.store.get(resources.PODS, namespace, name)
            node = self.control.kubelets[pod['spec']['nodeName']]
            found = node.container(pod['metadata']['uid'], container)
            if found is None:
                raise KeyError('no container %s in Pod %s' % (
                    container, name))
            found.killed_for = reason
            found.signal(9)
        self.call(kill)

    def add_image(self, image: images.Image) -> None:
        """Make one more image known to the registry."""
        self.call(lambda: self.registry.add(image))

    # inside the loop

    def call(self, function: Callable[[], T]) -> T:
        """Run a function in the cluster's thread."""
        async def run() -> T:
            return function()
        return self._await(run())

    def submit(self, work: Coroutine[Any, Any, T]
               ) -> concurrent.futures.Future[T]:
        """Run a coroutine in the cluster's thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _await(self, work: Coroutine[Any, Any, T]) -> T:
        return self.submit(work).result(_CALL_LIMIT)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    async def _start(self) -> None:
        self.control = controllers.Controllers(self.store, self._events)
        self.server = server.Server(
            self.store, verbs.Verbs(self.store, self.control),
            self.control.kubelets, self.faults, self.token)
        self._web = web.Server(self.server.handle, access_log=None,
                               handler_cancellation=True)
        if not self._load():
            self._seed()
        for spec in self._specs:
            self._add_node(spec)
        self.control.start()
        self._saver = asyncio.ensure_future(self._keep_saved())
        await self._listen()

    async def _stop(self) -> None:
        await self._close_listener()
        await self.control.stop()
        self._saver.cancel()
        self._save()
        for node in self.control.kubelets.values():
            await node.stop()
        if self._web is not None:
            await self._web.shutdown(1.0)

    async def _listen(self) -> None:
        if self._listening is not None or self._web is None:
            return
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(('127.0.0.1', self.port))
        self.port = listener.getsockname()[1]
        self._listening = await self._loop.create_server(
            self._web, sock=listener, ssl=self._tls)

    async def _close_listener(self) -> None:
        if self._listening is None:
            return
        self._listening.close()
        self._listening = None
        for connection in list(self._web.connections if self._web else ()):
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.sleep(0)

    def _seed(self) -> None:
        for name in NAMESPACES:
            self.server.verbs.create(resources.NAMESPACES, '',
                                     {'metadata': {'name': name}})
        self.store.create(resources.RUNTIMECLASSES, {
            'metadata': {'name': 'kata'}, 'handler': 'kata'})

    def _add_node(self, spec: kubelet.NodeSpec) -> None:
        index = len(self.control.kubelets)
        node = kubelet.Kubelet(
            self.store, spec, self.registry,
            self.root / 'nodes' / spec.name, self._events, self.timing,
            index)
        self.control.kubelets[spec.name] = node
        node.start()

    async def _lose_node(self, name: str, notice: bool) -> None:
        await self.control.kubelets[name].stop()
        if notice:
            self.control.mark_unreachable(name)

    async def _delete_node(self, name: str) -> None:
        await self.control.kubelets[name].stop()
        node = self.store.find(resources.NODES, '', name)
        if node is not None:
            self.store.remove(resources.NODES, node)
        del self.control.kubelets[name]

    # saved state

    def _token(self) -> str:
        path = self.root / 'token'
        if path.exists():
            return path.read_text().strip()
        token = secrets.token_urlsafe(24)
        _write_private(path, token)
        return token

    async def _keep_saved(self) -> None:
        saved = 0
        while True:
            if self.store.version != saved:
                saved = self.store.version
                self._save()
            await asyncio.sleep(SAVE_EVERY)

    def _save(self) -> None:
        if self._temporary:
            return
        document = {'version': self.store.version, 'objects': [
            [r.group, r.version, r.plural, obj]
            for (r, _, _), obj in self.store.objects.items()
            if r is not resources.EVENTS]}
        _write_private(self.root / 'objects.json', json.dumps(document))

    def _load(self) -> bool:
        path = self.root / 'objects.json'
        if not path.exists():
            return False
        document = json.loads(path.read_text())
        self.store.version = self.store.oldest = document['version'] + 1
        for group, version, plural, obj in document['objects']:
            resource = resources.BY_PATH.get((group, version, plural))
            if resource is not None:
                meta = obj['metadata']
                self.store.objects[(resource, meta.get('namespace', ''),
                                    meta['name'])] = obj
        return True


def _write_private(path: pathlib.Path, text: str) -> None:
    """Write a file that only its owner may read, all or nothing."""
    temporary = path.with_suffix('.new')
    with open(os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC,
                      0o600), 'w') as target:
        target.write(text)
    temporary.replace(path)
