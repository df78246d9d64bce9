# SPDX-License-Identifier: Apache-2.0
"""What the simulated cluster is measured by, on a real cluster.

The cluster is the one that ``KUBECONFIG`` names.
"""

import os

from zun.tests import base
from zun.tests.functional.standalone import conformance


class RealConformance(conformance.Conformance, base.BaseTestCase):
    """The checks on a real cluster."""

    @classmethod
    def kubeconfig(cls):
        return os.environ['KUBECONFIG']
