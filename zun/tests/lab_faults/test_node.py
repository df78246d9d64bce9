# SPDX-License-Identifier: Apache-2.0
"""Programs of the node die while something is done to a container."""

import threading
import time

from zun.container.runtime import base as runtime_base
from zun.tests.lab_faults import base
from zun.tests import processes

# Seconds for which the API server is away.
AWAY = 60
BIG = ['sh', '-c', 'head -c 400000000 /dev/urandom > /big; echo begun > '
       '/mark; trap "exit 0" TERM; while :; do sleep 0.2; done']


class TestKubelet(base.FaultTestCase):

    def test_running_paused_and_stopped_ones(self):
        running, paused, stopped = (self.create() for __ in range(3))
        self.zun.act(paused, 'pause')
        self.zun.wait_status(paused, 'Paused')
        self.zun.act(stopped, 'stop', timeout=1)
        self.zun.wait_status(stopped, 'Stopped')
        self.restart('kubelet')
        for uuid, status in ((running, 'Running'), (paused, 'Paused'),
                             (stopped, 'Stopped')):
            self.zun.wait_status(uuid, status)
        self.assertTrue(self.is_frozen(paused))
        self.zun.act(paused, 'unpause')
        self.zun.wait_status(paused, 'Running')
        self.assertFalse(self.is_frozen(paused))
        self.zun.act(stopped, 'start')
        self.zun.wait_status(stopped, 'Running')
        self.clean_up(running, paused, stopped)

    def test_stopped_without_it(self):
        uuid = self.create()
        self.lab.kill('kubelet')
        self.zun.act(uuid, 'stop', timeout=1)
        processes.wait_for('the end', lambda: self.box(uuid).state is
                           runtime_base.State.STOPPED)
        self.lab.restore()
        self.zun.wait_status(uuid, 'Stopped')
        self.assertEqual(1, len(self.kept(uuid)))
        self.clean_up(uuid)


class TestContainerd(base.FaultTestCase):

    def test_restarted_in_the_wait_of_a_stop(self):
        uuid = self.create(command=base.DEAF)
        begun = time.monotonic()
        self.zun.act(uuid, 'stop', timeout=20)
        time.sleep(1)
        self.restart('containerd')
        self.zun.wait_status(uuid, 'Stopped')
        took = time.monotonic() - begun
        self.assertTrue(20 <= took < 40, took)
        self.assertIn('Exited(137)', processes.wait_for(
            'the exit code', lambda: self.zun.show(uuid)['status_detail']))
        self.assertEqual(1, len(self.kept(uuid)))
        self.zun.act(uuid, 'start')
        self.zun.wait_status(uuid, 'Running')
        self.assertEqual('begun\n', self.file(uuid, '/mark'))
        self.clean_up(uuid)

    def test_restarted_under_a_paused_one(self):
        uuid = self.create()
        self.zun.act(uuid, 'pause')
        self.zun.wait_status(uuid, 'Paused')
        count = self.file(uuid, '/count')
        self.restart('containerd')
        # The kubelet takes it for broken, and kills it at its next look.
        deadline = time.monotonic() + 150
        while time.monotonic() < deadline:
            row = self.zun.show(uuid)
            if row['status'] != 'Paused':
                break
            box = self.box(uuid)
            if box.state is not runtime_base.State.PAUSED:
                # It was killed right now; the row follows at once.
                self.zun.wait_status(uuid, 'Stopped', limit=10)
            time.sleep(1)
        row = self.zun.wait_status(uuid, 'Stopped', 'Paused')
        if row['status'] == 'Paused':
            self.zun.act(uuid, 'unpause')
        else:
            processes.wait_for('the layer', lambda: self.kept(uuid))
            self.zun.act(uuid, 'start')
        self.zun.wait_status(uuid, 'Running')
        self.assertFalse(self.is_frozen(uuid))
        self.assertTrue(count)
        self.clean_up(uuid)

    def test_restarted_while_a_layer_is_made(self):
        uuid = self.create(command=BIG)
        processes.wait_for('the file', lambda: self.run_mark(uuid))
        self.zun.act(uuid, 'stop', timeout=1)
        processes.wait_for('the layer is being made',
                           lambda: self.leftover() or self.kept(uuid))
        self.restart('containerd')
        self.zun.wait_status(uuid, 'Stopped')
        self.assertEqual(1, len(self.kept(uuid)))
        self.zun.act(uuid, 'start')
        self.zun.wait_status(uuid, 'Running')
        self.clean_up(uuid)

    def run_mark(self, uuid):
        try:
            return self.file(uuid, '/mark')
        except FileNotFoundError:
            return None


class TestApiServer(base.FaultTestCase):

    def away(self):
        self.lab.kill('kube-apiserver')
        back = threading.Timer(AWAY, self.lab.restore)
        back.start()
        self.addCleanup(back.join)

    def test_away_during_a_stop(self):
        uuid = self.create()
        self.away()
        self.zun.act(uuid, 'stop', timeout=1)
        self.zun.wait_status(uuid, 'Stopped', limit=240)
        self.assertEqual(1, len(self.kept(uuid)))
        self.zun.act(uuid, 'start')
        self.zun.wait_status(uuid, 'Running')
        self.clean_up(uuid)

    def test_away_during_a_pause(self):
        uuid = self.create()
        self.away()
        self.zun.act(uuid, 'pause')
        row = self.zun.wait_status(uuid, 'Paused', limit=240)
        self.assertIsNone(row['status_reason'])
        self.assertTrue(self.is_frozen(uuid))
        self.zun.act(uuid, 'unpause')
        self.zun.wait_status(uuid, 'Running')
        self.clean_up(uuid)


class TestAgent(base.FaultTestCase):

    def test_killed_in_the_wait_of_a_stop(self):
        uuid = self.create(command=base.DEAF)
        begun = time.monotonic()
        self.zun.act(uuid, 'stop', timeout=10)
        time.sleep(1)
        self.restart_agent()
        processes.wait_for('the kill', lambda: self.box(uuid).state is
                           runtime_base.State.STOPPED)
        took = time.monotonic() - begun
        self.assertTrue(10 <= took < 20, took)
        self.zun.wait_status(uuid, 'Stopped')
        self.assertEqual(1, len(self.kept(uuid)))
        self.clean_up(uuid)

    def test_killed_while_a_layer_is_made(self):
        uuid = self.create(command=BIG)
        processes.wait_for('the file', lambda: self.mark(uuid))
        self.zun.act(uuid, 'stop', timeout=1)
        processes.wait_for('the layer is being made',
                           lambda: self.leftover() or self.kept(uuid))
        self.restart_agent()
        self.zun.wait_status(uuid, 'Stopped')
        self.assertEqual(1, len(self.kept(uuid)))
        self.clean_up(uuid)

    def mark(self, uuid):
        try:
            return self.file(uuid, '/mark')
        except FileNotFoundError:
            return None

    def test_killed_in_other_operations(self):
        uuid = self.create()
        for delay in (0.0, 0.05, 0.2):
            for action, status in (('pause', 'Paused'),
                                   ('unpause', 'Running')):
                self.zun.act(uuid, action)
                time.sleep(delay)
                self.restart_agent()
                self.zun.wait_status(uuid, status)
                self.assertEqual(status == 'Paused', self.is_frozen(uuid))
        self.zun.act(uuid, 'kill', signal='SIGKILL')
        self.restart_agent()
        self.zun.wait_status(uuid, 'Stopped')
        processes.wait_for('the layer', lambda: self.kept(uuid))
        self.zun.act(uuid, 'start')
        self.restart_agent()
        self.zun.wait_status(uuid, 'Running')
        self.clean_up(uuid)

    def test_killed_in_a_reboot(self):
        uuid = self.create(command=base.DEAF)
        self.zun.act(uuid, 'reboot', timeout=5)
        time.sleep(1)
        self.restart_agent()
        self.zun.wait_status(uuid, 'Running')
        self.clean_up(uuid)
