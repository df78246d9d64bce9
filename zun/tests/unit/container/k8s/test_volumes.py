# SPDX-License-Identifier: Apache-2.0
from zun.container import driver
from zun.container.k8s import volumes
from zun.tests import base
from zun.tests.unit.container.k8s import fakes
from zun.tests.unit.container.k8s import manifests


class TestMounts(base.BaseTestCase):

    def test_of_a_pod(self):
        """The next Pod gets what the former had."""
        mounts = [driver.Mount('f', '/etc/a', contents=b'a'),
                  driver.Mount('v', '/data', claim='zun-v')]
        made = manifests.make({
            'row': {}, 'settings': {}, 'around': {
                'files': [['f', '/etc/a', 'a']],
                'claims': [['v', '/data', 'zun-v']]}})
        self.assertEqual(
            {'main': volumes.pod_mounts(fakes.UUID, mounts)},
            volumes.mounts_of(made))

    def test_mount_that_the_cluster_added(self):
        found = fakes.pod()
        found['spec']['containers'][0]['volumeMounts'] = [
            {'name': 'injected', 'mountPath': '/x'}]
        self.assertEqual({'main': []}, volumes.mounts_of(found))
