# SPDX-License-Identifier: Apache-2.0
"""What operations act through, and how they remember what they did.

An operation is a list of steps. A step first looks whether its effect is
there already: an earlier attempt may have ended anywhere. What can't be
looked up is noted in the journal of the task (:func:`journal`), in the
transaction of the row it belongs to.
"""

import functools
from typing import Any

from zun.common import clients
from zun.compute.tasks import errors as task_errors
from zun.container import driver as container_driver
from zun.container import errors
from zun.container.runtime import base as runtime_base
from zun.network import driver as network_driver
from zun.scheduler.client import report


class Parts:
    """The drivers, loaded when they are first needed.

    :param runtime: the container runtime of this node, in its agent.
    """

    def __init__(self, driver=None, capsule_driver=None,
                 runtime: runtime_base.Runtime | None = None):
        self._given = (driver, capsule_driver)
        self._runtime = runtime

    @functools.cached_property
    def driver(self) -> container_driver.ContainerDriver:
        driver = self._given[0] or container_driver.load_container_driver()
        if self._runtime is not None:
            driver.runtime = self._runtime
        return driver

    @functools.cached_property
    def capsule_driver(self) -> container_driver.CapsuleDriver:
        given = self._given[1]
        if given is None and isinstance(self.driver,
                                        container_driver.CapsuleDriver):
            return self.driver
        return given or container_driver.load_capsule_driver()

    @staticmethod
    def network(context) -> network_driver.NetworkDriver:
        """The network driver, on behalf of a context's task."""
        task = journal(context)
        return network_driver.get_network(
            context, again=task.attempt > 1,
            last=task.attempt >= task.max_attempts)

    @staticmethod
    def placement(context) -> report.SchedulerReportClient:
        return report.SchedulerReportClient(context)


class Untracked:
    """The journal of work that is no task: it lasts as long as the work."""

    uuid = None
    attempt = max_attempts = 1
    host = None

    def __init__(self) -> None:
        self._steps: dict[str, Any] = {}

    def step_get(self, name: str, default: Any = None) -> Any:
        return self._steps.get(name, default)

    def step_put(self, name: str, value: Any) -> None:
        self._steps[name] = value

    def check(self) -> None:
        """Nobody else can have the work."""


def journal(context):
    """The journal of the task that a context belongs to."""
    task = getattr(context, 'task', None)
    if task is None:
        task = context.task = Untracked()
    return task


_FAILURE = 'failure'


def remember(context, exc: errors.StartFailed) -> None:
    """Keep what a failure knows for the undo, which may be repeated."""
    journal(context).step_put(
        _FAILURE, [str(exc), exc.reason, exc.before_run])


def remembered(context, exc: Exception) -> Exception:
    """An error as it was when the task was given up.

    An undo that is repeated gets its error from the task's row, which has
    the text alone.
    """
    kept = journal(context).step_get(_FAILURE)
    if kept and not isinstance(exc, errors.StartFailed) and (
            kept[0].startswith(str(exc))):
        return errors.StartFailed(*kept)
    return exc


def reason_of(exc: Exception) -> str:
    """What a user reads of an error: a peer's own words where it has some.
    """
    if isinstance(exc, clients.PeerError) and exc.text:
        return exc.text
    if isinstance(exc, task_errors.Retry):
        return exc.kwargs['reason']
    return str(exc) or type(exc).__name__
