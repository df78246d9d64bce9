# SPDX-License-Identifier: Apache-2.0
"""Steps of an operation that only the agent of the container's node can do.

An operation that any compute process may run asks the agent by a task of
its own and waits for it. Such a task has no lane: it is a part of the one
that waits. Where no agent runs the step is done from here, as well as
Kubernetes allows.
"""

from collections.abc import Callable
from typing import Any

from zun.common import consts
from zun.common.i18n import _
from zun.compute.operations import base
from zun.compute.tasks import errors as task_errors
from zun.compute.tasks import queue
from zun.compute.tasks import registry
import zun.conf
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import workers

CONF = zun.conf.CONF

KEEP = 'container_keep'
# Seconds that a layer may take to be kept.
_KEEP_SECONDS = 120


def has_agent(context, host: str | None) -> bool:
    """Whether a node's agent takes tasks."""
    if not host:
        return False
    with db_api.reader(context) as session:
        return workers.present(session, registry.AGENT + host)


def settle(parts: base.Parts, context, container) -> str | None:
    """Have kept what a container that has ended has written.

    :returns: what the user has to know.
    """
    if parts.driver.is_kept(context, container):
        return parts.driver.keep(context, container)
    return _ask(parts, context, container, False, None,
                lambda: parts.driver.keep(context, container))


def halt(parts: base.Parts, context, container, timeout: int | None
         ) -> str | None:
    """Stop a container and have kept what it has written.

    :returns: what the user has to know.
    """
    return _ask(
        parts, context, container, True, timeout,
        lambda: parts.driver.stop(context, container, timeout).note)


def keep(parts: base.Parts, context, container, halt: bool,
         timeout: int | None) -> str | None:
    """What the agent does of :func:`settle` and :func:`halt`."""
    if halt:
        return parts.driver.stop(context, container, timeout).note
    note = parts.driver.keep(context, container)
    if note:
        tell(context, container, note)
    return note


@db_api.retry_on_conflict
def tell(context, container, note: str) -> None:
    """Let the user of a stopped container know something."""
    with db_api.writer(context):
        container.refresh(context)
        if container.status == consts.STOPPED and (
                container.task_state is None):
            container.status_reason = note
            container.save(context)


def _ask(parts, context, container, halt, timeout,
         act: Callable[[], Any]) -> Any:
    if parts.driver.runtime is not None or (
            not has_agent(context, container.host)):
        return act()
    journal = base.journal(context)
    journal.check()
    seconds = _KEEP_SECONDS
    if halt:
        seconds += CONF.kubernetes.stop_timeout if timeout is None else (
            timeout)
    asked = queue.enqueue(
        context, KEEP, {'container': container, 'halt': halt,
                        'timeout': timeout}, host=container.host,
        dedup_key='%s:%s:%s:%d' % (
            'halt' if halt else 'settle', container.container_id,
            journal.uuid, journal.attempt))
    try:
        return queue.wait(context, asked, KEEP, seconds)
    except task_errors.TaskTimeout as exc:
        raise task_errors.Retry(
            _('the agent of node %(host)s: %(why)s')
            % {'host': container.host, 'why': exc})
