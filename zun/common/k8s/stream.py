# SPDX-License-Identifier: Apache-2.0
"""Sessions in a container: exec, attach, and its log.

Frames carry the number of their channel in the first byte
(``v5.channel.k8s.io``, ``v4.channel.k8s.io``): 0 stdin, 1 stdout,
2 stderr, 3 the outcome as a ``Status``, 4 the size of the terminal. Only
v5 can close a channel, with a frame of 255 and the channel.
"""

from collections.abc import Iterator
import json
import re
import select
import ssl
import threading
import time
import typing

import kubernetes.stream.ws_client as ws_client
from oslo_log import log as logging
import websocket

from zun.common.i18n import _
from zun.common.k8s import client
from zun.common.k8s import errors

LOG = logging.getLogger(__name__)

STDIN, STDOUT, STDERR, OUTCOME, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255
V5 = ws_client.V5_CHANNEL_PROTOCOL

_WRITE_SIZE = 32 * 1024

# What runtimes say about programs that cannot be started, and the codes
# with which a shell and Docker report the same.
_NOT_FOUND = re.compile(r'not found|no such file', re.I)
_NOT_EXECUTABLE = re.compile(
    r'permission denied|is a directory|exec format error', re.I)


class Outcome(typing.NamedTuple):
    """How a session ended.

    ``exit_code`` is None when it ended for a reason other than the
    process' exit; ``error`` then says which.
    """

    exit_code: int | None
    error: str | None = None


class Output(typing.NamedTuple):
    """Result of a command: its output in the order of arrival."""

    output: bytes
    stdout: bytes
    stderr: bytes
    outcome: Outcome
    timed_out: bool = False


def parse_outcome(data: bytes) -> Outcome:
    """Read the ``Status`` of channel 3.

    A program that cannot be started has no exit code in it; 127 and 126
    are what a shell would say.
    """
    status = errors.parse_status(data)
    if not status:
        return Outcome(None, _('the connection ended before the command'))
    if status.get('status') == 'Success':
        return Outcome(0)
    causes = (status.get('details') or {}).get('causes') or []
    for cause in causes:
        if cause.get('reason') == 'ExitCode':
            return Outcome(int(cause['message']))
    text = status.get('message', '')
    if _NOT_EXECUTABLE.search(text):
        return Outcome(126, text)
    if _NOT_FOUND.search(text):
        return Outcome(127, text)
    return Outcome(None, text)


class Session:
    """An open exec or attach; one thread reads, another may write."""

    def __init__(self, cluster: client.Cluster, path: str, query):
        url, headers = cluster.websocket_target(path, query)
        self._socket = _connect(cluster.configuration, url, headers)
        self.protocol = (self._socket.getheaders() or {}).get(
            'sec-websocket-protocol')
        self.closed = False

    def read(self, timeout: float | None) -> tuple[int, bytes] | None:
        """The next frame as (channel, data); None when the time is over.

        After the end of the session ``closed`` is true.

        :raises Unavailable: the connection was lost.
        """
        if not self._readable(timeout):
            return None
        try:
            opcode, frame = self._socket.recv_data_frame(True)
        except websocket.WebSocketConnectionClosedException:
            self.closed = True
            return None
        except (websocket.WebSocketException, OSError) as exc:
            self.closed = True
            raise errors.from_exception(exc)
        if opcode == websocket.ABNF.OPCODE_CLOSE:
            self.closed = True
        if opcode not in (websocket.ABNF.OPCODE_BINARY,
                          websocket.ABNF.OPCODE_TEXT) or not frame.data:
            return None
        return frame.data[0], bytes(frame.data[1:])

    def write(self, data: bytes) -> None:
        """Send bytes to the process' standard input."""
        for start in range(0, len(data), _WRITE_SIZE):
            self._send(STDIN, data[start:start + _WRITE_SIZE])

    def close_stdin(self) -> None:
        """End the process' input. With v4 only its own end can do that."""
        if self.protocol == V5:
            self._send(CLOSE, bytes([STDIN]))

    def resize(self, width: int, height: int) -> None:
        self._send(RESIZE, json.dumps(
            {'Width': width, 'Height': height}).encode())

    def fileno(self) -> int:
        return self._socket.sock.fileno()

    def close(self) -> None:
        self.closed = True
        self._socket.close(timeout=0)
        # After the server's own close the library leaves the socket open.
        self._socket.shutdown()

    def __enter__(self) -> 'Session':
        return self

    def __exit__(self, *exc_info) -> None:
        self.close()

    def _send(self, channel, data):
        try:
            self._socket.send_binary(bytes([channel]) + data)
        except (websocket.WebSocketException, OSError) as exc:
            raise errors.from_exception(exc)

    def _readable(self, timeout):
        sock = self._socket.sock
        if self.closed or sock is None:
            self.closed = True
            return False
        if isinstance(sock, ssl.SSLSocket) and sock.pending():
            return True
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return bool(poll.poll(None if timeout is None else timeout * 1000))


def _connect(configuration, url, headers):
    try:
        return ws_client.create_websocket(
            configuration, ws_client.get_websocket_url(url), headers)
    except (websocket.WebSocketException, OSError) as exc:
        raise errors.from_exception(exc)


def open_exec(cluster: client.Cluster, namespace: str, pod: str,
              container: str, command: list[str], *, stdin: bool = False,
              tty: bool = False) -> Session:
    """Start a command in a running container."""
    query = [('command', word) for word in command]
    return _open(cluster, 'exec', namespace, pod, container, query,
                 stdin, tty)


def open_attach(cluster: client.Cluster, namespace: str, pod: str,
                container: str, *, stdin: bool = False,
                tty: bool = False) -> Session:
    """Join the streams of a container's process 1."""
    return _open(cluster, 'attach', namespace, pod, container, [],
                 stdin, tty)


def _open(cluster, verb, namespace, pod, container, query, stdin, tty):
    flags = {'stdin': stdin, 'stdout': True, 'stderr': not tty, 'tty': tty}
    query = query + [('container', container)]
    query += [(key, 'true') for key, value in flags.items() if value]
    return Session(cluster, client.PODS.path(namespace, pod, verb), query)


def run(cluster: client.Cluster, namespace: str, pod: str, container: str,
        command: list[str], *, stdin: bytes | None = None,
        timeout: float | None = None, limit: int | None = None) -> Output:
    """Run a command to its end and collect what it prints.

    :param stdin: the command's whole input.
    :param timeout: seconds; the command is left running after them.
    :param limit: most bytes of output.
    :raises Invalid: the output is larger.
    """
    with open_exec(cluster, namespace, pod, container, command,
                   stdin=stdin is not None) as session:
        if stdin is not None:
            # Output is read meanwhile: a command that answers as it
            # reads would else wait for us as we wait for it.
            threading.Thread(target=_feed, args=(session, stdin),
                             daemon=True).start()
        return _collect(session, timeout, limit)


def _feed(session, stdin):
    try:
        session.write(stdin)
        session.close_stdin()
    except errors.KubernetesError as exc:
        # Commands may end before they have read everything; the outcome
        # tells whether that was an error.
        LOG.debug('Input of a command was not read to its end: %s', exc)


def _collect(session, timeout, limit):
    deadline = None if timeout is None else time.monotonic() + timeout
    chunks, outcome, size = [], b'', 0
    while not session.closed:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            break
        frame = session.read(left)
        if frame is None:
            continue
        channel, data = frame
        if channel == OUTCOME:
            outcome += data
        elif channel in (STDOUT, STDERR):
            chunks.append(frame)
            size += len(data)
        if limit is not None and size > limit:
            raise errors.Invalid(
                _('the output is larger than %d bytes') % limit)
    return Output(_joined(chunks, STDOUT, STDERR), _joined(chunks, STDOUT),
                  _joined(chunks, STDERR), parse_outcome(outcome),
                  timed_out=not session.closed)


def _joined(chunks, *channels):
    return b''.join(data for channel, data in chunks if channel in channels)


def log(cluster: client.Cluster, namespace: str, pod: str, container: str,
        *, timestamps: bool = False, tail: int | None = None,
        since_time: str | None = None, limit: int | None = None,
        which: str | None = None) -> bytes:
    """A container's output so far.

    :param tail: number of lines from the end.
    :param since_time: RFC 3339 time.
    :param limit: most bytes; of a longer log the newest ones.
    :param which: ``Stdout`` or ``Stderr``; None is both.
    :raises Invalid: the container has not run, or the cluster can't tell
        the streams apart.
    """
    query = [('container', container)]
    query += [(key, str(value).lower()) for key, value in (
        ('timestamps', timestamps), ('tailLines', tail))
        if value is not None and value is not False]
    if since_time:
        query.append(('sinceTime', since_time))
    if which:
        query.append(('stream', which))
    response = cluster.open(client.PODS.path(namespace, pod, 'log'), query)
    return _newest(response, limit)


def _newest(response, limit):
    kept, size = [], 0
    try:
        for chunk in _chunks(response):
            kept.append(chunk)
            size += len(chunk)
            while limit is not None and size - len(kept[0]) >= limit:
                size -= len(kept.pop(0))
    finally:
        response.release_conn()
    data = b''.join(kept)
    return data if limit is None else data[-limit:]


def _chunks(response) -> Iterator[bytes]:
    try:
        yield from response.stream(amt=65536, decode_content=True)
    except errors.TRANSPORT_ERRORS as exc:
        raise errors.from_exception(exc)
