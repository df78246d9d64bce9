# SPDX-License-Identifier: Apache-2.0
"""The proxy, with real sockets and a container that echoes."""

import logging
import queue
import threading

import fixtures
from websockets import exceptions as ws_exc
from websockets.sync import client as ws_client

from zun.common import context as zun_context
from zun.common import exception
from zun.db import api as dbapi
from zun.db.sqlalchemy.queries import terminal_sessions
from zun.tests import base
from zun.tests import fixtures as zun_fixtures
from zun.tests.unit.db import utils as db_utils
from zun.websocket import proxy
from zun.websocket import pump

UUID = 'b1d6bd1b-3d4c-4d46-8a3c-3d3d3e0fbd8c'
SECONDS = 30

# For the client's side of a test that looks at logs
QUIET = logging.Logger('quiet', logging.CRITICAL)


class EchoStreams:
    """Answers each write on standard output, and ends after ``exit``."""

    def __init__(self, command, tty):
        self.command = command
        self.tty = tty
        self.closed = False
        self.ended = threading.Event()
        self.sizes = queue.Queue()
        self._frames = queue.Queue()

    def read(self, timeout):
        try:
            frame = self._frames.get(timeout=timeout)
        except queue.Empty:
            return None
        if frame is None:
            self.closed = True
        return frame

    def write(self, data):
        if data == b'exit':
            self._frames.put((3, b'{"status":"Success"}'))
            self._frames.put(None)
            return
        self._frames.put((1, data))
        self._frames.put((2, data.upper()))

    def resize(self, width, height):
        self.sizes.put((width, height))

    def close(self):
        self._frames.put(None)
        self.ended.set()


class Driver:

    def __init__(self):
        self.opened = queue.Queue()
        self.error = None

    def open_terminal(self, context, container, command, tty):
        if self.error:
            raise self.error
        streams = EchoStreams(command, tty)
        self.opened.put(streams)
        return streams


class TestProxy(base.TestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(zun_fixtures.Database(in_file=True))
        self.config(group='websocket_proxy', wsproxy_host='127.0.0.1',
                    wsproxy_port=0)
        self.context = zun_context.get_admin_context(all_projects=True)
        db_utils.create_test_container(context=self.context, uuid=UUID)
        self.driver = Driver()
        self.proxy = proxy.Proxy(self.driver)
        self.proxy.listen()
        thread = threading.Thread(target=self.proxy.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.proxy.stop)

    def ticket(self, token='secret', lifetime=60, **values):
        values = {'kind': terminal_sessions.ATTACH, 'tty': True, **values}
        dbapi.create_terminal_session(
            self.context, token, UUID, lifetime=lifetime, **values)

    def connect(self, token='secret', uuid=UUID, **options):
        port = self.proxy.host.rpartition(':')[2]
        return ws_client.connect(
            'ws://127.0.0.1:%s/?token=%s&uuid=%s' % (port, token, uuid),
            open_timeout=SECONDS, subprotocols=['binary', 'base64'],
            compression=None, **options)

    def assertRefused(self, status, **options):
        error = self.assertRaises(ws_exc.InvalidStatus, self.connect,
                                  **options)
        self.assertEqual(status, error.response.status_code)

    def test_bytes_travel_both_ways(self):
        self.ticket()
        data = bytes(range(256))
        with self.connect() as client:
            self.assertEqual('binary', client.subprotocol)
            client.send(data)
            self.assertEqual(data, client.recv(SECONDS))
            self.assertEqual(data.upper(), client.recv(SECONDS))

    def test_text_is_taken_as_bytes(self):
        self.ticket()
        with self.connect() as client:
            client.send('gr\u00fc\u00df')
            self.assertEqual('gr\u00fc\u00df'.encode(), client.recv(SECONDS))

    def test_end_of_the_process_ends_the_session(self):
        self.ticket()
        with self.connect() as client:
            client.send(b'exit')
            self.assertRaises(ws_exc.ConnectionClosedOK, client.recv, SECONDS)

    def test_client_that_leaves_ends_the_streams(self):
        self.ticket()
        with self.connect():
            streams = self.driver.opened.get(timeout=SECONDS)
        self.assertTrue(streams.ended.wait(SECONDS))

    def test_exec_has_its_command(self):
        self.ticket(kind=terminal_sessions.EXEC, exec_id='e1',
                    command=['sh', '-c', 'secret words'], tty=False)
        with self.connect():
            streams = self.driver.opened.get(timeout=SECONDS)
        self.assertEqual(['sh', '-c', 'secret words'], streams.command)
        self.assertFalse(streams.tty)

    def test_token_opens_one_session_only(self):
        self.ticket()
        with self.connect():
            self.assertRefused(403)
        self.assertRefused(403)

    def test_token_is_refused_after_its_time(self):
        self.ticket(lifetime=-1)
        self.assertRefused(403)

    def test_token_of_another_container(self):
        self.ticket()
        self.assertRefused(403, uuid='00000000-3d4c-4d46-8a3c-3d3d3e0fbd8c')

    def test_wrong_token(self):
        self.ticket()
        self.assertRefused(403, token='guess')

    def test_token_is_not_logged(self):
        logged = self.useFixture(fixtures.FakeLogger(level=logging.DEBUG))
        self.ticket(token='rather-secret')
        with self.connect(token='rather-secret', logger=QUIET):
            pass
        self.assertNotIn('rather-secret', logged.output)

    def test_no_token(self):
        self.assertRefused(400, token='')

    def test_foreign_origin(self):
        self.ticket()
        self.assertRefused(403, origin='http://evil.test')
        # The page did not use the token up.
        with self.connect(origin='http://127.0.0.1:1'):
            pass

    def test_size_asked_for_before_the_session(self):
        self.ticket()
        dbapi.resize_terminal_sessions(self.context, UUID, 24, 80)
        with self.connect():
            streams = self.driver.opened.get(timeout=SECONDS)
            self.assertEqual((80, 24), streams.sizes.get(timeout=SECONDS))

    def test_size_asked_for_during_the_session(self):
        self.ticket()
        with self.connect():
            streams = self.driver.opened.get(timeout=SECONDS)
            dbapi.resize_terminal_sessions(self.context, UUID, 50, 132)
            self.assertEqual((132, 50), streams.sizes.get(timeout=SECONDS))

    def test_error_of_the_engine_is_told(self):
        self.ticket()
        self.driver.error = exception.ZunException('no such pod ' * 20)
        with self.connect() as client:
            error = self.assertRaises(ws_exc.ConnectionClosedError,
                                      client.recv, SECONDS)
        self.assertEqual(pump.INTERNAL_ERROR, error.rcvd.code)
        self.assertIn('no such pod', error.rcvd.reason)


class TestTls(base.TestCase):

    def test_none_without_a_certificate(self):
        self.assertIsNone(proxy.tls_context())

    def test_demanded_without_a_certificate(self):
        self.config(group='websocket_proxy', ssl_only=True)
        self.assertRaises(exception.ConfigInvalid, proxy.tls_context)

    def test_certificate_that_is_not_there(self):
        self.config(group='websocket_proxy', cert=self.path('no.pem'))
        error = self.assertRaises(exception.ConfigInvalid, proxy.tls_context)
        self.assertIn('no.pem', str(error))
