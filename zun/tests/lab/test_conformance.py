# SPDX-License-Identifier: Apache-2.0
"""What the simulated cluster is measured by, on a real cluster."""

from zun.tests import base
from zun.tests.functional.standalone import conformance
from zun.tests.lab import cluster


class RealConformance(conformance.Conformance, base.BaseTestCase):
    """The checks on a real cluster."""

    @classmethod
    def kubeconfig(cls):
        return cluster.get().kubeconfig
