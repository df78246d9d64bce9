# SPDX-License-Identifier: Apache-2.0
"""The service with the rights of ``etc/zun/kubernetes/rbac.yaml`` alone."""

import configparser
import shutil
import types

import requests
from websockets.sync import client as ws_client
import yaml

from zun.common.k8s import client as k8s
import zun.conf
from zun.tests.lab import cluster
from zun.tests.lab import test_flow
from zun.tests import processes

MANIFESTS = cluster.ROOT / 'etc' / 'zun' / 'kubernetes' / 'rbac.yaml'
NAMESPACE = 'zun-system'
RESOURCES = {
    'Namespace': k8s.NAMESPACES,
    'ServiceAccount': k8s.Resource('/api/v1', 'serviceaccounts'),
    'ClusterRole': k8s.Resource('/apis/rbac.authorization.k8s.io/v1',
                                'clusterroles', namespaced=False),
    'ClusterRoleBinding': k8s.Resource('/apis/rbac.authorization.k8s.io/v1',
                                       'clusterrolebindings',
                                       namespaced=False),
    'Role': k8s.Resource('/apis/rbac.authorization.k8s.io/v1', 'roles'),
    'RoleBinding': k8s.ROLE_BINDINGS}
BOUND = {'zun-api': NAMESPACE + '/zun-api',
         'zun-wsproxy': NAMESPACE + '/zun-wsproxy'}
# Seconds before another signal is sent to a terminal that says nothing.
_AGAIN = 5.0
SHELL = ['sh', '-c', 'trap "echo trapped" USR1; echo hello; '
         'while true; do sleep 0.1; done']


class Deployment(processes.Deployment):
    """Each executable has the token of its own service account."""

    def __init__(self, admin: k8s.Cluster, *args):
        super().__init__(*args)
        self._admin = admin

    def _configure(self):
        super()._configure()
        self._update(self.folder.config_file, {
            'service_namespace': NAMESPACE,
            'namespace_role_bindings': ','.join(
                '%s:%s' % item for item in sorted(BOUND.items()))})

    def _start(self, name, command):
        token = self.directory / (name + '.token')
        token.write_text(self._token_of(name))
        own = self.directory / (name + '.conf')
        own.touch()
        configuration = self._admin.configuration
        # The original goes with the test that has read the kubeconfig.
        authority = self.directory / 'ca.pem'
        shutil.copy(configuration.ssl_ca_cert, authority)
        self._update(own, {
            'kubeconfig': '', 'api_server': configuration.host,
            'ca_file': authority, 'token_file': token})
        self.processes[name] = self.useFixture(processes.Process(
            command + ['--config-file', str(self.folder.config_file),
                       '--config-file', str(own)],
            self.directory / (name + '.log')))

    def _token_of(self, account):
        answer = self._admin.create(
            k8s.Resource('/api/v1', 'serviceaccounts/%s/token' % account),
            {'apiVersion': 'authentication.k8s.io/v1',
             'kind': 'TokenRequest', 'metadata': {'name': account},
             'spec': {'expirationSeconds': 7200}}, NAMESPACE)
        return answer['status']['token']

    @staticmethod
    def _update(path, values):
        parser = configparser.RawConfigParser()
        parser.read(path)
        if not parser.has_section('kubernetes'):
            parser.add_section('kubernetes')
        for name, value in values.items():
            parser.set('kubernetes', name, str(value))
        with open(path, 'w') as file:
            parser.write(file)


class TestRights(test_flow.LabTestCase):

    # What was made for the deployment: resource and name.
    _made: list[tuple] = []

    def deployment(self, database):
        for document in yaml.safe_load_all(MANIFESTS.read_text()):
            self._put(document)
        node = self.cluster.list(k8s.NODES)[0][0]['metadata']['name']
        return Deployment(self.cluster, self.lab.kubeconfig, database, node,
                          self.lab.containerd)

    def _put(self, document):
        resource = RESOURCES[document['kind']]
        meta = document['metadata']
        namespace = meta.get('namespace')
        if self.cluster.find(resource, meta['name'], namespace) is None:
            self.cluster.create(resource, document, namespace)
            if namespace is None:
                self._made.append((resource, meta['name']))

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        if not cluster.get().disposable:
            made = k8s.Cluster(k8s.load_configuration(types.SimpleNamespace(
                **{**dict(zun.conf.CONF.kubernetes),
                   'kubeconfig': cluster.get().kubeconfig})))
            for resource, name in cls._made:
                made.delete(resource, name)

    def test_whole_life(self):
        uuid = self.zun.create(command=SHELL, interactive=True, tty=True)
        self.zun.wait_status(uuid, 'Running')
        processes.wait_for('the log', lambda: 'hello' in self.zun.act(
            uuid, 'logs').text)
        done = self.zun.act(uuid, 'execute', run='true',
                            command="sh -c 'exit 3'").json()
        self.assertEqual(3, done['exit_code'])
        self.zun.act(uuid, 'kill', signal='USR1')
        processes.wait_for('the signal', lambda: 'trapped' in self.zun.act(
            uuid, 'logs').text)
        # A kill says Stopped, and what is true follows.
        self.zun.wait_status(uuid, 'Running')
        self.assertIn('trapped', self.terminal(uuid))
        self.zun.wait_status(uuid, 'Running')
        self.zun.request('PATCH', '/containers/' + uuid, json={
            'memory': '128'}).raise_for_status()
        self.zun.act(uuid, 'stop', timeout='1')
        self.zun.wait_status(uuid, 'Stopped')
        self.zun.act(uuid, 'start')
        self.zun.wait_status(uuid, 'Running')
        self.zun.delete(uuid)
        self.assertNothingLeft()

    def terminal(self, uuid):
        """What process 1 prints after a signal, seen by its terminal."""
        url = self.zun.act(uuid, 'attach').json()
        with ws_client.connect(
                url, subprotocols=['binary'], origin='http://127.0.0.1',
                open_timeout=processes.LIMIT) as terminal:
            seen = []

            def trapped():
                # The proxy's own way to the container may be younger than
                # a signal.
                self.zun.wait_status(uuid, 'Running')
                self.zun.act(uuid, 'kill', signal='USR1')
                try:
                    seen.append(terminal.recv(_AGAIN))
                except TimeoutError:
                    return False
                return b'trapped' in b''.join(seen)
            processes.wait_for('the signal', trapped)
        return b''.join(seen).decode()

    def test_nothing_beyond(self):
        """Rights that no service has, though it would be handy."""
        uuid = self.zun.create(command=SHELL)
        self.zun.wait_status(uuid, 'Running')
        namespace, = self.namespaces()
        for account, verb, path in (
                ('zun-compute', 'GET', '/api/v1/secrets'),
                ('zun-compute', 'GET',
                 '/api/v1/namespaces/%s/secrets' % namespace),
                ('zun-compute-agent', 'GET', '/api/v1/secrets'),
                ('zun-compute-agent', 'DELETE',
                 '/api/v1/namespaces/%s/pods/x' % namespace),
                ('zun-api', 'GET', '/api/v1/pods'),
                ('zun-api', 'GET', '/api/v1/namespaces/kube-system/pods'),
                ('zun-api', 'DELETE',
                 '/api/v1/namespaces/%s/pods/x' % namespace),
                ('zun-wsproxy', 'GET', '/api/v1/pods'),
                ('zun-wsproxy', 'GET',
                 '/api/v1/namespaces/%s/pods' % namespace)):
            self.assertEqual(403, self.try_as(account, verb, path),
                             (account, verb, path))
        self.assertEqual(200, self.try_as(
            'zun-api', 'GET', '/api/v1/namespaces/%s/pods' % namespace))
        self.zun.delete(uuid)
        self.assertNothingLeft()

    def try_as(self, account, verb, path):
        configuration = self.cluster.configuration
        token = (self.zun.directory / (account + '.token')).read_text()
        return requests.request(
            verb, configuration.host + path,
            headers={'Authorization': 'Bearer ' + token},
            verify=configuration.ssl_ca_cert,
            timeout=processes.LIMIT).status_code
