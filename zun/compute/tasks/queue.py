# SPDX-License-Identifier: Apache-2.0
"""Putting work into the task table, and waiting for its outcome."""

from collections.abc import Callable
import time
from typing import Any

from oslo_utils import uuidutils
import sqlalchemy as sa
from sqlalchemy import orm

from zun.compute.tasks import errors
from zun.compute.tasks import payload
from zun.compute.tasks import registry
from zun.compute.tasks import wake
import zun.conf
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import task_admin
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy.queries import workers
from zun.db.sqlalchemy import task_models

CONF = zun.conf.CONF

# Seconds between two looks for an outcome; they double up to the second.
WAIT_MIN, WAIT_MAX = 0.01, 0.5


def enqueue(context: Any, kind: str, arguments: dict[str, Any],
            host: str | None = None, lane: str | None = None,
            dedup_key: str | None = None, delay: float = 0) -> str:
    """Add a task in the open transaction, or in one of its own.

    Workers see it once the transaction is committed, and are told then.

    :param context: the request's, which the operation will get again
    :param host: the node that the work is about
    :param lane: what the task must not run beside
    :param dedup_key: a second task with the key of one that is still listed
        is not added
    :param delay: seconds until it is due
    :returns: the task's uuid, or that of the one with the same dedup_key
    :raises PayloadTooLarge: the arguments exceed [task] max_payload_size
    """
    text = payload.dump(context, arguments)
    if len(text) > CONF.task.max_payload_size:
        raise errors.PayloadTooLarge(size=len(text),
                                     limit=CONF.task.max_payload_size)
    values = {'uuid': uuidutils.generate_uuid(), 'kind': kind,
              'payload': text, 'payload_version': payload.VERSION,
              'lane': lane, 'dedup_key': dedup_key,
              'max_attempts': CONF.task.max_attempts,
              'request_id': context.request_id,
              'project_id': context.project_id, 'user_id': context.user_id}
    return _add(context, registry.KINDS.get(kind) or
                registry.Kind(kind, None), values, host, delay)


@db_api.retry_on_conflict
def _add(context: Any, kind: registry.Kind, values: dict[str, Any],
         host: str | None, delay: float) -> str:
    with db_api.writer(context) as session:
        queue = _queue_for(session, kind, host)
        if kind.overrides and values['lane'] is not None:
            tasks.hasten_lane(session, values['lane'])
        uuid = tasks.insert(session, {
            **values, 'queue': queue, 'priority': kind.priority,
            'host': host if kind.fills_node else None}, delay,
            kind.starts_lane)
        sa.event.listen(session, 'after_commit',
                        lambda session: wake.poke(queue), once=True)
    return uuid


def _queue_for(session: orm.Session, kind: registry.Kind,
               host: str | None) -> str:
    if kind.node_local and host:
        queue = registry.AGENT + host
        if workers.present(session, queue):
            return queue
    return registry.COMPUTE


def wait(context: Any, uuid: str, kind: str,
         timeout: float | None = None) -> Any:
    """Wait for the outcome of a task; what its operation returned.

    :param timeout: seconds, [task] call_timeout by default
    :raises TaskTimeout: it has not ended in time.  A task that was not yet
        begun is cancelled, another one goes on.
    :raises Exception: what the operation raised
    """
    if timeout is None:
        timeout = CONF.task.call_timeout
    row = _poll(uuid, timeout)
    if row is None:
        raise errors.TaskTimeout(kind=kind, seconds=timeout,
                                 why=_give_up_waiting(uuid))
    if row.state == task_models.DONE:
        return payload.load_value(context, row.result)
    raise errors.load(row.error)


def _poll(uuid: str, timeout: float,
          clock: Callable[[], float] = time.monotonic) -> Any:
    """The row of a task once it has ended, None if that takes too long."""
    deadline = clock() + timeout
    pause = WAIT_MIN
    while True:
        # Another node of a cluster may not have the row yet: that is no end.
        with db_api.single() as session:
            row = tasks.outcome(session, uuid)
        if row is not None and row.state in task_models.FINISHED:
            return row
        left = deadline - clock()
        if left <= 0:
            return None
        time.sleep(min(pause, left))
        pause = min(pause * 2, WAIT_MAX)


@db_api.retry_on_conflict
def _give_up_waiting(uuid: str) -> str:
    with db_api.writer(None) as session:
        if task_admin.cancel(session, uuid):
            return ('no compute process was free to begin with it, nothing '
                    'was changed.')
    return 'it is still being worked on.'
