# SPDX-License-Identifier: Apache-2.0
"""The part of a process that runs tasks: a worker and its reaper."""

from collections.abc import Callable

from zun.compute.tasks import reaper
from zun.compute.tasks import registry
from zun.compute.tasks import worker


class TaskService:
    """Runs the tasks of one queue and watches the other workers.

    :param operations: what can be run
    :param host: name of this machine
    :param binary: name of this executable
    :param is_leader: whether this process leads right now
    :param queue: whose tasks to run
    """

    def __init__(self, operations: registry.Registry, host: str, binary: str,
                 is_leader: Callable[[], bool],
                 queue: str = registry.COMPUTE) -> None:
        watch = reaper.Watch()
        self.worker = worker.Worker(operations, host, binary, watch, queue)
        # An agent need not wait for the leader: nobody else has its queue.
        own_queue = queue if queue.startswith(registry.AGENT) else None
        self.reaper = reaper.Reaper(watch, lambda: self.worker.lease.uuid,
                                    is_leader, own_queue)

    def start(self) -> None:
        """Begin.

        :raises DBError: the database does not answer
        :raises OSError: [task] poke_host cannot be listened on
        """
        self.worker.start()
        self.reaper.start()

    def stop(self, timeout: float | None = None) -> None:
        """End, once running tasks have ended.

        :param timeout: seconds after which they are given to others; None:
            never
        """
        self.worker.stop(timeout)
        self.reaper.stop()

    def check(self) -> None:
        """Tell whether this worker is in order.

        :raises RuntimeError: it could show no sign of life for too long
        """
        if not self.worker.lease.held():
            raise RuntimeError('No sign of life could be written for '
                               '[task] worker_timeout seconds.')
