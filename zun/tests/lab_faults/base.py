# SPDX-License-Identifier: Apache-2.0
"""Containers on a node whose programs are killed.

The cluster has to be one of its own: see :mod:`zun.tests.lab.cluster`.
"""

import pathlib
import time

from zun.container.runtime import containerd
from zun.container.runtime import containerd_pb2 as pb
from zun.container.runtime import kept
from zun.container.runtime import rpc
from zun.tests.lab import test_flow
from zun.tests import processes

# Says how far it is, twice a second, and ends when asked to.
COUNTS = ['sh', '-c', 'trap "exit 0" TERM; i=0; while :; do i=$((i+1)); '
          'echo $i > /count; sleep 0.1; done']
# Deaf to all but SIGKILL.
DEAF = ['sh', '-c', 'trap "" TERM; echo begun > /mark; '
        'while :; do sleep 0.2; done']


class FaultTestCase(test_flow.LabTestCase):

    TIMEOUT = 900

    def setUp(self):
        super().setUp()
        self.runtime = containerd.Containerd(self.lab.containerd)
        self.addCleanup(self.lab.restore)

    def _delete_containers(self):
        # A paused one is not deleted.
        for one in self.zun.get('/containers')['containers']:
            if one['status'] == 'Paused':
                self.zun.act(one['uuid'], 'unpause')
                self.zun.wait_status(one['uuid'], 'Running')
        super()._delete_containers()

    def create(self, command=COUNTS, **fields):
        uuid = self.zun.create(command=command, **fields)
        self.zun.wait_status(uuid, 'Running')
        return uuid

    def box(self, uuid):
        """The newest container of the newest Pod, as the runtime has it."""
        newest = max((pod for pod in self.pods()
                      if pod['metadata']['labels'].get(
                          'zun.openstack.org/container') == uuid),
                     key=lambda pod: int(pod['metadata']['name'].rpartition(
                         '-')[2]))
        return self.runtime.find(newest['metadata']['uid'], 'main')

    def file(self, uuid, path):
        """What a file of a running container says."""
        box = self.box(uuid)
        return pathlib.Path('/proc/%d/root%s' % (box.pid, path)).read_text()

    def is_frozen(self, uuid):
        before = self.file(uuid, '/count')
        time.sleep(0.5)
        return before == self.file(uuid, '/count')

    def kept(self, uuid):
        return [image.name for image in
                self.runtime.list_images(kept.PREFIX + uuid)]

    def restart(self, program):
        """Kill a program of the node and have it back."""
        self.lab.kill(program)
        self.lab.restore()

    def restart_agent(self):
        agent = self.zun.processes['zun-compute-agent']
        agent.kill()
        agent.begin()

    def clean_up(self, *uuids):
        for uuid in uuids:
            self.zun.delete(uuid)
        self.assertNothingLeft()

    def assertNothingLeft(self):
        """Nothing of Zun's on the node either."""
        super().assertNothingLeft()
        processes.wait_for('the node is tidy', lambda: not self.leftover())

    def leftover(self):
        call = self.runtime._connection.call
        own = rpc.OWN_PREFIX
        return [
            *[image.name for image in self.runtime.list_images(kept.PREFIX)
              if image.labels[kept.DEPLOYMENT] == self.zun.prefix],
            *[lease.id for lease in call('Leases.List', pb.ListRequest(
                )).leases if lease.id.startswith(own)],
            *[one.ref for one in call(
                'Content.ListStatuses', pb.ListRequest()).statuses
              if one.ref.startswith(own)],
            *[one.name for one in self.runtime._store.snapshots()
              if one.name.startswith(own)]]
