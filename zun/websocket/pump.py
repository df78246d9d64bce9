# SPDX-License-Identifier: Apache-2.0
"""Carries bytes between a client's WebSocket and a container's streams.

Each direction has a thread and at most one frame in hand: who reads slowly
slows the writer down, and nothing piles up here.
"""

import threading
from typing import Protocol

from oslo_log import log as logging
import websockets.exceptions
from websockets.sync import connection as ws_connection

from zun.common import exception

LOG = logging.getLogger(__name__)

READ_SECONDS = 1.0
# Standard output and standard error.
OUTPUT_CHANNELS = (1, 2)
# Close codes of RFC 6455, 7.4.1, and the most bytes of a reason (5.5).
NORMAL, INTERNAL_ERROR = 1000, 1011
REASON_BYTES = 123


class Streams(Protocol):
    """The container's side: an attach or an exec."""

    closed: bool

    def read(self, timeout: float | None) -> tuple[int, bytes] | None: ...

    def write(self, data: bytes) -> None: ...

    def resize(self, width: int, height: int) -> None: ...

    def close(self) -> None: ...


class Pump:
    """One session.

    :param client: the client's WebSocket, after its handshake.
    :param streams: the container's streams.
    """

    def __init__(self, client: ws_connection.Connection, streams: Streams):
        self._client = client
        self._streams = streams

    def run(self) -> None:
        """Carry until either side ends, then end the other."""
        reader = threading.Thread(
            target=self._carry_output, name='terminal-output', daemon=True)
        reader.start()
        try:
            self._carry_input()
        finally:
            self._streams.close()
            reader.join()

    def resize(self, rows: int, columns: int) -> None:
        """Tell the container's terminal its size."""
        self._streams.resize(columns, rows)

    def _carry_input(self):
        try:
            for message in self._client:
                if isinstance(message, str):
                    message = message.encode('utf-8')
                self._streams.write(message)
        except websockets.exceptions.ConnectionClosed:
            LOG.debug('The client of a terminal went away')
        except exception.ZunException as e:
            self._end(INTERNAL_ERROR, str(e))

    def _carry_output(self):
        code, reason = NORMAL, ''
        try:
            while not self._streams.closed:
                frame = self._streams.read(READ_SECONDS)
                if frame is not None and frame[0] in OUTPUT_CHANNELS:
                    self._client.send(frame[1])
        except websockets.exceptions.ConnectionClosed:
            return
        except exception.ZunException as e:
            code, reason = INTERNAL_ERROR, str(e)
        self._end(code, reason)

    def _end(self, code, reason):
        shortened = reason.encode()[:REASON_BYTES].decode(errors='ignore')
        self._client.close(code, shortened)
