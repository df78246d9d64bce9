# SPDX-License-Identifier: Apache-2.0
"""The simulated cluster behaves as the real one does."""

from zun.standalone.cluster import cluster
from zun.tests import base
from zun.tests.functional.standalone import conformance


class SimulatedConformance(conformance.Conformance, base.BaseTestCase):
    """The checks on the simulated cluster."""

    @classmethod
    def kubeconfig(cls):
        cls.cluster = cluster.Cluster().start()
        cls.addClassCleanup(cls.cluster.stop)
        return cls.cluster.kubeconfig()
