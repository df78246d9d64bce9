# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with containers, on whatever cluster.

A test class beside these tests has ``zun`` (a
:class:`zun.tests.processes.Deployment`), ``pods()``, ``stop_api()`` and
``start_api()`` of the cluster, and ``assertNothingLeft()``.
"""

import time

from zun.common.k8s import client as k8s
from zun.compute import node_inventory
from zun.tests import processes

# Seconds for which the API server is away.
AWAY = 30
# Bytes of memory left on a node that is full.
LEFT = 8 * 1024 ** 2
SLEEP = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.2; done']


class FailureTests:
    """Each failure ends in a true status, and in nothing left behind."""

    def assertEnds(self, uuid, status, *words):
        """The container has this status, and the reason says why."""
        row = self.zun.wait_status(uuid, status)
        text = '%s %s' % (row['status_reason'], row['status_detail'])
        for word in words:
            self.assertIn(word, text)
        return row

    def clean_up(self, *uuids):
        for uuid in uuids:
            self.zun.delete(uuid)
        self.assertNothingLeft()

    def test_image_that_does_not_exist(self):
        uuid = self.zun.create('no-such-image-here:1')
        self.assertEnds(uuid, 'Error', 'no-such-image-here')
        self.clean_up(uuid)

    def test_command_that_does_not_exist(self):
        uuid = self.zun.create(command=['/no/such/program'])
        self.assertEnds(uuid, 'Error', '/no/such/program')
        self.clean_up(uuid)

    def test_exit_code(self):
        uuid = self.zun.create(command=['sh', '-c', 'echo bye; exit 3'])
        self.assertEnds(uuid, 'Stopped', 'Exited(3)')
        self.assertIn('bye', self.zun.act(uuid, 'logs').text)
        self.clean_up(uuid)

    def test_node_too_small(self):
        self.fill_node()
        uuid = self.zun.create(command=SLEEP)
        row = self.assertEnds(uuid, 'Error')
        self.assertRegex(row['status_reason'], '(?i)insufficient memory')
        self.clean_up(uuid)

    def fill_node(self):
        """Take the node's memory with a Pod that Placement knows not of."""
        node = self.cluster.list(k8s.NODES)[0][0]
        free = node_inventory.amount(node['status']['allocatable']['memory'])
        for pod in self.cluster.list(k8s.PODS)[0]:
            if pod['status'].get('phase') in ('Pending', 'Running'):
                free -= sum(node_inventory.amount(
                    one.get('resources', {}).get('requests', {})
                    .get('memory', 0)) for one in pod['spec']['containers'])
        name = self.zun.prefix + 'filler'
        self.cluster.create(k8s.PODS, {
            'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name},
            'spec': {'terminationGracePeriodSeconds': 1, 'containers': [{
                'name': 'main', 'image': 'busybox', 'command': SLEEP,
                'resources': {'requests': {
                    'memory': str(int(free) - LEFT)}}}]}}, 'default')
        self.addCleanup(self.cluster.delete, k8s.PODS, name, 'default')
        processes.wait_for('the node is full', lambda: self.cluster.get(
            k8s.PODS, name, 'default')['status'].get('phase') == 'Running')

    def test_no_host_for_it(self):
        uuid = self.zun.create(cpu=16, command=SLEEP)
        self.assertEnds(uuid, 'Error', 'There are not enough hosts')
        self.clean_up(uuid)

    def test_api_server_away_during_a_create(self):
        uuid = self.zun.create(command=SLEEP)
        self.stop_api()
        time.sleep(AWAY)
        self.start_api()
        self.assertRunsOnce(uuid)
        self.clean_up(uuid)

    def test_api_server_away_before_a_create(self):
        self.stop_api()
        uuid = self.zun.create(command=SLEEP)
        time.sleep(AWAY)
        self.start_api()
        self.assertRunsOnce(uuid)
        self.clean_up(uuid)

    def test_compute_killed_during_a_create(self):
        compute = self.zun.processes['zun-compute']
        # At different moments of the way to Running.
        for delay in (0.0, 0.2, 0.5, 1.0):
            uuid = self.zun.create(command=SLEEP)
            time.sleep(delay)
            compute.kill()
            compute.begin()
            self.assertRunsOnce(uuid)
            self.zun.delete(uuid)
        self.assertNothingLeft()

    def test_host_of_a_container_away(self):
        """A delete waits for nobody, and all is given back."""
        uuid = self.zun.create(command=SLEEP)
        self.zun.wait_status(uuid, 'Running')
        self.zun.processes['zun-compute-agent'].kill()
        self.zun.processes['zun-compute-agent'].begin()
        self.clean_up(uuid)

    def assertRunsOnce(self, uuid):
        """The container runs, as one Pod with one port."""
        self.zun.wait_status(uuid, 'Running', limit=2 * processes.LIMIT)
        mine = [pod for pod in self.pods()
                if uuid in pod['metadata']['name']]
        self.assertEqual(1, len(mine), [
            pod['metadata']['name'] for pod in mine])
        ports = [port for port in
                 self.zun.peers.network.rows['ports'].values()
                 if port['device_id'] == uuid]
        self.assertEqual(1, len(ports))
        self.assertIn(uuid, self.zun.peers.placement.allocations)
        self.zun.act(uuid, 'logs')
