# SPDX-License-Identifier: Apache-2.0
"""A driver on a cluster in memory."""

from zun.common.k8s import client
from zun.container import driver as container_driver
from zun.container.k8s import driver
from zun.tests import base
from zun.tests.unit.container.k8s import fake_cluster
from zun.tests.unit.container.k8s import fakes


def plan(container=None, credentials=None, mounts=(), network=None,
         image='busybox:1'):
    """What the driver gets to make a container from."""
    uuid = container.uuid if container else fakes.UUID
    return container_driver.Plan(
        {uuid: container_driver.Image(image, 'ifnotpresent', credentials)},
        network or container_driver.Network(), {uuid: mounts})


class DriverTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.cluster = self.useFixture(fake_cluster.FakeCluster())
        self.driver = driver.KubernetesDriver(self.cluster)

    def put(self, found):
        """Have a Pod on the cluster."""
        self.cluster.put_project()
        return self.cluster.put(client.PODS, found)

    def pods(self):
        return self.cluster.names(client.PODS)

    def pod(self, name=fakes.POD):
        return self.cluster.get(client.PODS, name, fakes.NAMESPACE)
