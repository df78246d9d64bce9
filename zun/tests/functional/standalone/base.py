# SPDX-License-Identifier: Apache-2.0
"""A whole service in the test's process, spoken to over HTTP."""

import logging
import shutil
import socket
import tempfile
import time

from keystoneauth1 import adapter
from keystoneauth1 import exceptions as ks_exc
from keystoneauth1.identity import v3
from keystoneauth1 import session as ks_session

from zun.common.k8s import client as k8s
from zun.common import keystone
import zun.conf
from zun.standalone.cluster import kubelet
from zun.standalone import main
from zun.standalone import settings
from zun.tests import base

CONF = zun.conf.CONF
#: Seconds within which everything that is waited for must happen.
LIMIT = 60
SLEEP = ['sh', '-c', 'trap "exit 0" TERM; echo started; '
         'while :; do sleep 1 & wait $!; done']


def free_ports() -> settings.Ports:
    """Ports that nothing listens on."""
    held = [socket.socket() for _ in range(4)]
    for one in held:
        one.bind(('127.0.0.1', 0))
    numbers = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return settings.Ports(*numbers)


class StandaloneTestCase(base.BaseTestCase):
    """Tests that share one standalone."""

    NODES = (kubelet.NodeSpec('node-1', cpu='2', memory='1Gi'),)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        path = tempfile.mkdtemp(prefix='zun-test-')
        cls.addClassCleanup(shutil.rmtree, path, ignore_errors=True)
        cls.addClassCleanup(cls._forget)
        cls.folder = settings.Folder(path)
        cls.service = main.Standalone(cls.folder, free_ports(),
                                      nodes=cls.NODES).start()
        cls.addClassCleanup(cls.service.stop)
        cls.cluster = cls.service.cluster
        cls.peers = cls.service.peers
        cls.session = cls.login('demo')
        cls.api = cls.connect(cls.session)
        cls.admin = cls.connect(cls.login('admin'))

    @classmethod
    def _forget(cls):
        """Leave nothing of it to the tests that follow."""
        k8s.reset()
        keystone.reset()
        for handler in list(logging.getLogger().handlers):
            if getattr(handler, 'baseFilename', '').startswith(
                    str(cls.folder.path)):
                logging.getLogger().removeHandler(handler)
                handler.close()
        CONF.reset()
        CONF.clear()

    @classmethod
    def login(cls, user):
        """A session by password."""
        return ks_session.Session(v3.Password(
            cls.service.identity_url, username=user,
            password=cls.folder.secrets[user], project_name=settings.PROJECT,
            user_domain_name='Default', project_domain_name='Default'))

    @staticmethod
    def connect(session):
        """The container API through a session."""
        return adapter.Adapter(session, service_type='container',
                               default_microversion='1.40')

    @staticmethod
    def wait_for(condition, what='the condition'):
        """The first true value of ``condition()``."""
        end = time.monotonic() + LIMIT
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError('%s did not hold in %d s' % (what,
                                                                  LIMIT))
            time.sleep(0.05)

    def create(self, command=None, run=True, **fields):
        """Create a container; it is deleted at the end of the test."""
        body = {'image': 'busybox', 'cpu': 0.1, 'memory': '64',
                'command': SLEEP if command is None else command, **fields}
        uuid = self.api.post('/containers?run=%s' % str(run).lower(),
                             json=body).json()['uuid']
        self.addCleanup(self.remove, uuid)
        return uuid

    def remove(self, uuid):
        """Kill and delete a container and wait until it is gone."""
        try:
            self.admin.delete('/containers/%s?force=true' % uuid)
        except ks_exc.NotFound:
            return
        self.wait_gone(uuid)

    def show(self, uuid):
        return self.api.get('/containers/' + uuid).json()

    def wait_status(self, uuid, *wanted):
        """Wait for a status; the container then."""
        seen = []

        def look():
            container = self.show(uuid)
            if not seen or seen[-1] != container['status']:
                seen.append(container['status'])
            done = container['status'] in wanted and not container[
                'task_state']
            if container['status'] == 'Error' and not done and (
                    not container['task_state']):
                raise AssertionError('Error: %s' %
                                     container['status_reason'])
            return container if done else None
        return self.wait_for(look, '%s of %s (seen %s)' % (wanted, uuid,
                                                           seen))

    def running(self, command=None, **fields):
        """A container that runs."""
        uuid = self.create(command, **fields)
        self.wait_status(uuid, 'Running')
        return uuid

    def wait_gone(self, uuid):
        def gone():
            try:
                self.show(uuid)
            except ks_exc.NotFound:
                return True
            return False
        self.wait_for(gone, 'deletion of ' + uuid)

    def act(self, uuid, action, **query):
        return self.api.post('/containers/%s/%s' % (uuid, action),
                             params=query)

    def logs(self, uuid):
        return self.api.get('/containers/%s/logs' % uuid).json()

    def execute(self, uuid, command):
        """Run a program; (output, exit code)."""
        answer = self.act(uuid, 'execute', command=command,
                          run='true', interactive='false').json()
        return answer['output'], answer['exit_code']

    def pods(self, uuid=None):
        """Zun's Pods on the cluster, or those of one container."""
        label = 'zun.openstack.org/managed=true'
        if uuid:
            label += ',zun.openstack.org/container=' + uuid
        return k8s.get_cluster().list(k8s.PODS, labels=label)[0]
