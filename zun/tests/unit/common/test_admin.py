# SPDX-License-Identifier: Apache-2.0

import http.client
import socket

import prometheus_client

from zun.common import admin
from zun.common import process
from zun.tests import base


class AdminServerTestCase(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.problem = None
        self.registry = prometheus_client.CollectorRegistry()

    def check(self):
        if self.problem is not None:
            raise self.problem

    def start(self, **options):
        server = admin.AdminServer('127.0.0.1', 0, registry=self.registry,
                                   **options)
        server.start()
        self.addCleanup(server.stop)
        return server

    def ask(self, server, path, method='GET'):
        connection = http.client.HTTPConnection('127.0.0.1', server.port,
                                                timeout=60)
        self.addCleanup(connection.close)
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def test_healthy(self):
        server = self.start(alive={'worker': self.check},
                            ready={'database': self.check})
        for path in ('/healthz', '/readyz', '/readyz?verbose'):
            self.assertEqual((200, 'OK\n'), self.ask(server, path))

    def test_failed_check_is_named(self):
        server = self.start(alive={'worker': self.check},
                            ready={'database': lambda: None})
        self.problem = RuntimeError('no sign of life\nsecond line')
        self.assertEqual((503, 'worker: no sign of life\n'),
                         self.ask(server, '/healthz'))
        self.assertEqual(200, self.ask(server, '/readyz')[0])

    def test_check_can_recover(self):
        server = self.start(alive={'worker': self.check})
        self.problem = RuntimeError('no')
        self.assertEqual(503, self.ask(server, '/healthz')[0])
        self.problem = None
        self.assertEqual(200, self.ask(server, '/healthz')[0])

    def test_metrics(self):
        counter = prometheus_client.Counter('tasks', 'Tasks', ['kind'],
                                            registry=self.registry)
        counter.labels('container_create').inc(3)
        status, text = self.ask(self.start(), '/metrics')
        self.assertEqual(200, status)
        self.assertIn('tasks_total{kind="container_create"} 3.0', text)

    def test_head_has_no_body(self):
        self.assertEqual((200, ''), self.ask(self.start(), '/healthz',
                                             'HEAD'))

    def test_other_paths_and_methods(self):
        server = self.start()
        self.assertEqual(404, self.ask(server, '/')[0])
        self.assertEqual(404, self.ask(server, '/../healthz')[0])
        self.assertEqual(501, self.ask(server, '/healthz', 'POST')[0])

    def test_broken_request_does_no_harm(self):
        server = self.start()
        with socket.create_connection(('127.0.0.1', server.port)) as sock:
            sock.sendall(b'\x00\xff nonsense\r\n\r\n')
            sock.recv(100)
        self.assertEqual(200, self.ask(server, '/healthz')[0])

    def test_taken_port_is_done_without(self):
        first = self.start()
        second = admin.AdminServer('127.0.0.1', first.port)
        second.start()
        second.stop()
        self.assertEqual(200, self.ask(first, '/healthz')[0])

    def test_unusable_certificate_is_told(self):
        server = admin.AdminServer('127.0.0.1', 0, cert_file='/nonexistent')
        error = self.assertRaises(process.StartError, server.start)
        self.addCleanup(server._listener.server_close)
        self.assertIn('/nonexistent', str(error))
