# SPDX-License-Identifier: Apache-2.0
"""What the compute side asks of the engine that runs containers.

A driver speaks to its engine alone. Rows, actions, events, Neutron and
Cinder are the business of :mod:`zun.compute.operations`; a driver gets
what they found out and says what the engine made of it.
"""

import abc
from collections.abc import Sequence
import dataclasses
import datetime
import functools
import typing

from oslo_log import log as logging
import stevedore
import stevedore.exception

from zun.common import exception
from zun.common.i18n import _
import zun.conf
from zun.container import errors
from zun.container.runtime import base as runtime_base

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

# Names that older configuration files have for what is Kubernetes now.
_OLD_NAMES = ('docker', 'cri')


class Image(typing.NamedTuple):
    """What a container is made from.

    :ivar reference: as the node's runtime resolves it.
    :ivar pull_policy: ``always``, ``ifnotpresent`` or ``never``.
    :ivar credentials: (server, user, password) of a private registry.
    """

    reference: str
    pull_policy: str
    credentials: tuple[str, str, str] | None = None


class Network(typing.NamedTuple):
    """What a container is plugged into, in the order of its interfaces.

    :ivar vifs: one mapping a port, see :mod:`zun.network.cni_network`.
    :ivar nameservers: of the subnets.
    """

    vifs: Sequence[dict] = ()
    nameservers: Sequence[str] = ()


class Mount(typing.NamedTuple):
    """A file or volume that a container sees at a path.

    :ivar key: short and unique among the mounts of a container.
    :ivar contents: bytes of a file, or None for a volume.
    :ivar claim: name of a persistent volume claim, or None for a file.
    """

    key: str
    path: str
    contents: bytes | None = None
    claim: str | None = None


@dataclasses.dataclass(frozen=True)
class Plan:
    """All that an engine needs to make a container beside its row.

    :ivar images: by uuid of the container or member of a capsule.
    :ivar mounts: likewise.
    """

    images: dict[str, Image]
    network: Network = Network()
    mounts: dict[str, Sequence[Mount]] = dataclasses.field(
        default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Started:
    """How far a start has come.

    :ivar done: the container runs or has already ended.
    :ivar reason: why not yet, one word; None while all goes well.
    :ivar text: the same for people.
    """

    done: bool
    reason: str | None = None
    text: str | None = None
    started_at: datetime.datetime | None = None


class Executed(typing.NamedTuple):
    """Result of a command run in a container."""

    output: bytes
    exit_code: int | None


class Stopped(typing.NamedTuple):
    """Result of a stop.

    :ivar note: what the user has to know, or None.
    """

    note: str | None = None


@dataclasses.dataclass(frozen=True)
class Sight:
    """A container as an observer of the engine sees it.

    :ivar present: the engine has it.
    :ivar values: columns of its row that follow: ``status``,
        ``status_detail``, ``status_reason``.
    :ivar ran: seconds for which it ran, once it has ended.
    :ivar unhealthy: its healthcheck fails.
    :ivar note: why it ended or went, where that was not its own doing.
    :ivar restarts: what its restart policy has remembered.
    :ivar kept: what it has written is safe, or nobody can keep it.
    """

    present: bool = False
    running: bool = False
    ended: bool = False
    exit_code: int | None = None
    ran: float = 0.0
    unhealthy: bool = False
    values: dict = dataclasses.field(default_factory=dict)
    note: str | None = None
    restarts: str | None = None
    kept: bool = True


class Observer(typing.Protocol):
    """Follows everything that Zun has on the engine."""

    def start(self) -> None:
        """Begin to follow."""

    def stop(self) -> None:
        """End."""

    def changed(self, limit: int, timeout: float) -> list[str]:
        """Uuids of containers and capsules that may have changed.

        :param limit: most of them at once.
        :param timeout: seconds to wait for the first one.
        """

    def look_again(self, uuids, delay: float) -> None:
        """Count containers as changed in so many seconds."""

    def look_at_all(self) -> None:
        """Count everything that is known as changed."""

    def look(self, container, now: datetime.datetime) -> Sight:
        """A container as it is now."""

    def look_into(self, capsule, now: datetime.datetime
                  ) -> dict[str, dict] | None:
        """By uuid of capsule and members: values of the row.

        None when the engine has no such capsule.
        """

    def known(self) -> set[str]:
        """Uuids of all that is on the engine."""

    def remove_unknown(self, uuids) -> None:
        """Take off the engine what has no row any more."""

    def projects(self) -> list[str]:
        """Projects that the engine keeps something for."""


class BaseDriver(abc.ABC):
    """What containers and capsules have in common.

    :cvar runtime: the container runtime of this node, where the driver
        runs in the node's agent; else None.
    """

    runtime: runtime_base.Runtime | None = None

    @abc.abstractmethod
    def remove(self, context, container, force: bool = False) -> None:
        """Take a container, or a capsule with its members, off the engine.

        What is gone already is no error. Returns once nothing of it is
        left on its node, its network interfaces included.
        """

    @abc.abstractmethod
    def tidy(self, context, project_id: str, empty) -> None:
        """Remove what only a project's last container needed.

        :param empty: called without arguments; true when the project has
            no container.
        """


class ContainerDriver(BaseDriver):
    """Single containers.

    Methods that need a container raise
    :class:`zun.container.errors.ContainerMissing` when the engine has
    none for ``container.container_id``.
    """

    @abc.abstractmethod
    def observer(self) -> Observer:
        """Somebody who follows the engine; not started yet."""

    @abc.abstractmethod
    def create(self, context, container, plan: Plan) -> dict:
        """Make the container without starting it.

        May be repeated: what is there already is taken over.

        :returns: values of the row: ``container_id``, ``hostname``,
            ``runtime``, ``ports``.
        """

    @abc.abstractmethod
    def recreate(self, context, container, plan: Plan | None = None,
                 restarts: str | None = None) -> dict:
        """Make the container's next generation and leave the former one.

        :param plan: None keeps image, network and files.
        :param restarts: what its restart policy has to remember, see
            :attr:`Sight.restarts`.
        :returns: as :meth:`create`.
        """

    @abc.abstractmethod
    def start(self, context, container) -> bool:
        """Let a created container run; a running one stays as it is.

        :returns: False: it has run and ended, and has to be made anew.
        """

    @abc.abstractmethod
    def await_start(self, context, container, timeout: float) -> Started:
        """Wait until it runs, has ended or can't run.

        :raises StartFailed: it never will.
        """

    @abc.abstractmethod
    def explain(self, context, container) -> str | None:
        """What the engine last complained of about a container."""

    @abc.abstractmethod
    def stop(self, context, container, timeout: int | None) -> Stopped:
        """Signal, wait, kill. A container that has ended is no error."""

    def is_kept(self, context, container) -> bool:
        """Whether what a container has written is safe, or it runs.

        An engine that keeps it by itself has nothing to do.
        """
        return True

    def keep(self, context, container) -> str | None:
        """Keep what an ended container has written and said, on its node.

        May be repeated.

        :returns: what the user has to know, where it can't be kept.
        """
        return None

    def images_in_use(self, container) -> tuple[set[str], bool] | None:
        """Kept layers that a container needs, and whether it is stopped.

        None: the engine has no such container, so nobody can tell.
        """
        return None

    def give_up_layer(self, container, image: str) -> str | None:
        """Let a stopped container go on without a kept layer.

        :returns: what the user has to know; None: it is needed after all.
        """
        return None

    def export(self, context, container, out: typing.BinaryIO,
               name: str) -> None:
        """Write the files of a container as an image's archive.

        A running container stands still meanwhile.

        :param name: repository and tag of the image in the archive.
        :raises AgentNeeded: the engine has no way to.
        """
        raise errors.AgentNeeded(
            operation=_('Committing container %s') % container.uuid,
            why=_('the engine cannot make images'))

    @abc.abstractmethod
    def kill(self, context, container, signal: str | int | None) -> None:
        """Send a signal to process 1; None is SIGKILL.

        :raises NotRunning: there is none.
        """

    @abc.abstractmethod
    def pause(self, context, container) -> None:
        """Freeze all processes.

        :raises NotRunning: there are none, or they are frozen.
        """

    @abc.abstractmethod
    def unpause(self, context, container) -> None:
        """Thaw all processes.

        :raises NotPaused: they are not frozen.
        """

    @abc.abstractmethod
    def is_running(self, context, container) -> bool:
        """Whether the container has processes, be they frozen."""

    def require_running(self, context, container) -> None:
        """Make sure that a command can be run in the container.

        :raises NotRunning: it has no processes.
        """
        if not self.is_running(context, container):
            raise errors.NotRunning(container=container.uuid)

    @abc.abstractmethod
    def hold_back(self, context, container) -> dict | None:
        """Keep a container whose start has failed from starting later.

        :returns: values of the row where it had to be made anew.
        """

    @abc.abstractmethod
    def prune(self, context, container) -> None:
        """Remove what is kept of too many former generations."""

    @abc.abstractmethod
    def show(self, context, container, force: bool = False) -> dict:
        """Values of the row as the engine sees them now."""

    @abc.abstractmethod
    def show_logs(self, context, container, *, stdout: bool, stderr: bool,
                  timestamps: bool, tail: int | None,
                  since: datetime.datetime | None) -> bytes:
        """Output of the container, of its earlier runs too."""

    @abc.abstractmethod
    def execute_run(self, context, container, command: list[str],
                    timeout: float) -> Executed:
        """Run a command in the container and wait for it."""

    @abc.abstractmethod
    def open_terminal(self, context, container, command: list[str],
                      tty: bool) -> typing.Any:
        """Open the streams that zun-wsproxy carries.

        :param command: what to run with its standard input open; empty to
            join the streams of process 1 instead.
        :returns: an object with ``read``, ``write``, ``resize``, ``close``
            and ``closed`` as :class:`zun.common.k8s.stream.Session`; frames
            of the channels 1 and 2 are output.
        """

    @abc.abstractmethod
    def top(self, context, container, ps_args: str | None) -> dict:
        """``{"Titles": [...], "Processes": [[...], ...]}``."""

    @abc.abstractmethod
    def stats(self, context, container) -> dict:
        """Figures of cpu, memory, block and network I/O."""

    @abc.abstractmethod
    def get_archive(self, context, container, path: str
                    ) -> tuple[bytes, dict]:
        """A file or directory as a tar archive, and its description."""

    @abc.abstractmethod
    def put_archive(self, context, container, path: str,
                    data: bytes) -> None:
        """Unpack a tar archive in a directory."""

    @abc.abstractmethod
    def update(self, context, container) -> dict:
        """Apply the row's cpu and memory to the container.

        :returns: further values of the row, ``container_id`` where the
            container had to be made anew.
        :raises Conflict: there is no room, or the amounts are in use.
        """

    @abc.abstractmethod
    def change_network(self, context, container, network: Network
                       ) -> bool | None:
        """Plug and unplug interfaces so that they are these.

        :returns: true where the sandbox that runs can't be changed: the
            next one is plugged so.
        """

    @abc.abstractmethod
    def network_of(self, context, container) -> Network:
        """What the container is plugged into."""


class CapsuleDriver(BaseDriver):
    """Capsules: containers that share a sandbox."""

    @abc.abstractmethod
    def create_capsule(self, context, capsule, plan: Plan) -> dict:
        """Make a capsule and its containers without starting them.

        :returns: by uuid of capsule and members: values of the row.
        """

    @abc.abstractmethod
    def start_capsule(self, context, capsule) -> None:
        """Run the init containers one by one, then the others."""

    @abc.abstractmethod
    def await_capsule(self, context, capsule, timeout: float) -> Started:
        """As :meth:`ContainerDriver.await_start`."""

    @abc.abstractmethod
    def show_capsule(self, context, capsule) -> dict:
        """By uuid of capsule and members: values of the row."""


def load_container_driver(name: str | None = None) -> ContainerDriver:
    """The driver that ``[DEFAULT] container_driver`` names.

    :raises ConfigInvalid: no such driver is installed.
    """
    return _load('zun.container.driver', 'container_driver',
                 name or CONF.container_driver, ContainerDriver)


def load_capsule_driver(name: str | None = None) -> CapsuleDriver:
    """The driver that ``[DEFAULT] capsule_driver`` names.

    :raises ConfigInvalid: no such driver is installed.
    """
    return _load('zun.capsule.driver', 'capsule_driver',
                 name or CONF.capsule_driver, CapsuleDriver)


def _load(namespace, option, name, interface):
    if name in _OLD_NAMES:
        _warn_once(option, name)
    try:
        driver = stevedore.DriverManager(
            namespace, name, invoke_on_load=True).driver
    except stevedore.exception.NoMatches:
        raise exception.ConfigInvalid(error_msg=_(
            '%(option)s = %(name)s: no such driver; use k8s.')
            % {'option': option, 'name': name})
    if not isinstance(driver, interface):
        raise exception.ConfigInvalid(error_msg=_(
            '%(option)s = %(name)s is not a %(interface)s.')
            % {'option': option, 'name': name,
               'interface': interface.__name__})
    return driver


@functools.cache
def _warn_once(option, name):
    LOG.warning('%(option)s = %(name)s means the Kubernetes driver now; '
                'write k8s', {'option': option, 'name': name})
