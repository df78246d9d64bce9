# SPDX-License-Identifier: Apache-2.0
"""The service on both labs, as an operator would deploy it."""

import atexit
import configparser
import functools
import os
import pathlib
import signal
import sys
import time

import fixtures
from oslo_utils import uuidutils
import requests
import yaml

import zun
from zun.common.k8s import client as k8s
import zun.conf
from zun.tests.lab_network import labs
from zun.tests import processes

CONF = zun.conf.CONF

IDENTITY = 'http://127.0.0.1:5000/v3'
NEUTRON = 'http://127.0.0.1:9696/v2.0'
PASSWORD = 'secret'
API_PORT = 9517

_ROOT = pathlib.Path(zun.__file__).parents[1]
_RBAC = _ROOT / 'etc' / 'zun' / 'kubernetes' / 'rbac.yaml'
_SYSTEM = 'zun-system'
_KINDS = {
    'Namespace': k8s.NAMESPACES,
    'ServiceAccount': k8s.Resource('/api/v1', 'serviceaccounts'),
    'Role': k8s.Resource('/apis/rbac.authorization.k8s.io/v1', 'roles'),
    'RoleBinding': k8s.ROLE_BINDINGS,
    'ClusterRole': k8s.Resource('/apis/rbac.authorization.k8s.io/v1',
                                'clusterroles', namespaced=False),
    'ClusterRoleBinding': k8s.Resource(
        '/apis/rbac.authorization.k8s.io/v1', 'clusterrolebindings',
        namespaced=False)}


class Peer:
    """Requests to one service as one user."""

    def __init__(self, url: str, user: str, project: str):
        self.url = url
        self._session = requests.Session()
        answer = requests.post(IDENTITY + '/auth/tokens', timeout=60, json={
            'auth': {'identity': {'methods': ['password'], 'password': {
                'user': {'name': user, 'password': PASSWORD,
                         'domain': {'id': 'default'}}}},
                     'scope': {'project': {
                         'name': project, 'domain': {'id': 'default'}}}}})
        answer.raise_for_status()
        self.project = answer.json()['token']['project']['id']
        self._session.headers['X-Auth-Token'] = answer.headers[
            'X-Subject-Token']
        self._session.headers['OpenStack-API-Version'] = 'container 1.40'

    def send(self, method: str, path: str, **options) -> requests.Response:
        return self._session.request(method, self.url + path, timeout=120,
                                     **options)

    def ask(self, method: str, path: str, **options):
        """The body of an answer that succeeds, of one key without it.

        ``next`` is none: these lists are short.
        """
        answer = self.send(method, path, **options)
        if not answer.ok:
            raise AssertionError('%s %s: %d %s' % (
                method, path, answer.status_code, answer.text))
        body = answer.json() if answer.content else None
        if isinstance(body, dict) and body.get('next', '') is None:
            del body['next']
        if isinstance(body, dict) and len(body) == 1:
            return next(iter(body.values()))
        return body


class Deployment(fixtures.Fixture):
    """The executables, a process each.

    :param work: folder of the labs.
    :ivar demo, other: the API as users of two projects.
    :ivar neutron, neutron_other, neutron_admin: Neutron as they and an
        administrator.
    """

    def __init__(self, work: pathlib.Path):
        super().__init__()
        self.work = work
        self.run = work / 'run'
        self.log = self.run / 'zun-cni-daemon.log'
        self.state = self.run / 'state'
        self.processes: dict[str, processes.Process] = {}

    def _setUp(self) -> None:
        self.run.mkdir(exist_ok=True)
        self.kubeconfig = self.work / 'k8s' / 'admin.kubeconfig'
        self._connect()
        for document in yaml.safe_load_all(_RBAC.read_text()):
            self._put(document)
        self._configure()
        self._run('zun-db-manage', 'upgrade')
        for name in ('zun-cni-daemon', 'zun-api', 'zun-compute',
                     'zun-compute-agent'):
            self.begin(name)
        self._log_in()
        processes.wait_for('the API answers', self._answers)
        processes.wait_for('the host is known', lambda: self._hosts())

    def _connect(self):
        CONF.set_override('kubeconfig', str(self.kubeconfig), 'kubernetes')
        k8s.reset()
        # The client's certificates outlive the test that comes first.
        with fixtures.MonkeyPatch('tempfile.tempdir', str(self.run)):
            self.cluster = k8s.get_cluster()

    def _put(self, document):
        meta = document['metadata']
        if self.cluster.find(_KINDS[document['kind']], meta['name'],
                             meta.get('namespace')) is None:
            self.cluster.create(_KINDS[document['kind']], document,
                                meta.get('namespace'))

    def _configure(self):
        account = {
            'auth_type': 'password', 'auth_url': IDENTITY,
            'username': 'zun', 'password': PASSWORD,
            'project_name': 'service', 'user_domain_id': 'default',
            'project_domain_id': 'default', 'region_name': 'RegionOne',
            'www_authenticate_uri': IDENTITY}
        peers = self.work / 'peers'
        # So that a test may choose by which way the plug-in is called.
        (self.run / 'policy.yaml').write_text(
            '"container:create:runtime": ""\n')
        self.config = self.run / 'zun.conf'
        self._write(self.config, {
            'DEFAULT': {'host': labs.NODE, 'my_ip': '127.0.0.1',
                        'state_path': self.run,
                        'auth_encryption_key': '0' * 24 + os.urandom(
                            4).hex(), 'image_driver_list': 'docker'},
            'database': {'connection': 'mysql+pymysql://zun:%s@127.0.0.1:'
                         '13306/zun?charset=utf8mb4' % PASSWORD},
            'api': {'host_ip': '127.0.0.1', 'port': API_PORT, 'workers': 1,
                    'api_paste_config': _ROOT / 'etc/zun/api-paste.ini'},
            'keystone_auth': account, 'keystone_authtoken': account,
            'network': {'driver': 'cni'},
            'oslo_policy': {'policy_file': self.run / 'policy.yaml'},
            'compute': {'cpu_allocation_ratio': 64},
            'task': {'admin_port': 0},
            'quota': dict.fromkeys(('containers', 'cpu', 'memory', 'disk'),
                                   -1),
            'agent': {'runtime_endpoint': 'unix://%s' % (
                self.work / 'k8s/run/containerd.sock'),
                'cni_socket': self.run / 'cni.sock',
                'cni_state_path': self.state},
            'kubernetes': {'kubeconfig': self.kubeconfig,
                           'runtime_class': 'kata', 'stop_timeout': 1,
                           'namespace_prefix': labs.PREFIX,
                           'cold_plug_runtime_classes': '',
                           'unschedulable_timeout': 5},
            'cni_daemon': {'vif_active_timeout': 10},
            'os_vif_ovs': {'ovsdb_connection': 'unix:%s' % (
                peers / 'run/ovs-db.sock')}})
        self._configure_daemon()

    def _configure_daemon(self):
        """With the rights of its own account alone."""
        answer = self.cluster.create(
            k8s.Resource('/api/v1', 'serviceaccounts/zun-cni-daemon/token'),
            {'apiVersion': 'authentication.k8s.io/v1',
             'kind': 'TokenRequest', 'metadata': {'name': 'zun-cni-daemon'},
             'spec': {'expirationSeconds': 36000}}, _SYSTEM)
        (self.run / 'token').write_text(answer['status']['token'])
        self._write(self.run / 'zun-cni-daemon.conf', {'kubernetes': {
            'kubeconfig': '', 'api_server': self.cluster.configuration.host,
            'ca_file': self.work / 'k8s/pki/ca.crt',
            'token_file': self.run / 'token'}})

    @staticmethod
    def _write(path, options):
        parser = configparser.RawConfigParser()
        for section, values in options.items():
            if section != 'DEFAULT':
                parser.add_section(section)
            for name, value in values.items():
                parser.set(section, name, str(value))
        with open(path, 'w') as file:
            parser.write(file)

    def _command(self, name, *arguments):
        words = [str(pathlib.Path(sys.executable).parent / name),
                 '--config-file', str(self.config)]
        own = self.run / (name + '.conf')
        if own.exists():
            words += ['--config-file', str(own)]
        return words + list(arguments)

    def _run(self, name, *arguments):
        process = processes.Process(self._command(name, *arguments),
                                    self.run / (name + '.log'))
        process.begin()
        if process._process.wait(processes.LIMIT):
            raise AssertionError(process.log.read_text()[-3000:])

    # -- processes ---------------------------------------------------------
    def begin(self, name: str) -> float:
        """Start an executable; seconds that the daemon took for it."""
        began = time.monotonic()
        if name not in self.processes:
            log = self.run / (name + '.log')
            log.unlink(missing_ok=True)
            self.processes[name] = self.useFixture(processes.Process(
                self._command(name), log))
        else:
            self.processes[name].begin()
        if name == 'zun-cni-daemon':
            processes.wait_for('the daemon', (self.run / 'cni.sock').exists)
        return time.monotonic() - began

    def kill(self, name: str) -> None:
        """SIGKILL, and no second to tidy up."""
        os.killpg(self.processes[name]._process.pid, signal.SIGKILL)
        self.processes[name]._process.wait()
        (self.run / 'cni.sock').unlink(missing_ok=True)

    def end(self, name: str) -> None:
        self.processes[name].end()

    def log_since(self, offset: int) -> str:
        """What the daemon has written since a size of its log."""
        with open(self.log, errors='replace') as file:
            file.seek(offset)
            return file.read()

    def log_size(self) -> int:
        return self.log.stat().st_size

    # -- clients -----------------------------------------------------------
    def _log_in(self):
        url = 'http://127.0.0.1:%d/v1' % API_PORT
        self.demo = Peer(url, 'demo', 'demo')
        self.other = Peer(url, 'other', 'other')
        self.admin = Peer(url, 'admin', 'admin')
        self.neutron = Peer(NEUTRON, 'demo', 'demo')
        self.neutron_other = Peer(NEUTRON, 'other', 'other')
        self.neutron_admin = Peer(NEUTRON, 'admin', 'admin')
        self.neutron_zun = Peer(NEUTRON, 'zun', 'service')

    def _answers(self):
        for name, process in self.processes.items():
            if not process.is_running():
                raise AssertionError('%s ended: %s' % (
                    name, process.log.read_text()[-3000:]))
        try:
            return self.demo.send('GET', '/containers').ok
        except requests.ConnectionError:
            return False

    def _hosts(self):
        return self.admin.ask('GET', '/hosts') and any(
            one['state'] == 'up' for one in self.admin.ask(
                'GET', '/services'))

    def resource(self, neutron: Peer, collection: str, **attributes) -> dict:
        """Make something in Neutron."""
        key = collection.removesuffix('s').replace('-', '_')
        return neutron.ask('POST', '/' + collection, json={key: attributes})


@functools.cache
def get() -> Deployment:
    """The deployment that all tests use; it ends with the process."""
    folder = os.environ.get(labs.VARIABLE)
    if not folder:
        raise RuntimeError('%s is not set: run "python -m zun.tests.'
                           'lab_network"' % labs.VARIABLE)
    made = Deployment(pathlib.Path(folder))
    atexit.register(made.cleanUp)
    made.setUp()
    # What an earlier run has left in labs that were kept.
    for user in (made.demo, made.other):
        for one in user.ask('GET', '/containers'):
            user.send('DELETE', '/containers/' + one['uuid'],
                      params={'stop': 'true'})
        processes.wait_for('no containers', lambda user=user: not user.ask(
            'GET', '/containers'))
    return made


def unique(word: str) -> str:
    """A name that nothing else has."""
    return '%s-%s' % (word, uuidutils.generate_uuid()[:8])
