# SPDX-License-Identifier: Apache-2.0
"""Telling workers of new work, sooner than they would look.

Within a process by a call; between processes by a UDP datagram that holds
the name of the queue, to the address that a worker has in its row.  All of
it is best effort: a poke that gets lost costs one polling interval.
"""

from collections.abc import Callable
import os
import random
import selectors
import socket
import threading
import time

from oslo_log import log as logging

import zun.conf
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import workers

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)

MAX_DATAGRAM = 512

# Seconds for which the addresses of a queue's workers are remembered.
ADDRESS_LIFETIME = 10.0

_listeners: dict[str, list[Callable[[], None]]] = {}
_lock = threading.Lock()


def subscribe(queue: str, listener: Callable[[], None]) -> None:
    """Call ``listener`` when there is new work in a queue."""
    with _lock:
        _listeners.setdefault(queue, []).append(listener)


def unsubscribe(queue: str, listener: Callable[[], None]) -> None:
    """Undo :func:`subscribe`."""
    with _lock:
        _listeners[queue].remove(listener)


def poke_here(queue: str) -> bool:
    """Tell the workers of this process; whether there are any."""
    with _lock:
        listeners = list(_listeners.get(queue, ()))
    for listener in listeners:
        listener()
    return bool(listeners)


def poke(queue: str) -> None:
    """Tell a worker of a queue, here or elsewhere, that there is work."""
    if not poke_here(queue) and CONF.task.poke:
        _sender().send(queue)


class Sender:
    """Sends pokes to other processes.

    Its thread reads the addresses, so that no request waits for that.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._pending: set[str] = set()
        self._lock = threading.Lock()
        self._event = threading.Event()
        self._known: dict[str, tuple[float, list[str]]] = {}
        threading.Thread(target=self._run, name='poke', daemon=True).start()

    def send(self, queue: str) -> None:
        """Send a poke soon; several for one queue may become one."""
        with self._lock:
            self._pending.add(queue)
        self._event.set()

    def _run(self) -> None:
        while True:
            self._event.wait()
            self._event.clear()
            with self._lock:
                queues, self._pending = self._pending, set()
            for queue in queues:
                try:
                    self._poke(queue)
                except Exception as error:
                    LOG.debug('No poke for %(queue)s: %(error)s',
                              {'queue': queue, 'error': error})

    def _poke(self, queue: str) -> None:
        addresses = self._addresses(queue)
        if addresses:
            address = random.choice(addresses)  # nosec B311
            host, _, port = address.rpartition(':')
            family = socket.AF_INET6 if ':' in host else socket.AF_INET
            with socket.socket(family, socket.SOCK_DGRAM) as sock:
                sock.setblocking(False)
                sock.sendto(queue.encode()[:MAX_DATAGRAM], (host, int(port)))

    def _addresses(self, queue: str) -> list[str]:
        since, addresses = self._known.get(queue, (None, []))
        if since is None or time.monotonic() - since > ADDRESS_LIFETIME:
            with db_api.reader(None) as session:
                addresses = workers.addresses(session, queue)
            self._known[queue] = (time.monotonic(), addresses)
        return addresses


_current: Sender | None = None


def _sender() -> Sender:
    global _current
    with _lock:
        # A thread does not survive a fork.
        if _current is None or _current.pid != os.getpid():
            _current = Sender()
        return _current


class Receiver:
    """Passes pokes of other processes on to the workers of this one."""

    def __init__(self, host: str, port: int = 0) -> None:
        self._host = host
        family = socket.AF_INET6 if ':' in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._socket.bind((host, port))
        self._told_to_stop, self._tell = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name='poked',
                                        daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """host:port"""
        return '%s:%s' % (self._host, self._socket.getsockname()[1])

    def stop(self) -> None:
        """Stop listening."""
        self._tell.close()
        self._thread.join()
        self._told_to_stop.close()
        self._socket.close()

    def _run(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            selector.register(self._told_to_stop, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj is self._told_to_stop:
                        return
                    queue = self._socket.recv(MAX_DATAGRAM)
                    poke_here(queue.decode('utf-8', 'replace'))
