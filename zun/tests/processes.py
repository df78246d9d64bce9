# SPDX-License-Identifier: Apache-2.0
"""The service as an operator runs it: each executable a process.

Stand-ins for the OpenStack services run in the process of the test.
"""

import configparser
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

import fixtures
import requests

from zun.standalone import main as standalone
from zun.standalone import settings

# Seconds that anything may take; generous, since machines are shared.
LIMIT = 120.0
POLL = 0.1


def wait_for(what: str, condition, limit: float = LIMIT):
    """The first true value of a condition.

    :raises AssertionError: there was none within the limit, in seconds.
    """
    deadline = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError('%s: not within %d s' % (what, limit))
        time.sleep(POLL)


def free_ports(count: int) -> list[int]:
    """TCP ports that nobody listens on now."""
    held = [socket.create_server(('127.0.0.1', 0)) for __ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Process(fixtures.Fixture):
    """One executable; asked to end, and then made to, at the end.

    :param command: words.
    :param log: file for all that it prints.
    """

    def __init__(self, command: list[str], log: pathlib.Path):
        super().__init__()
        self._command = command
        self.log = log
        self._process: subprocess.Popen | None = None

    def _setUp(self) -> None:
        self.begin()
        self.addCleanup(self.end)

    def begin(self) -> None:
        """Start it."""
        with open(self.log, 'ab') as output:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True)

    def end(self) -> int:
        """SIGTERM, and the status that it ends with."""
        if self.is_running():
            self._process.terminate()
        try:
            return self._process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError('%s ignored SIGTERM' % self._command[0])

    def kill(self) -> None:
        """SIGKILL, its children too."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_running(self) -> bool:
        return self._process.poll() is None


class Deployment(fixtures.Fixture):
    """All executables on one cluster.

    :param kubeconfig: of the cluster.
    :param database: SQLAlchemy URL of an empty database.
    :param node: name of the node to report.
    :param containerd: socket of that node's runtime; None: no agent, the
        node is reported all the same.
    :ivar identity_url: where clients log in.
    """

    def __init__(self, kubeconfig: str, database: str, node: str,
                 containerd: str | None = None):
        super().__init__()
        self._kubeconfig = kubeconfig
        self._database = database
        self._node = node
        self._containerd = containerd
        self.processes: dict[str, Process] = {}

    def _setUp(self) -> None:
        # Not in the directory of one test: several use the deployment.
        folder = tempfile.TemporaryDirectory(prefix='zun-', dir='/tmp')
        self.addCleanup(folder.cleanup)
        self.directory = pathlib.Path(folder.name)
        self.folder = settings.Folder(self.directory / 'state')
        api, proxy = free_ports(2)
        self._ports = settings.Ports(api=api, proxy=proxy, peers=0)
        self.peers = standalone.start_peers(self.folder, self._ports)
        self.addCleanup(self.peers.stop)
        self.identity_url = self.peers.url + '/identity/v3'
        self.api_url = 'http://127.0.0.1:%d/v1' % api
        self.prefix = 'zt%s-' % os.urandom(3).hex()
        self._configure()
        self.run('zun-db-manage', 'upgrade')
        for name in ('zun-api', 'zun-compute', 'zun-wsproxy'):
            self._start(name, [self._program(name)])
        agent = [self._program('zun-compute-agent')] if self._containerd \
            else [sys.executable, '-m', 'zun.tests.node_process']
        self._start('zun-compute-agent', agent)
        self._await_ready()

    def _configure(self) -> None:
        self.folder.configure(
            ports=self._ports, identity_url=self.identity_url,
            kubeconfig=self._kubeconfig, runtime_class='kata', debug=True)
        parser = configparser.RawConfigParser()
        parser.read(self.folder.config_file)
        changed = {
            'DEFAULT': {'host': self._node, 'log_file': ''},
            'database': {'connection': self._database},
            'api': {'workers': 1},
            'task': {'admin_port': 0},
            'agent': {'runtime_endpoint': self._containerd or '',
                      'state_path': self.directory / 'agent',
                      'tidy_interval': 1},
            'kubernetes': {'unschedulable_timeout': 5,
                           'namespace_prefix': self.prefix,
                           'service_namespace': self.prefix + 'service'}}
        for section, values in changed.items():
            if section != 'DEFAULT' and not parser.has_section(section):
                parser.add_section(section)
            for name, value in values.items():
                parser.set(section, name, str(value))
        with open(self.folder.config_file, 'w') as file:
            parser.write(file)

    @staticmethod
    def _program(name):
        return str(pathlib.Path(sys.executable).parent / name)

    def run(self, name: str, *arguments: str) -> str:
        """Run one of the service's commands and return what it prints."""
        done = subprocess.run(
            [self._program(name), '--config-file',
             str(self.folder.config_file), *arguments],
            capture_output=True, text=True, stdin=subprocess.DEVNULL,
            timeout=LIMIT)
        if done.returncode:
            raise AssertionError('%s %s: %s%s' % (
                name, ' '.join(arguments), done.stdout, done.stderr))
        return done.stdout

    def _start(self, name, command):
        self.processes[name] = self.useFixture(Process(
            command + ['--config-file', str(self.folder.config_file)],
            self.directory / (name + '.log')))

    def _await_ready(self):
        wait_for('the API answers', self._answers)
        wait_for('the host is known',
                 lambda: self.get('/hosts', admin=True)['hosts'])
        wait_for('the host is up', lambda: any(
            one['state'] == 'up'
            for one in self.get('/services', admin=True)['services']))

    def _answers(self):
        for name, process in self.processes.items():
            if not process.is_running():
                raise AssertionError('%s ended: %s' % (
                    name, process.log.read_text()[-3000:]))
        try:
            return self.request('GET', '/containers').status_code == 200
        except requests.ConnectionError:
            return False

    def logs(self) -> dict[str, str]:
        """The ends of the logs by name, for the report of a failed test."""
        return {log.name: log.read_text(errors='replace')[-20000:]
                for log in sorted(self.directory.glob('*.log'))}

    # -- clients -----------------------------------------------------------

    def environment(self) -> dict[str, str]:
        """Variables of a client's process."""
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith('OS_')}
        return kept | self.folder.environment(self.identity_url)

    def client(self, *command: str) -> subprocess.CompletedProcess:
        """Run a command-line client to its end."""
        return subprocess.run(
            [self._program(command[0]), *command[1:]],
            env=self.environment(), capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=LIMIT)

    def request(self, method: str, path: str, admin: bool = False,
                version: str = '1.40', **options) -> requests.Response:
        """A request of user ``demo``, or of an administrator."""
        token = self._admin_token() if admin \
            else self.folder.secrets['token']
        headers = {'X-Auth-Token': token,
                   'OpenStack-API-Version': 'container ' + version}
        return requests.request(
            method, self.api_url + path, headers=headers, timeout=LIMIT,
            **options)

    def get(self, path: str, admin: bool = False) -> dict:
        """The body of a GET that succeeds."""
        response = self.request('GET', path, admin)
        response.raise_for_status()
        return response.json()

    def _admin_token(self):
        if not hasattr(self, '_token'):
            domain = {'name': 'Default'}
            body = {'auth': {
                'identity': {'methods': ['password'], 'password': {'user': {
                    'name': 'admin', 'domain': domain,
                    'password': self.folder.secrets['admin']}}},
                'scope': {'project': {'name': settings.PROJECT,
                                      'domain': domain}}}}
            answer = requests.post(self.identity_url + '/auth/tokens',
                                   json=body, timeout=LIMIT)
            answer.raise_for_status()
            self._token = answer.headers['X-Subject-Token']
        return self._token

    def create(self, image: str = 'busybox', run: bool = True,
               **fields) -> str:
        """Ask for a container; returns its uuid."""
        body = {'image': image, 'cpu': 0.1, 'memory': '64', 'disk': 1,
                **fields}
        response = self.request(
            'POST', '/containers', params={'run': str(run).lower()},
            json=body)
        if response.status_code != 202:
            raise AssertionError('%d: %s' % (
                response.status_code, response.text))
        return response.json()['uuid']

    def show(self, uuid: str) -> dict | None:
        """A container; None once it is gone."""
        response = self.request('GET', '/containers/' + uuid)
        if response.status_code == 404:
            return None
        response.raise_for_status()
        return response.json()

    def wait_status(self, uuid: str, *statuses: str, limit: float = LIMIT
                    ) -> dict:
        """The container once it has one of the statuses and no task."""
        seen = {}

        def reached():
            seen.update(self.show(uuid) or {'status': 'gone'})
            return seen['status'] in statuses and not seen['task_state']
        try:
            wait_for('', reached, limit)
        except AssertionError:
            raise AssertionError('%s is not %s within %d s: %s' % (
                uuid, ' or '.join(statuses), limit, seen))
        return seen

    def act(self, uuid: str, action: str, **params) -> requests.Response:
        """An action that succeeds."""
        method = 'GET' if action in ('logs', 'top', 'stats', 'attach') \
            else 'POST'
        response = self.request(
            method, '/containers/%s/%s' % (uuid, action), params=params)
        if not response.ok:
            raise AssertionError('%s: %d %s' % (
                action, response.status_code, response.text))
        return response

    def delete(self, uuid: str, limit: float = LIMIT) -> None:
        """Delete a container, running or not, and wait for its end."""
        response = self.request('DELETE', '/containers/' + uuid,
                                params={'stop': 'true'})
        if response.status_code not in (204, 404):
            raise AssertionError('%d: %s' % (
                response.status_code, response.text))
        wait_for('%s is gone' % uuid, lambda: self.show(uuid) is None,
                 limit)
