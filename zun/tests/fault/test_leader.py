# SPDX-License-Identifier: Apache-2.0
"""Two zun-compute processes, of which the leader dies."""

import os
import signal
import time

from zun.common.k8s import client as k8s
from zun.tests import base
from zun.tests import databases
from zun.tests.fault import kill
from zun.tests import processes

# As configured by default, and how long a change of leader may take.
LEASE_DURATION = 15
LIMIT = 20


class TestLeader(base.TestCase):

    def setUp(self):
        super().setUp()
        server = databases.get('mariadb')
        url = server.create_database()
        self.addCleanup(server.drop_database, url)
        self.ground = kill.open_ground(url, lease_duration=LEASE_DURATION)
        self.addCleanup(self.ground.cleanUp)

    def lease(self):
        return k8s.get_cluster().find(
            k8s.LEASES, 'zun-compute', self.ground.prefix + 'service')

    def holder(self):
        found = self.lease()
        return found and found['spec']['holderIdentity']

    def test_another_leads_soon_and_follows_the_containers(self):
        processes.wait_for('a leader', self.holder)
        uuid = self.ground.create(
            command=['sh', '-c', 'while [ ! -e go ]; do sleep 0.2; done'])
        self.ground.wait_status(uuid, 'Running')
        self.stop_leader()
        # Only the leader's watch tells the row that the container ended.
        self.ground.request('POST', '/containers/%s/execute' % uuid, params={
            'command': 'touch go', 'run': 'true', 'interactive': 'false'})
        self.ground.wait_status(uuid, 'Stopped')
        self.assertEqual([], self.ground.check_whole(
            uuid, self.ground.show(uuid)))

    def stop_leader(self):
        """Stop the leader for good; checks how soon another one leads."""
        former = self.holder()
        began = time.monotonic()
        self.stop_the_one_that_renews()
        processes.wait_for('another leader',
                           lambda: self.holder() != former)
        self.assertLess(time.monotonic() - began, LIMIT)

    def stop_the_one_that_renews(self):
        """Without the leader, the Lease stands still."""
        for pid in self.ground.workers():
            os.kill(pid, signal.SIGSTOP)
            version = self.lease()['metadata']['resourceVersion']
            deadline = time.monotonic() + 5
            while time.monotonic() < deadline:
                if self.lease()['metadata']['resourceVersion'] != version:
                    break
                time.sleep(0.1)
            else:
                return
            os.kill(pid, signal.SIGCONT)
        self.fail('nobody renews the Lease')
