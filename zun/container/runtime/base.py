# SPDX-License-Identifier: Apache-2.0
"""What the agent of a node asks of the container runtime there.

Kubernetes has no API for these operations, so the agent speaks to the
runtime itself. A second runtime is one more module with this interface,
named in the entry point group ``zun.container.runtime``.
"""

import abc
import dataclasses
import enum

from zun.common.i18n import _


class State(enum.Enum):
    """State of process 1 of a container, as the runtime sees it."""

    CREATED = 'created'
    RUNNING = 'running'
    PAUSED = 'paused'
    STOPPED = 'stopped'


@dataclasses.dataclass(frozen=True)
class RuntimeContainer:
    """One container of a Pod on this node.

    :ivar id: the runtime's own identifier.
    :ivar state: what its process 1 does now.
    :ivar pid: process 1 as this node numbers it, 0 when there is none.
    :ivar exit_code: 0 to 255 once it ended and the runtime still knows.
    """

    id: str
    state: State
    pid: int = 0
    exit_code: int | None = None


class RuntimeError(Exception):
    """The runtime refused a request; the text says why."""


class RuntimeUnavailable(RuntimeError):
    """The runtime does not answer; the request may be made again."""


class ContainerGone(RuntimeError):
    """The runtime has no such container, or its process has ended."""

    def __init__(self, container_id: str):
        super().__init__(
            _('container %s has no running process') % container_id)
        self.container_id = container_id


class Runtime(abc.ABC):
    """Containers of the Pods on this node."""

    @abc.abstractmethod
    def version(self) -> str:
        """Name and version of the runtime, proof that it answers."""

    @abc.abstractmethod
    def find(self, pod_uid: str, container_name: str
             ) -> RuntimeContainer | None:
        """The newest container of that name in the Pod, dead ones too."""

    @abc.abstractmethod
    def signal(self, container_id: str, signum: int) -> None:
        """Send a signal to process 1.

        :raises ContainerGone: there is no process to signal.
        :raises RuntimeError: the runtime refuses the number.
        """

    @abc.abstractmethod
    def wait(self, container_id: str, timeout: float) -> int | None:
        """Exit code of process 1, or None when it outlives the timeout.

        :param timeout: seconds.
        :raises ContainerGone: it had ended before and the runtime has
            forgotten its exit code.
        """

    @abc.abstractmethod
    def pause(self, container_id: str) -> None:
        """Freeze all processes; a paused container stays as it is."""

    @abc.abstractmethod
    def resume(self, container_id: str) -> None:
        """Thaw all processes; a running container stays as it is."""

    def stop(self, container_id: str, timeout: float,
             signum: int = 15, kill_wait: float = 30.0) -> int | None:
        """Signal, wait, then kill.

        A frozen process can't act on a signal, so it is thawed first.

        :param timeout: seconds between the signal and SIGKILL.
        :param kill_wait: seconds that the kernel has to end the process.
        :returns: the exit code; None when the process had ended before.
        :raises RuntimeError: the process outlived SIGKILL.
        """
        try:
            self.resume(container_id)
            self.signal(container_id, signum)
            code = self.wait(container_id, timeout)
            if code is not None:
                return code
            self.signal(container_id, 9)
            code = self.wait(container_id, kill_wait)
        except ContainerGone:
            return None
        if code is None:
            raise RuntimeError(
                _('container %(id)s still runs %(seconds)d seconds after '
                  'SIGKILL') % {'id': container_id, 'seconds': kill_wait})
        return code
