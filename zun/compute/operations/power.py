# SPDX-License-Identifier: Apache-2.0
"""Start, stop, restart, pause, unpause and kill."""

from collections.abc import Callable
from collections.abc import Iterator
import contextlib
import typing

from oslo_log import log as logging
from oslo_utils import timeutils

from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.compute import container_actions as actions
from zun.compute.operations import base
from zun.compute.operations import events
from zun.compute.operations import node
from zun.compute.operations import rows
from zun.compute.operations import starts
from zun.compute.operations import volumes
from zun.container import errors
from zun.db import api as db_api

LOG = logging.getLogger(__name__)

_ENDED = 'reboot_ended'


class Verb(typing.NamedTuple):
    """How an operation is reported, and what it leaves.

    ``status`` is the container's status afterwards.
    """

    action: str
    event: str
    task_state: str
    status: str


START = Verb(actions.START, events.START, consts.CONTAINER_STARTING,
             consts.RUNNING)
STOP = Verb(actions.STOP, events.STOP, consts.CONTAINER_STOPPING,
            consts.STOPPED)
REBOOT = Verb(actions.REBOOT, events.REBOOT, consts.CONTAINER_REBOOTING,
              consts.RUNNING)
PAUSE = Verb(actions.PAUSE, events.PAUSE, consts.CONTAINER_PAUSING,
             consts.PAUSED)
UNPAUSE = Verb(actions.UNPAUSE, events.UNPAUSE,
               consts.CONTAINER_UNPAUSING, consts.RUNNING)
KILL = Verb(actions.KILL, events.KILL, consts.CONTAINER_KILLING,
            consts.STOPPED)


def start(parts: base.Parts, context, container) -> None:
    report = events.Report(context, container, START.action)
    report.require()
    with report.event(START.event):
        start_within(parts, context, container)
    report.finish()


def start_within(parts: base.Parts, context, container) -> None:
    """Start a container as a part of another operation."""
    rows.enter(context, container, START.task_state)
    try:
        note = run(parts, context, container)
    except errors.ContainerMissing as exc:
        raise rows.engine_lost(context, container, exc)
    container.status = START.status
    container.status_reason = note
    container.started_at = timeutils.utcnow()
    rows.leave(context, container)


def run(parts: base.Parts, context, container) -> str | None:
    """Let a container run, from its next generation if it has run before.

    :returns: what the user has to know of what it goes on with.
    :raises ContainerMissing: the engine has it no more.
    :raises StartFailed: it can't run.
    """
    driver = parts.driver
    base.journal(context).check()
    note = None
    if not driver.start(context, container):
        note = node.settle(parts, context, container)
        renew(context, container, driver.recreate(context, container))
        driver.start(context, container)
    starts.until_started(
        context,
        lambda timeout: driver.await_start(context, container, timeout),
        lambda: driver.explain(context, container))
    driver.prune(context, container)
    return note


def renew(context, container, values: dict) -> None:
    """Save which generation of a container counts from now on."""
    with db_api.writer(context):
        container.container_id = values['container_id']
        container.save(context)


def start_failed(parts: base.Parts, context, container,
                 exc: Exception) -> None:
    """Take note that a container can't be started."""
    if isinstance(exc, exception.ContainerActionNotFound):
        return
    hold_back(parts, context, container, exc)
    volumes.give_up(context, container)
    with db_api.writer(context):
        rows.fail(context, container, base.reason_of(exc))
        events.Report(context, container, START.action).fail(
            exc, missed=START.event)


def hold_back(parts: base.Parts, context, container,
              exc: Exception) -> None:
    """Keep a container that could not be started from starting later."""
    if not isinstance(exc, errors.StartFailed):
        return
    try:
        values = parts.driver.hold_back(context, container)
    except errors.ContainerMissing:
        return
    if values:
        renew(context, container, values)


def stop(parts: base.Parts, context, container, timeout) -> None:
    seconds = _seconds(timeout)
    notes = []

    def act():
        notes.append(parts.driver.stop(context, container, seconds).note)

    _operate(context, container, STOP, act,
             lambda: notes[-1] if notes else None)


def reboot(parts: base.Parts, context, container, timeout) -> None:
    seconds = _seconds(timeout)

    _operate(context, container, REBOOT,
             lambda: restart(parts, context, container, seconds))


def restart(parts: base.Parts, context, container,
            seconds: int | None = None) -> None:
    """End a container and let it run again, in a new sandbox."""
    journal = base.journal(context)
    # A start that is waited for must not be stopped again.
    if not journal.step_get(_ENDED):
        node.halt(parts, context, container, seconds)
        journal.step_put(_ENDED, True)
    run(parts, context, container)


def pause(parts: base.Parts, context, container) -> None:
    def act():
        with _done_before(context, errors.NotRunning, lambda:
                          parts.driver.is_running(context, container)):
            parts.driver.pause(context, container)

    _operate(context, container, PAUSE, act)


def unpause(parts: base.Parts, context, container) -> None:
    def act():
        with _done_before(context, errors.NotPaused, lambda:
                          parts.driver.is_running(context, container)):
            parts.driver.unpause(context, container)

    _operate(context, container, UNPAUSE, act)


def kill(parts: base.Parts, context, container, signal) -> None:
    def act():
        with _done_before(context, errors.NotRunning, lambda: True):
            parts.driver.kill(context, container, signal)

    _operate(context, container, KILL, act)


@contextlib.contextmanager
def _done_before(context, refusal: type[Exception],
                 is_done: Callable[[], bool]) -> Iterator[None]:
    """Take a refusal for success where an earlier attempt had it."""
    try:
        yield
    except refusal:
        if base.journal(context).attempt == 1 or not is_done():
            raise


def _operate(context, container, verb: Verb, act: Callable[[], None],
             note: Callable[[], str | None] = lambda: None) -> None:
    report = events.Report(context, container, verb.action)
    report.require()
    report.begin(verb.event)
    rows.enter(context, container, verb.task_state)
    base.journal(context).check()
    try:
        act()
    except errors.ContainerMissing as exc:
        raise rows.engine_lost(context, container, exc)
    with db_api.writer(context):
        if rows.is_own(context, container):
            container.status = verb.status
            container.status_reason = note()
            rows.leave(context, container)
        report.end(verb.event)
        report.finish()


def failed(context, container, verb: Verb, exc: Exception) -> None:
    """The engine refused: only the event tells."""
    if isinstance(exc, exception.ContainerActionNotFound):
        return
    with db_api.writer(context):
        rows.leave(context, container)
        events.Report(context, container, verb.action).fail(
            exc, missed=verb.event)


def _seconds(timeout) -> int | None:
    """A time-out as it came: nothing is the engine's default.

    :raises Invalid: it is no whole number.
    """
    if timeout in (None, ''):
        return None
    try:
        return int(timeout)
    except ValueError:
        raise exception.Invalid(
            _('The timeout %s is not a whole number of seconds.') % timeout)
