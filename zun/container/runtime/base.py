# SPDX-License-Identifier: Apache-2.0
"""What the agent of a node asks of the container runtime there.

Kubernetes has no API for these operations, so the agent speaks to the
runtime itself. A second runtime is one more module with this interface,
named in the entry point group ``zun.container.runtime``.
"""

import abc
from collections.abc import Iterator
import contextlib
import dataclasses
import enum
import pathlib
import time
import typing

from zun.common.i18n import _

# Images that were imported begin so.
IMPORTED = 'zun.local/glance/'
# Seconds between two looks for a runtime that is away.
_AWAY_PAUSE = 0.2


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


@dataclasses.dataclass(frozen=True)
class RuntimeImage:
    """An image in the runtime's store.

    :ivar digest: of its manifest or index, ``sha256:...``.
    :ivar size: bytes of its layers as they are stored.
    :ivar created: seconds since the epoch when the name was made.
    :ivar added: bytes of the layer that a commit has added.
    """

    name: str
    digest: str
    size: int = 0
    labels: dict[str, str] = dataclasses.field(default_factory=dict)
    created: float = 0.0
    added: int = 0


class RuntimeError(Exception):
    """The runtime refused a request; the text says why."""


class RuntimeUnavailable(RuntimeError):
    """The runtime does not answer; the request may be made again."""


class RuntimeTimeout(RuntimeUnavailable):
    """The runtime did not answer in time."""


class NotSupported(RuntimeError):
    """The runtime has no way to do it."""

    def __init__(self, why: str | None = None):
        super().__init__(why or _('the container runtime of the node keeps '
                                  'no images for Zun'))


class ObjectMissing(RuntimeError):
    """The runtime has no such image, blob, snapshot or container."""


class ObjectExists(RuntimeError):
    """The runtime has one of that name already."""


class ContainerGone(RuntimeError):
    """The runtime has no such container, or its process has ended."""

    def __init__(self, container_id: str):
        super().__init__(
            _('container %s has no running process') % container_id)
        self.container_id = container_id


class Kills(typing.Protocol):
    """When containers are to be killed, in seconds since the epoch."""

    def get(self, container_id: str) -> float | None:
        """The time for a container, None for one that nobody stops."""

    def put(self, container_id: str, when: float) -> None:
        """Remember a time."""

    def drop(self, container_id: str) -> None:
        """Forget about a container; nothing known is no error."""


class _Remembered(dict):
    """Times of kills that are forgotten with the process."""

    put = dict.__setitem__

    def drop(self, container_id: str) -> None:
        self.pop(container_id, None)


class Runtime(abc.ABC):
    """Containers of the Pods on this node.

    :ivar kills: what is to be killed, see
        :class:`zun.container.runtime.kills.PendingKills`.
    :ivar logs: where logs of former runs are saved, see
        :class:`zun.container.runtime.saved_logs.SavedLogs`; None: nowhere.
    """

    logs: typing.Any = None

    def __init__(self) -> None:
        self.kills: Kills = _Remembered()

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

    @abc.abstractmethod
    def state(self, container_id: str) -> State:
        """What process 1 of a container does now."""

    # -- images and layers -------------------------------------------------
    # A runtime that has none keeps no layers: a stop loses them.

    def image(self, name: str) -> RuntimeImage | None:
        """The image of that name, or None."""
        raise NotSupported()

    def list_images(self, prefix: str = '') -> list[RuntimeImage]:
        """The images whose name begins so, the oldest first."""
        raise NotSupported()

    def remove_image(self, name: str) -> None:
        """Remove a name, and what only it needed; none is no error."""
        raise NotSupported()

    def pull(self, reference: str,
             credentials: tuple[str, str, str] | None = None
             ) -> RuntimeImage:
        """Get an image from its registry; asked for twice, done once.

        :param credentials: (server, user, password).
        :returns: the image; its digest is that of its configuration, by
            which the kubelet knows it.
        :raises ObjectMissing: the registry has no such image.
        """
        raise NotSupported()

    def usable(self, reference: str) -> RuntimeImage | None:
        """The image if a Pod could run it now, as :meth:`pull` has it."""
        raise NotSupported()

    def discard(self, image_id: str, reference: str) -> bool:
        """Remove an image that was pulled or imported, by its name.

        :returns: False: a container is made from it, so it stays.
        """
        raise NotSupported()

    def import_archive(self, source: typing.BinaryIO, name: str,
                       labels: dict[str, str] | None = None
                       ) -> RuntimeImage:
        """Take over the one image of a Docker or OCI archive.

        :param source: the archive, compressed or not.
        :returns: as :meth:`pull`.
        """
        raise NotSupported()

    def root(self, container_id: str, write: bool = False
             ) -> typing.ContextManager[pathlib.Path]:
        """Where the files of a container are for as long as needed.

        They are those of the running container with all its mounts, or
        what one that has ended has left.

        :raises NotSupported: the node cannot see them.
        """
        raise NotSupported()

    def pids(self, container_id: str) -> list[int]:
        """The processes of a container, as this node numbers them."""
        raise NotSupported()

    def figures(self, container_id: str) -> dict:
        """Figures of a running container.

        :returns: ``cpu_stats``, ``memory_stats`` and ``blkio_stats`` as in
            an engine's statistics, and ``pid``: of a process in its network
            namespace, 0 where the node sees none.
        """
        raise NotSupported()

    def commit(self, container_id: str, name: str,
               labels: dict[str, str] | None = None,
               unpack: bool = True) -> RuntimeImage:
        """Make an image of a container, dead ones too.

        It has the layers of the image that the container was first made
        from and one more with all that was changed since, however often
        the container was committed and started again. It is pinned: the
        kubelet does not collect it.

        :param labels: of the image, further ones.
        :param unpack: make it ready to be run now, else at its first use.
        :raises ObjectMissing: the container or its base is gone.
        """
        raise NotSupported()

    def export_archive(self, name: str, fileobj: typing.BinaryIO,
                       tag: str | None = None) -> int:
        """Write an image as a tar: OCI and Docker archive in one.

        :param tag: the name it has inside; None is its own.
        :returns: the number of bytes written.
        """
        raise NotSupported()

    def sweep(self) -> None:
        """Remove what somebody who was killed has left half done.

        While something is being done it is left for the next time.
        """

    @contextlib.contextmanager
    def paused(self, container_id: str) -> Iterator[None]:
        """Freeze a running container meanwhile; others stay as they are."""
        frozen = self.freeze(container_id)
        try:
            yield
        finally:
            if frozen:
                # It may have been killed meanwhile.
                with contextlib.suppress(ContainerGone):
                    self.resume(container_id)

    def freeze(self, container_id: str) -> bool:
        """Pause what runs; returns whether it did."""
        if self.state(container_id) is not State.RUNNING:
            return False
        self.pause(container_id)
        return True

    def log_path(self, container_id: str) -> pathlib.Path | None:
        """The newest log file of a container, in the kubelet's format."""
        raise NotSupported()

    def stop(self, container_id: str, timeout: float,
             signum: int = 15, kill_wait: float = 30.0) -> int | None:
        """Signal, wait, then kill.

        A frozen process can't act on a signal, so it is thawed first. A
        stop that somebody has begun is gone on with: there is no second
        signal, and the kill comes at the time it was meant for. A runtime
        that goes away meanwhile is waited for.

        :param timeout: seconds between the signal and SIGKILL.
        :param kill_wait: seconds that the kernel has to end the process.
        :returns: the exit code; None when the process had ended before.
        :raises RuntimeError: the process outlived SIGKILL.
        """
        due = self.kills.get(container_id)
        try:
            if due is None:
                due = time.time() + timeout
                self.resume(container_id)
                self.kills.put(container_id, due)
                self.signal(container_id, signum)
            code = self._outlast(container_id, due, kill_wait)
        except ContainerGone:
            code = None
        self.kills.drop(container_id)
        return code

    def _outlast(self, container_id, due, kill_wait):
        """Wait for the end, from a time on with SIGKILL."""
        killed = None
        while True:
            left = due - time.time()
            try:
                if left <= 0:
                    killed = killed or time.monotonic()
                    self.signal(container_id, 9)
                code = self.wait(container_id, left if left > 0 else
                                 kill_wait)
            except RuntimeUnavailable:
                if killed and time.monotonic() - killed > kill_wait:
                    raise
                time.sleep(_AWAY_PAUSE)
                continue
            if code is not None:
                return code
            if killed:
                raise RuntimeError(
                    _('container %(id)s still runs %(seconds)d seconds '
                      'after SIGKILL')
                    % {'id': container_id, 'seconds': kill_wait})
