# SPDX-License-Identifier: Apache-2.0
"""What zun-compute does: run tasks, and lead where nobody else does."""

from collections.abc import Callable
from collections.abc import Sequence
import threading
from typing import Protocol

from oslo_log import log as logging

from zun.common import process
from zun.compute.tasks import registry
from zun.compute.tasks import service

LOG = logging.getLogger(__name__)

BINARY = 'zun-compute'


class Elector(Protocol):
    """Chooses one process of all (zun.common.k8s.lease.Elector)."""

    def is_leader(self) -> bool:
        """Whether this process leads right now."""

    def run(self, stop: threading.Event, started: Callable[[], None],
            stopped: Callable[[], None]) -> None:
        """Take part until ``stop`` is set."""


class Leadership:
    """Takes part in the election; runs the duties while it is won.

    :param elector: None: this process always leads, it is the only one
    :param make_duties: makes what only the leader does, anew each time
    """

    def __init__(self, elector: Elector | None,
                 make_duties: Callable[[], Sequence[process.Part]]) -> None:
        self._elector = elector
        self._make_duties = make_duties
        self._duties: list[process.Part] = []
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._take_part, name='lead',
                                        daemon=True)

    def is_leader(self) -> bool:
        """Whether this process leads right now."""
        return self._elector is None or self._elector.is_leader()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the duties and let another process lead."""
        self._stopping.set()
        self._thread.join()

    def _take_part(self) -> None:
        if self._elector is not None:
            self._elector.run(self._stopping, self._begin, self._end)
            return
        self._begin()
        self._stopping.wait()
        self._end()

    def _begin(self) -> None:
        for duty in self._make_duties():
            duty.start()
            self._duties.append(duty)

    def _end(self) -> None:
        while self._duties:
            self._duties.pop().stop()


class Tasks:
    """The tasks of the queue ``compute``, as a part of a process.

    :param manager: its methods run the tasks
    """

    def __init__(self, manager: object, host: str,
                 is_leader: Callable[[], bool],
                 shutdown_time: Callable[[], float | None]) -> None:
        self._service = service.TaskService(
            registry.from_manager(manager), host, BINARY, is_leader)
        self._shutdown_time = shutdown_time

    def start(self) -> None:
        self._service.start()

    def stop(self) -> None:
        self._service.stop(self._shutdown_time())

    def check(self) -> None:
        """Raise if this worker cannot be counted on."""
        self._service.check()
