# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with containers, on a real kubelet."""

from zun.tests import failures
from zun.tests.lab import test_flow


class TestFailures(failures.FailureTests, test_flow.LabTestCase):

    def stop_api(self):
        self.lab.kill('kube-apiserver')
        self.addCleanup(self.lab.restore)

    def start_api(self):
        self.lab.restore()
