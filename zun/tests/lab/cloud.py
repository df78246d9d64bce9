# SPDX-License-Identifier: Apache-2.0
"""A cloud around a real cluster: database, stand-in peers, worker, sync.

All in this process and through the real parts, so that a test asks for
something as the API does and looks at what became of it.
"""

import threading
import time

import fixtures
from oslo_utils import uuidutils

from zun.common import context as zun_context
from zun.common.k8s import client
from zun.common import keystone
from zun.common import quota
from zun.compute import api as compute_api
from zun.compute import manager
from zun.compute import node_keeper
from zun.compute import node_reporter
from zun.compute.operations import sync
from zun.compute.tasks import registry
from zun.compute.tasks import service as task_service
import zun.conf
from zun.container import driver as container_driver
from zun.container.k8s import namespaces
from zun.container.runtime import containerd
from zun.container.runtime import kept
from zun.db import api as db_api
from zun.network import neutron
from zun import objects
from zun.standalone import main as standalone
from zun.standalone.peers import identity
from zun.standalone import settings
from zun.tests import fixtures as zun_fixtures
from zun.volume import request as volume_request

CONF = zun.conf.CONF

# Seconds that anything may take here; generous, the machine is shared.
LIMIT = 90.0

FINAL = ('Running', 'Stopped', 'Error', 'Created', 'Deleted')


class Cloud(fixtures.Fixture):
    """What a test asks things of.

    :param kubeconfig: of the cluster.
    :param syncing: keep rows true to the cluster.
    :param containerd: socket of the node's runtime, for its agent; None
        is a node without one.
    """

    def __init__(self, kubeconfig: str, syncing: bool = True,
                 containerd: str | None = None):
        super().__init__()
        self._kubeconfig = kubeconfig
        self._syncing = syncing
        self._containerd = containerd
        self.prefix = 'zunlab%s-' % uuidutils.generate_uuid()[:6]

    def _setUp(self) -> None:
        folder = settings.Folder(self.useFixture(fixtures.TempDir()).path)
        self.peers = standalone.start_peers(folder, settings.Ports(
            peers=0))
        self.addCleanup(self.peers.stop)
        self._configure(folder)
        self.useFixture(zun_fixtures.Database(in_file=True))
        objects.register_all()
        self.context = self._user(folder)
        self.cluster = client.get_cluster()
        self.addCleanup(self._remove_namespace)
        self.host = self._report_node()
        self.start_worker()
        if self._containerd:
            self.start_agent()
        if self._syncing:
            state_sync = sync.StateSync()
            state_sync.start()
            self.addCleanup(state_sync.stop)

    def _configure(self, folder):
        file = folder.configure(
            ports=settings.Ports(),
            identity_url=self.peers.url + '/identity/v3',
            kubeconfig=self._kubeconfig, runtime_class='kata')
        CONF(['--config-file', str(file)], project='zun')
        for group, name, value in (
                ('kubernetes', 'namespace_prefix', self.prefix),
                ('kubernetes', 'stop_timeout', 2),
                ('agent', 'state_path', str(folder.path / 'agent')),
                (None, 'container_driver', 'k8s'),
                (None, 'sync_container_state_interval', 3)):
            CONF.set_override(name, value, group)
        self.addCleanup(CONF.reset)
        self.addCleanup(client.reset)
        self.addCleanup(keystone.reset)
        client.reset()
        keystone.reset()

    @staticmethod
    def _user(folder):
        return zun_context.make_context(
            auth_token=folder.secrets['token'],
            project_id=identity.project_id(settings.PROJECT),
            user_id='demo', roles=['member'],
            is_admin=False)

    def _report_node(self):
        nodes, __ = self.cluster.list(client.NODES)
        name = nodes[0]['metadata']['name']
        reporter = node_reporter.NodeReporter(name)
        reporter.beat()
        reporter.report()
        return name

    def start_worker(self) -> task_service.TaskService:
        worker = task_service.TaskService(
            registry.from_manager(manager.Manager()), 'lab', 'zun-compute',
            is_leader=lambda: True)
        worker.start()
        self.addCleanup(worker.stop, 5)
        return worker

    def start_agent(self) -> task_service.TaskService:
        """What takes the tasks of the node; stopped before the rest."""
        driver = container_driver.load_container_driver()
        self.agent_driver = driver
        driver.runtime = self.runtime = containerd.Containerd(
            self._containerd)
        pending = node_keeper.equip(self.runtime)
        threading.Thread(target=pending.run, args=(self.runtime,),
                         daemon=True).start()
        self.addCleanup(pending.end)
        self.addCleanup(self._remove_layers)
        agent = task_service.TaskService(
            registry.from_manager(manager.Manager(driver)), self.host,
            registry.AGENT_BINARY, is_leader=lambda: False,
            queue=registry.AGENT + self.host)
        agent.start()
        self.addCleanup(agent.stop, 5)
        return agent

    def _remove_layers(self):
        for image in self.runtime.list_images(kept.PREFIX):
            if image.labels.get(kept.DEPLOYMENT) == self.prefix:
                self.runtime.remove_image(image.name)

    def _remove_namespace(self):
        name = self.namespace
        if self.cluster.find(client.NAMESPACES, name):
            self.cluster.delete(client.NAMESPACES, name)

    @property
    def namespace(self) -> str:
        return namespaces.name_of(self.context.project_id)

    # -- what the API asks for -------------------------------------------
    def request(self) -> zun_context.RequestContext:
        """The context of a request of its own."""
        made = zun_context.make_context(
            auth_token=self.context.auth_token,
            project_id=self.context.project_id,
            user_id=self.context.user_id, roles=['member'], is_admin=False)
        return made

    def create(self, run: bool = True, mounts=(), wait: bool = True,
               **fields):
        """Make a container as ``POST /v1/containers`` does."""
        context = self.request()
        values = {
            'uuid': uuidutils.generate_uuid(), 'name': 'c',
            'project_id': context.project_id, 'user_id': context.user_id,
            'image': 'busybox', 'image_driver': 'docker',
            'image_pull_policy': 'ifnotpresent',
            'command': ['sh', '-c', 'trap "exit 0" TERM; echo hello; '
                        'while true; do sleep 0.1; done'],
            'cpu': 0.1, 'memory': '64', 'disk': 1, 'cpu_policy': 'shared',
            'environment': {}, 'labels': {}, 'addresses': {}, 'ports': [],
            'security_groups': [], 'restart_policy': {}, 'entrypoint': [],
            'auto_remove': False, 'auto_heal': False, 'interactive': False,
            'tty': False, 'privileged': False, 'healthcheck': {},
            'exposed_ports': {}, 'runtime': None, 'status': 'Creating',
            **fields}
        container = objects.Container(context, **values)
        networks = neutron.NeutronAPI(context).request_networks(None)
        resolved = volume_request.resolve_mounts(context, mounts)

        def insert():
            container.create(context)
            return {container.uuid: volume_request.create_mappings(
                context, resolved)}

        compute_api.API(context).container_create(
            context, container, dict.fromkeys((
                'hints', 'pci_requests', 'availability_zone',
                'requested_host')), networks, insert, run)
        if wait:
            self.wait_for(container, 'Running' if run else 'Created',
                          'Error')
        return container

    def ask(self, verb: str, container, *args):
        """Call a method of the compute API for a container."""
        context = self.request()
        quota.QUOTAS.check(context, {})
        fresh = self.row(container)
        fresh._context = context
        return getattr(compute_api.API(context), verb)(context, fresh, *args)

    # -- what became of it -----------------------------------------------
    def row(self, container):
        return objects.Container.get_by_uuid(self.context, container.uuid)

    def pod(self, container) -> dict:
        """The current Pod of a container."""
        return self.cluster.get(
            client.PODS, self.row(container).container_id, self.namespace)

    def is_gone(self, container) -> bool:
        return not db_api.list_containers(
            self.context, 0, filters={'uuid': container.uuid})

    def wait_for(self, container, *statuses: str, idle: bool = True):
        """Wait until a row has one of some statuses and no task_state."""
        def reached():
            row = self.row(container)
            if row.status in statuses and not (idle and row.task_state):
                return row
            return None

        row = wait(reached)
        container.refresh(self.context)
        if row is None:
            raise AssertionError('%s is %s (%s, %s), not %s' % (
                container.uuid, container.status, container.task_state,
                container.status_reason, ' or '.join(statuses)))
        return row

    def wait_until_gone(self, container) -> None:
        if not wait(lambda: self.is_gone(container)):
            row = self.row(container)
            raise AssertionError('%s is still there: %s, %s, %s' % (
                row.uuid, row.status, row.task_state, row.status_reason))

    def left_over(self) -> dict[str, list]:
        """What is on the cluster and at the peers that should not be."""
        found = {}
        for resource in (client.PODS, client.SECRETS):
            items, __ = self.cluster.list(resource, self.namespace)
            found[resource.plural] = [item['metadata']['name']
                                      for item in items]
        found['ports'] = neutron.NeutronAPI(self.context).query(
            'ports', admin=True, device_owner='compute:zun')
        return {name: items for name, items in found.items() if items}


def wait(condition, limit: float = LIMIT):
    """The condition's value once it is true, or its last one."""
    deadline = time.monotonic() + limit
    while True:
        value = condition()
        if value or time.monotonic() > deadline:
            return value
        time.sleep(0.1)
