# SPDX-License-Identifier: Apache-2.0
"""Waiting for a container to run.

A worker waits a little and then lets the task wait in the queue, so that
slow pulls do not hold up other work. How long the start has taken is noted
in the journal.
"""

from collections.abc import Callable
import time

from zun.common.i18n import _
from zun.compute.operations import base
from zun.compute.tasks import errors as task_errors
import zun.conf
from zun.container import driver
from zun.container import errors

CONF = zun.conf.CONF

# Seconds between two looks at how long a failure has lasted.
_SLICE = 5.0
# Seconds until a task that waits for a start looks again.
_PAUSE = 1.0
# Seconds for which other failures than the options speak of may last.
_OTHER_FAILURE_SECONDS = 60

_WAITED = 'start_waited'
_FAILING = 'start_failing'
_PULL_REASONS = ('ErrImagePull', 'ImagePullBackOff', 'ImageInspectError',
                 'RegistryUnavailable')
_PULL = 'pull'
_UNSCHEDULABLE = 'Unschedulable'


def forget(context) -> None:
    """A new start begins; what an earlier one took does not count."""
    journal = base.journal(context)
    journal.step_put(_WAITED, 0.0)
    journal.step_put(_FAILING, None)


def until_started(context, look: Callable[[float], driver.Started],
                  explain: Callable[[], str | None]) -> driver.Started:
    """Wait until a container runs or has ended.

    :param look: waits so many seconds for it, for instance
        :meth:`ContainerDriver.await_start`.
    :param explain: what the engine last complained of.
    :raises StartFailed: it can't run, or did not in time.
    :raises Retry: not yet; look again later.
    """
    try:
        return _until_started(context, look, explain)
    except errors.StartFailed as exc:
        base.remember(context, exc)
        raise


def _until_started(context, look, explain):
    journal = base.journal(context)
    clock = _Clock(journal.step_get(_WAITED, 0.0),
                   journal.step_get(_FAILING))
    deadline = time.monotonic() + CONF.kubernetes.start_wait
    while True:
        begun = time.monotonic()
        started = look(max(0.1, min(_SLICE, deadline - begun)))
        if started.done:
            return started
        clock.add(started, time.monotonic() - begun)
        clock.check(started, explain)
        if time.monotonic() >= deadline:
            journal.step_put(_WAITED, clock.waited)
            journal.step_put(_FAILING, clock.failing)
            raise task_errors.Retry(
                started.text or _('the container is on its way'),
                after=_PAUSE)


class _Clock:
    """Seconds that a start has taken, and for how long it has failed."""

    def __init__(self, waited, failing):
        self.waited = waited
        self.failing = failing

    def add(self, started, seconds):
        self.waited += seconds
        kind = _kind(started.reason)
        before = 0.0
        if self.failing is not None and self.failing[0] == kind:
            before = self.failing[1] + seconds
        self.failing = None if kind is None else [kind, before]

    def check(self, started, explain):
        if self.failing is not None and (
                self.failing[1] >= _limit(self.failing[0])):
            raise errors.StartFailed(
                started.text, started.reason,
                before_run=self.failing[0] in (_PULL, _UNSCHEDULABLE))
        if self.waited >= CONF.kubernetes.start_timeout:
            why = explain() or started.text or _('no reason was given')
            raise errors.StartFailed(
                _('The container did not start within %(seconds)d seconds: '
                  '%(why)s') % {'seconds': CONF.kubernetes.start_timeout,
                                'why': why}, 'Timeout', before_run=True)


def _kind(reason):
    return _PULL if reason in _PULL_REASONS else reason


def _limit(kind):
    if kind == _PULL:
        return CONF.kubernetes.image_pull_timeout
    if kind == _UNSCHEDULABLE:
        return CONF.kubernetes.unschedulable_timeout
    return _OTHER_FAILURE_SECONDS
