# SPDX-License-Identifier: Apache-2.0
"""Sessions with a server that speaks the protocol of Kubernetes."""

import json
import threading
import urllib.parse

import fixtures
import websockets.sync.server as ws_server

from zun.common.k8s import client
from zun.common.k8s import errors
from zun.common.k8s import stream
from zun.tests import base
from zun.tests.unit.common.k8s import server

LIMIT = 30.0
V4 = 'v4.channel.k8s.io'
SUCCESS = json.dumps({'status': 'Success'}).encode()


def failure(**fields):
    return json.dumps({'status': 'Failure', **fields}).encode()


def exit_code(code):
    return failure(reason='NonZeroExitCode', details={'causes': [
        {'reason': 'ExitCode', 'message': str(code)}]})


class TestOutcome(base.BaseTestCase):

    def test_exit_codes(self):
        for data, code in ((SUCCESS, 0), (exit_code(3), 3),
                           (exit_code(137), 137)):
            self.assertEqual((code, None), stream.parse_outcome(data))

    def test_program_that_cannot_be_started(self):
        for text, code in (
                ('exec: "x": executable file not found in $PATH', 127),
                ('stat /x: no such file or directory', 127),
                ('exec: "/etc": is a directory', 126),
                ('fork/exec /x: permission denied', 126),
                ('fork/exec /x: exec format error', 126)):
            self.assertEqual((code, text), stream.parse_outcome(
                failure(message=text)))

    def test_other_failures(self):
        self.assertEqual((None, 'runtime is gone'), stream.parse_outcome(
            failure(message='runtime is gone')))

    def test_nothing(self):
        self.assertIsNone(stream.parse_outcome(b'').exit_code)


class Sessions(fixtures.Fixture):
    """A server of exec and attach.

    :param act: called with each connection.
    :param protocol: the only one that it speaks.
    """

    def __init__(self, act, protocol=stream.V5):
        super().__init__()
        self._act = act
        self._protocol = protocol
        self.paths = []

    def _setUp(self):
        made = ws_server.serve(self._serve, '127.0.0.1', 0,
                               subprotocols=[self._protocol])
        self.url = 'http://127.0.0.1:%d' % made.socket.getsockname()[1]
        threading.Thread(target=made.serve_forever, daemon=True).start()
        self.addCleanup(made.shutdown)

    def _serve(self, connection):
        self.paths.append(connection.request.path)
        self._act(connection)


class SessionTestCase(base.TestCase):

    def serve(self, act, **kwargs):
        self.server = self.useFixture(Sessions(act, **kwargs))
        self.config('kubernetes', api_server=self.server.url)
        self.cluster = client.Cluster(client.load_configuration())

    def run_command(self, **kwargs):
        kwargs.setdefault('timeout', LIMIT)
        return stream.run(self.cluster, 'n', 'p', 'main', ['a', 'b c'],
                          **kwargs)


class TestRun(SessionTestCase):

    def test_output_and_exit_code(self):
        def act(connection):
            connection.send(b'\1out\n')
            connection.send(b'\2err\n')
            connection.send(b'\1\0\xff')
            connection.send(b'\3' + exit_code(3))

        self.serve(act)
        output = self.run_command()
        self.assertEqual(
            (b'out\nerr\n\0\xff', b'out\n\0\xff', b'err\n', 3, False),
            (output.output, output.stdout, output.stderr,
             output.outcome.exit_code, output.timed_out))

    def test_request(self):
        self.serve(lambda connection: connection.send(b'\3' + SUCCESS))
        self.run_command()
        url = urllib.parse.urlsplit(self.server.paths[0])
        self.assertEqual('/api/v1/namespaces/n/pods/p/exec', url.path)
        self.assertEqual(
            [('command', 'a'), ('command', 'b c'), ('container', 'main'),
             ('stdout', 'true'), ('stderr', 'true')],
            urllib.parse.parse_qsl(url.query))

    def echo(self, connection):
        """What ``cat`` does: reads to the end of its input."""
        while True:
            frame = connection.recv()
            if frame == b'\xff\0':
                connection.send(b'\3' + SUCCESS)
                return
            connection.send(b'\1' + frame[1:])

    def test_input(self):
        self.serve(self.echo)
        data = bytes(range(256)) * 1000
        self.assertEqual(data, self.run_command(stdin=data).stdout)

    def test_no_input(self):
        self.serve(self.echo)
        self.assertEqual(b'', self.run_command(stdin=b'').stdout)

    def test_command_that_does_not_read(self):
        self.serve(lambda connection: connection.send(b'\3' + SUCCESS))
        output = self.run_command(stdin=b'x' * (1 << 20))
        self.assertEqual(0, output.outcome.exit_code)

    def test_command_that_does_not_end(self):
        over = threading.Event()

        def act(connection):
            connection.send(b'\1so far')
            over.wait(LIMIT)

        self.serve(act)
        self.addCleanup(over.set)
        output = self.run_command(timeout=0.3)
        self.assertEqual((b'so far', True),
                         (output.output, output.timed_out))

    def test_connection_that_ends_early(self):
        self.serve(lambda connection: connection.send(b'\1half'))
        self.assertEqual((b'half', None), (
            (output := self.run_command()).output,
            output.outcome.exit_code))

    def test_too_much_output(self):
        self.serve(lambda connection: connection.send(b'\1' + b'x' * 11))
        self.assertRaises(errors.Invalid, self.run_command, limit=10)


class TestSession(SessionTestCase):

    def attach(self, **kwargs):
        return stream.open_attach(self.cluster, 'n', 'p', 'main', **kwargs)

    def test_resize(self):
        frames = []
        self.serve(lambda connection: frames.append(connection.recv()))
        with self.attach(tty=True, stdin=True) as session:
            session.resize(80, 25)
            while not session.closed:
                session.read(LIMIT)
        self.assertEqual([b'\4' + json.dumps(
            {'Width': 80, 'Height': 25}).encode()], frames)

    def test_terminal_has_no_stderr_of_its_own(self):
        self.serve(lambda connection: None)
        with self.attach(tty=True) as session:
            while not session.closed:
                session.read(LIMIT)
        query = dict(urllib.parse.parse_qsl(
            urllib.parse.urlsplit(self.server.paths[0]).query))
        self.assertEqual({'container': 'main', 'stdout': 'true',
                          'tty': 'true'}, query)

    def test_old_servers_cannot_close_a_channel(self):
        frames = []
        over = threading.Event()

        def act(connection):
            frames.extend(connection)
            over.set()

        self.serve(act, protocol=V4)
        with self.attach(stdin=True) as session:
            self.assertEqual(V4, session.protocol)
            session.write(b'x')
            session.close_stdin()
        self.assertTrue(over.wait(LIMIT))
        self.assertEqual([b'\0x'], frames)

    def test_read_that_finds_nothing(self):
        over = threading.Event()
        self.serve(lambda connection: over.wait(LIMIT))
        self.addCleanup(over.set)
        with self.attach() as session:
            self.assertIsNone(session.read(0))
            self.assertFalse(session.closed)

    def test_refused(self):
        refusing = self.useFixture(server.Server())
        self.config('kubernetes', api_server=refusing.url)
        self.cluster = client.Cluster(client.load_configuration())
        for code, cls in ((404, errors.NotFound), (400, errors.Invalid),
                          (403, errors.Forbidden),
                          (500, errors.Unavailable)):
            refusing.answers.append((code, {'message': 'the reason'}))
            error = self.assertRaises(cls, self.attach)
            self.assertIn('the reason', str(error))


class TestLog(base.TestCase):

    def setUp(self):
        super().setUp()
        self.server = self.useFixture(server.Server())
        self.config('kubernetes', api_server=self.server.url)
        self.cluster = self.server.cluster()

    def log(self, **kwargs):
        return stream.log(self.cluster, 'n', 'p', 'main', **kwargs)

    def test_bytes(self):
        self.server.answers.append((200, b'\0\xff\n'))
        self.assertEqual(b'\0\xff\n', self.log())

    def test_newest_of_a_long_log(self):
        data = b''.join(b'%06d\n' % number for number in range(50000))
        for limit in (1, 7, 65536, 100000, len(data), len(data) + 1):
            self.server.answers.append((200, data))
            self.assertEqual(data[-limit:], self.log(limit=limit))

    def test_options(self):
        self.server.answers.append((200, b''))
        self.log(timestamps=True, tail=0, since_time='T', which='Stdout')
        self.assertEqual(
            {'container': 'main', 'timestamps': 'true', 'tailLines': '0',
             'sinceTime': 'T', 'stream': 'Stdout'},
            self.server.asked[0][2])

    def test_not_run_yet(self):
        self.server.answers.append((400, {'message': 'is waiting'}))
        self.assertRaises(errors.Invalid, self.log)
