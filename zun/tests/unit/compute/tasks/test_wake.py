# SPDX-License-Identifier: Apache-2.0

import socket
import threading

from zun.compute.tasks import wake
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import workers
from zun.tests.unit.compute.tasks import base


class WakeTestCase(base.TaskTestCase):

    def setUp(self):
        super().setUp()
        self.heard = threading.Event()
        self.queue = 'queue-' + self.new_uuid()

    def listen(self):
        wake.subscribe(self.queue, self.heard.set)
        self.addCleanup(wake.unsubscribe, self.queue, self.heard.set)

    def receiver(self):
        receiver = wake.Receiver('127.0.0.1')
        self.addCleanup(receiver.stop)
        return receiver

    def register(self, address):
        with db_api.writer(None) as session:
            workers.register(session, self.new_uuid(), 'node-1',
                             'zun-compute', self.queue, address)

    def test_listener_of_this_process_is_called(self):
        self.listen()
        wake.poke(self.queue)
        self.assertTrue(self.heard.is_set())

    def test_nobody_here(self):
        self.assertFalse(wake.poke_here(self.queue))

    def test_other_process_is_told_where_its_worker_hears(self):
        self.config(group='task', poke=True)
        self.register(self.receiver().address)
        wake.poke(self.queue)
        self.listen()
        # The datagram may have come before the listener.
        wake._sender().send(self.queue)
        self.assertTrue(self.heard.wait(base.LIMIT))

    def test_unusable_address_does_no_harm(self):
        self.config(group='task', poke=True)
        self.register('host-without-address:1')
        wake.poke(self.queue)
        other = 'other-' + self.queue
        with db_api.writer(None) as session:
            workers.register(session, self.new_uuid(), 'node-1', 'b', other,
                             self.receiver().address)
        wake.subscribe(other, self.heard.set)
        self.addCleanup(wake.unsubscribe, other, self.heard.set)
        wake._sender().send(other)
        self.assertTrue(self.heard.wait(base.LIMIT))

    def test_receiver_survives_nonsense(self):
        receiver = self.receiver()
        self.listen()
        host, port = receiver.address.split(':')
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.sendto(b'\xff\x00' * 1000, (host, int(port)))
            sock.sendto(b'', (host, int(port)))
            sock.sendto(self.queue.encode(), (host, int(port)))
        self.assertTrue(self.heard.wait(base.LIMIT))
