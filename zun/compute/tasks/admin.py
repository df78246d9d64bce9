# SPDX-License-Identifier: Apache-2.0
"""What operators do with the queue."""

from collections.abc import Sequence
from typing import Any

from zun.compute.tasks import errors
import zun.conf
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import task_admin
from zun.db.sqlalchemy import task_models

CONF = zun.conf.CONF


def listing(states: Sequence[str], lane: str | None = None,
            limit: int = 1000) -> list[dict[str, Any]]:
    """Tasks without their payloads, the newest first.

    :returns: dicts of columns, and ``age`` in microseconds
    """
    with db_api.reader(None) as session:
        return task_admin.listing(session, states, lane, limit)


@db_api.retry_on_conflict
def requeue(uuid: str, force: bool = False) -> None:
    """Begin a failed or cancelled task anew, with all its attempts.

    :param force: a running one too; its worker can write no more
    :raises TaskNotFound: there is none
    :raises TaskConflict: it is in another state
    """
    with db_api.writer(None) as session:
        if not task_admin.requeue(session, uuid, CONF.task.max_attempts,
                                  force):
            raise _refusal(session, uuid, {
                task_models.READY: 'it waits for a worker already.',
                task_models.RUNNING: 'use --force to take it from its '
                                     'worker.',
                task_models.DONE: 'there is nothing left to do.'})


@db_api.retry_on_conflict
def cancel(uuid: str, force: bool = False) -> None:
    """End a task that waits.

    :param force: a running one too; what it has done is not undone
    :raises TaskNotFound: there is none
    :raises TaskConflict: it is in another state
    """
    error = errors.dump(errors.Cancelled())
    with db_api.writer(None) as session:
        if not task_admin.cancel(session, uuid, error, force):
            raise _refusal(session, uuid, {
                task_models.RUNNING: 'use --force to take it from its '
                                     'worker.'})


def _refusal(session: Any, uuid: str,
             remedies: dict[str, str]) -> Exception:
    state = task_admin.state_of(session, uuid)
    if state is None:
        return errors.TaskNotFound(task=uuid)
    return errors.TaskConflict(task=uuid, state=state, remedy=remedies.get(
        state, 'it has ended already.'))
