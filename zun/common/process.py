# SPDX-License-Identifier: Apache-2.0
"""The life of an executable: start, signals, end.

A parent process watches its children (cotyledon).  SIGTERM ends each part in
turn, the last started first; SIGHUP reads mutable options anew.  A process
that cannot start says why in one line and ends with status 1.
"""

from collections.abc import Callable
from collections.abc import Sequence
import os
import sys
from typing import NoReturn
from typing import Protocol

import cotyledon
from cotyledon import oslo_config_glue
from oslo_log import log as logging

from zun.common import service
from zun.common import utils
import zun.conf
from zun import version

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)

one_line = utils.one_line

# Status of a child that will not do better next time.
EXIT_CANNOT_START = 78

# Seconds kept of graceful_shutdown_timeout for what follows the tasks.
SHUTDOWN_RESERVE = 10


class StartError(Exception):
    """Why a process cannot start, in one line."""


class Part(Protocol):
    """Something that a process does while it lives."""

    def start(self) -> None:
        """Begin; returns at once.

        :raises StartError: it cannot
        """

    def stop(self) -> None:
        """End, and return when that is done."""


def shutdown_time() -> float | None:
    """Seconds for which running work may go on once the end was asked for.

    None: as long as it takes.
    """
    total = CONF.graceful_shutdown_timeout
    if total == 0:
        return None
    return max(total - SHUTDOWN_RESERVE, total / 2)


class Child(cotyledon.Service):
    """One child process, made of parts.

    :param build: makes the parts, in the child
    """

    def __init__(self, worker_id: int, name: str,
                 build: Callable[[int], Sequence[Part]]) -> None:
        super().__init__(worker_id)
        self.name = name
        self._build = build
        self._started: list[Part] = []

    def run(self) -> None:
        """Start the parts, in their order."""
        try:
            for part in self._build(self.worker_id):
                part.start()
                self._started.append(part)
        except StartError as error:
            _cannot_start(error)
        except Exception as error:
            LOG.exception('%s cannot start.', self.name)
            _cannot_start(error)
        LOG.info('%(name)s %(version)s is at work (process %(pid)d).',
                 {'name': self.name, 'pid': os.getpid(),
                  'version': version.version_info.release_string()})

    def terminate(self) -> None:
        """Stop the parts, the last one first."""
        for part in reversed(self._started):
            part.stop()
        LOG.info('%s has ended.', self.name)

    def reload(self) -> None:
        """Options that may change were read anew; nothing is restarted."""


def _cannot_start(error: Exception) -> NoReturn:
    print('%s: cannot start: %s' % (CONF.prog, one_line(error)),
          file=sys.stderr, flush=True)
    os._exit(EXIT_CANNOT_START)


def _child_died(service_id: object, worker_id: int, status: int) -> None:
    if status == EXIT_CANNOT_START:
        # It has said why; another one would fail like it.
        os._exit(1)


def run(name: str, build: Callable[[int], Sequence[Part]],
        checks: Sequence[Callable[[], None]] = (), workers: int = 1) -> None:
    """Run a service until it is asked to end; does not return.

    Call :func:`zun.common.service.prepare_service` first.

    :param build: makes the parts of child number 0, 1, ...
    :param checks: what must be in order to begin with; each raises
        StartError if it is not
    :param workers: children
    """
    oslo_config_glue.register_opts(CONF)
    for check in checks:
        try:
            check()
        except StartError as error:
            service.fail('cannot start: %s' % one_line(error))
    manager = cotyledon.ServiceManager()
    oslo_config_glue.link(manager, CONF, reload_method='mutate')
    manager.register_hooks(on_dead_worker=_child_died)
    manager.add(Child, workers=workers, args=(name, build))
    manager.run()
