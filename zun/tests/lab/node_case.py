# SPDX-License-Identifier: Apache-2.0
"""Tests on a node with an agent that answers streams, and a registry."""

import json
import pathlib

from zun.compute import rpcapi
from zun.compute.streams import server
from zun.tests import certificates
from zun.tests.lab import cloud
from zun.tests.lab import cluster
from zun.tests.lab import test_driver

USER, PASSWORD = 'puller', 'pull-secret'


class NodeTestCase(test_driver.CloudTestCase):
    """A cloud whose agent is asked by the API.

    :ivar hub: what stands in for Docker Hub, ``host:port``.
    :ivar private: a registry with a password.
    """

    def setUp(self):
        super(test_driver.CloudTestCase, self).setUp()
        self.lab = cluster.get()
        self.cloud = self.useFixture(cloud.Cloud(
            self.kubeconfig(), containerd=self.lab.containerd))
        # Its driver may have been another test's.
        rpcapi._manager = None
        self.addCleanup(setattr, rpcapi, '_manager', None)
        self.runtime = self.cloud.runtime
        self._registries()
        self._streams()

    def _registries(self):
        folder = pathlib.Path(self.lab.kubeconfig).parent
        offset = json.loads((folder / 'lab.json').read_text())['port_offset']
        self.hub, self.private = (
            '127.0.0.1:%d' % (port + offset) for port in (5050, 5051))
        for name, value in (
                ('insecure_registries', [self.hub, self.private]),
                ('registry_mirrors', {'docker.io': self.hub})):
            cloud.CONF.set_override(name, value, 'kubernetes')

    def _streams(self):
        authority = self.useFixture(certificates.Authority())
        cert, key = authority.issue(self.cloud.host)
        client_cert, client_key = authority.issue('zun-api')
        for name, value in (
                ('ca_file', authority.ca_file), ('cert_file', cert),
                ('key_file', key), ('client_cert_file', client_cert),
                ('client_key_file', client_key), ('port', 0)):
            cloud.CONF.set_override('stream_' + name, value, 'agent')
        listener = server.StreamServer(self.cloud.agent_driver)
        listener.start()
        self.addCleanup(listener.stop)
        cloud.CONF.set_override('stream_port', listener.port, 'agent')

    def output(self, container, script):
        """Output of a script that has to succeed."""
        code, text = self.run_in(container, "sh -c '%s'" % script)
        self.assertEqual(0, code, text)
        return text.strip()
