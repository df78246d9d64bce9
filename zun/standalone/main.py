# SPDX-License-Identifier: Apache-2.0
"""All parts in one process, started and stopped in order."""

import os
import socket
import threading
from typing import Callable

from oslo_log import log as logging

from zun.api import app as api_app
from zun.api import server as api_server
from zun.common.k8s import client as k8s
from zun.common import keystone
from zun.common import process
from zun.common import service
from zun.compute import manager as compute_manager
from zun.compute import node_keeper
from zun.compute import node_reporter
from zun.compute.operations import sync
from zun.compute import service as compute_service
from zun.compute.tasks import registry
from zun.compute.tasks import service as task_service
import zun.conf
from zun.container import driver as container_driver
from zun.db import api as db_api
from zun.db import migration
from zun import objects
from zun.standalone.cluster import cluster as clusters
from zun.standalone.cluster import kubelet
from zun.standalone.peers import identity
from zun.standalone.peers import server as peers_server
from zun.standalone import runtime
from zun.standalone import settings
from zun.websocket import proxy

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)

NETWORK = '10.20.0.0/20'
SHARED_NETWORK = '10.30.0.0/20'
#: Seconds that running tasks have to end when the process stops.
STOP_WAIT = 10


class Standalone:
    """The whole service in this process.

    :param folder: where it keeps everything.
    :param kubeconfig: a real cluster; None starts the simulated one.
    :param nodes: nodes of the simulated cluster.
    :param tell: called with a line for each thing done.
    """

    def __init__(self, folder: settings.Folder,
                 ports: settings.Ports = settings.Ports(),
                 kubeconfig: str | None = None,
                 nodes: tuple[kubelet.NodeSpec, ...] = (
                     kubelet.NodeSpec(settings.HOST),),
                 tell: Callable[[str], None] = LOG.info,
                 debug: bool = False) -> None:
        self.folder = folder
        self.ports = ports
        self.kubeconfig = kubeconfig
        self.nodes = nodes
        self.debug = debug
        self.cluster: clusters.Cluster | None = None
        self.peers: peers_server.Peers | None = None
        self._tell = tell
        self._stops: list[tuple[str, Callable[[], None]]] = []

    @property
    def identity_url(self) -> str:
        """Where clients log in."""
        if self.peers is None:
            raise RuntimeError('the stand-ins have not been started')
        return self.peers.url + '/identity/v3'

    def start(self) -> 'Standalone':
        """Start all parts; what was started is stopped when one fails."""
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Stop all parts, the last first."""
        while self._stops:
            what, stop = self._stops.pop()
            LOG.info('Stopping %s', what)
            stop()

    def __enter__(self) -> 'Standalone':
        return self.start()

    def __exit__(self, *_exc: object) -> None:
        self.stop()

    def _start(self) -> None:
        self._check_ports()
        config = self._start_cluster()
        self._start_peers()
        self._configure(config)
        self._open_database()
        self._start_api()
        self._start_hosts()
        self._start_worker()
        self._start_proxy()

    def _started(self, what: str, where: str,
                 stop: Callable[[], None]) -> None:
        self._stops.append((what, stop))
        self._tell('%s: %s' % (what, where))

    def _check_ports(self) -> None:
        """Refuse ports that are taken (the API would share its own)."""
        wanted = {'API': self.ports.api, 'proxy': self.ports.proxy,
                  'stand-ins': self.ports.peers}
        if self.kubeconfig is None:
            wanted['cluster'] = self.ports.cluster
        for what, port in wanted.items():
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind(('127.0.0.1', port))
                except OSError as error:
                    raise process.StartError(
                        'port %d on 127.0.0.1 for the %s: %s' % (
                            port, what, error.strerror)) from error

    # parts

    def _start_cluster(self) -> str:
        if self.kubeconfig is not None:
            self._tell('cluster: the one of %s' % self.kubeconfig)
            return os.path.abspath(self.kubeconfig)
        self.cluster = start_cluster(self.folder, self.ports, self.nodes)
        self._started('simulated cluster', '%s (its containers are '
                      'processes of this machine and not isolated)'
                      % self.cluster.url, self.cluster.stop)
        return self.cluster.kubeconfig()

    def _start_peers(self) -> None:
        self.peers = start_peers(self.folder, self.ports)
        self._started('stand-ins for Keystone, Placement, Neutron, Cinder '
                      'and Glance', self.peers.url, self.peers.stop)

    def _configure(self, kubeconfig: str) -> None:
        file = self.folder.configure(
            ports=self.ports, identity_url=self.identity_url,
            kubeconfig=kubeconfig, runtime_class='kata', debug=self.debug)
        service.prepare_service(['zun-standalone', '--config-file',
                                 str(file)])
        objects.register_all()
        keystone.reset()
        k8s.reset()
        if k8s.get_cluster().find(k8s.RUNTIME_CLASSES, 'kata') is None:
            self._tell('the cluster has no RuntimeClass kata: containers '
                       'run with its default runtime')
            CONF.set_override('runtime_class', '', 'kubernetes')

    def _open_database(self) -> None:
        db_api.configure()
        migration.upgrade(None)
        self._stops.append(('database', db_api.dispose))
        self._tell('database: %s' % CONF.database.connection)

    def _start_api(self) -> None:
        self._run_part('API', 'http://127.0.0.1:%d/v1' % self.ports.api,
                       api_server.ApiServer(api_app.load_app()))

    def _start_hosts(self) -> None:
        nodes, _ = k8s.get_cluster().list(k8s.NODES)
        for node in nodes:
            self._start_host(node['metadata']['name'])

    def _start_host(self, name: str) -> None:
        """What the agent of a node does, for one node."""
        reporter = node_reporter.NodeReporter(name)
        reporter.beat()
        reporter.report()
        self._run_part('host', name, reporter)
        if self.cluster is None:
            return  # no way to the runtime of a real node from here
        driver = container_driver.load_container_driver()
        driver.runtime = runtime.Simulated(self.cluster, name)
        self._run_part('keeper', name, node_keeper.NodeKeeper(driver, name))
        tasks = task_service.TaskService(
            registry.from_manager(compute_manager.Manager(driver)), name,
            registry.AGENT_BINARY, is_leader=lambda: False,
            queue=registry.AGENT + name)
        tasks.start()
        self._started('agent', name, lambda: tasks.stop(STOP_WAIT))

    def _start_worker(self) -> None:
        leadership = compute_service.Leadership(
            None, lambda: [sync.StateSync()])
        tasks = compute_service.Tasks(
            compute_manager.Manager(), settings.HOST,
            leadership.is_leader, lambda: STOP_WAIT)
        self._run_part('worker', 'runs tasks', tasks)
        self._run_part('state sync', 'follows the Pods', leadership)

    def _start_proxy(self) -> None:
        server = proxy.Proxy(container_driver.load_container_driver())
        server.listen()
        thread = threading.Thread(target=server.serve_forever, name='proxy',
                                  daemon=True)
        thread.start()

        def stop() -> None:
            server.stop()
            thread.join()
        self._started('WebSocket proxy',
                      'ws://127.0.0.1:%d/' % self.ports.proxy, stop)

    def _run_part(self, what: str, where: str, part: process.Part) -> None:
        part.start()
        self._started(what, where, part.stop)


def start_cluster(folder: settings.Folder, ports: settings.Ports,
                  nodes: tuple[kubelet.NodeSpec, ...]) -> clusters.Cluster:
    """The simulated cluster of a folder, started."""
    return clusters.Cluster(folder.path / 'cluster', nodes,
                            port=ports.cluster).start()


def start_peers(folder: settings.Folder, ports: settings.Ports
                ) -> peers_server.Peers:
    """The stand-ins of a folder, started, with networks."""
    peers = peers_server.Peers(
        folder.path / 'peers', folder.users(),
        'http://127.0.0.1:%d/v1' % ports.api, ports.peers).start()
    if not peers.network.rows['networks']:
        project = identity.project_id(settings.PROJECT)
        peers.network.add_network('private', project, NETWORK)
        peers.network.add_network(
            'shared', identity.project_id('service'), SHARED_NETWORK, True)
    return peers
