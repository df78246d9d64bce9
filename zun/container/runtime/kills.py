# SPDX-License-Identifier: Apache-2.0
"""Containers that are to be killed at some time, whatever happens.

A stop waits between its signal and SIGKILL. Who waits may be ended
meanwhile, and so may the runtime; the time of the kill is kept in a file
and a thread sees to it.
"""

import json
import os
import pathlib
import threading
import time

from oslo_log import log as logging

from zun.container.runtime import base

LOG = logging.getLogger(__name__)

# Seconds that whoever stops a container has before the thread does it,
# and between two tries.
_PATIENCE = 1.0
_AGAIN = 0.5
_KILL = 9


class PendingKills:
    """Times of kills by container, as the clock of this machine has them.

    :param path: of the file; None keeps them in memory.
    """

    def __init__(self, path: pathlib.Path | None = None):
        self._path = path
        self._lock = threading.Condition()
        self._due: dict[str, float] = {}
        self._ended = False
        if path is not None and path.exists():
            self._due = json.loads(path.read_text())

    def get(self, container_id: str) -> float | None:
        """When a container is to be killed, in seconds since the epoch."""
        with self._lock:
            return self._due.get(container_id)

    def put(self, container_id: str, when: float) -> None:
        with self._lock:
            self._due[container_id] = when
            self._write()
            self._lock.notify_all()

    def drop(self, container_id: str) -> None:
        with self._lock:
            if self._due.pop(container_id, None) is not None:
                self._write()

    def _write(self):
        if self._path is None:
            return
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = self._path.with_suffix('.new')
        with open(made, 'w') as file:
            json.dump(self._due, file)
            file.flush()
            os.fsync(file.fileno())
        made.replace(self._path)

    # -- the thread ------------------------------------------------------
    def run(self, runtime: base.Runtime) -> None:
        """Kill what is overdue until :meth:`end` is called."""
        while not self._wait():
            for container_id in self._overdue():
                self._kill(runtime, container_id)

    def end(self) -> None:
        with self._lock:
            self._ended = True
            self._lock.notify_all()

    def _wait(self):
        with self._lock:
            if not self._ended:
                first = min(self._due.values(), default=None)
                self._lock.wait(None if first is None else max(
                    _AGAIN, first + _PATIENCE - time.time()))
            return self._ended

    def _overdue(self):
        now = time.time() - _PATIENCE
        with self._lock:
            return [container_id for container_id, when in
                    self._due.items() if when <= now]

    def _kill(self, runtime, container_id):
        try:
            runtime.signal(container_id, _KILL)
        except base.ContainerGone:
            # It ended in time.
            self.drop(container_id)
            return
        except base.RuntimeError as exc:
            LOG.warning('Container %(id)s, whose time has come, was not '
                        'killed yet: %(error)s',
                        {'id': container_id, 'error': exc})
            return
        LOG.info('Container %s was killed at the end of its time',
                 container_id)
