# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with containers, on a simulated cluster."""

import tempfile

from zun.standalone.cluster import cluster as clusters
from zun.standalone.cluster import kubelet
from zun.tests import failures
from zun.tests.lab import test_flow
from zun.tests import processes

NODE = 'node-1'


class TestFailures(failures.FailureTests, test_flow.DeployedTestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.simulated = clusters.Cluster(
            folder.name,
            (kubelet.NodeSpec(NODE, cpu='2', memory='16Gi'),)).start()
        cls.addClassCleanup(cls.simulated.stop)

    def kubeconfig(self):
        return self.simulated.kubeconfig()

    def deployment(self, database):
        return processes.Deployment(
            self.kubeconfig(), database, NODE)

    def stop_api(self):
        self.simulated.stop_api()
        self.addCleanup(self.simulated.start_api)

    def start_api(self):
        self.simulated.start_api()
