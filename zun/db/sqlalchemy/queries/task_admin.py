# SPDX-License-Identifier: Apache-2.0
"""The statements with which operators and the reaper keep the queue."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy import task_models

TASK = task_models.task


def requeue(session: tasks.Connection, uuid: str, max_attempts: int,
            force: bool = False) -> bool:
    """Give a failed or cancelled task all its attempts again.

    :param force: a running one too; its worker can write no more
    """
    states = [task_models.FAILED, task_models.CANCELLED]
    if force:
        states.append(task_models.RUNNING)
    return session.execute(
        TASK.update().where(TASK.c.uuid == uuid, TASK.c.state.in_(states))
        .values(attempt=0, max_attempts=max_attempts, finished_at=None,
                error=None, run_at=tasks.now(), **tasks.TAKEN)).rowcount == 1


def cancel(session: tasks.Connection, uuid: str, error: str | None = None,
           force: bool = False) -> bool:
    """End a task that waits; with ``force`` one that runs, too."""
    states = [task_models.READY]
    if force:
        states.append(task_models.RUNNING)
    return session.execute(
        TASK.update().where(TASK.c.uuid == uuid, TASK.c.state.in_(states))
        .values(state=task_models.CANCELLED, epoch=TASK.c.epoch + 1,
                lane_running=None, host_slot=None, error=error,
                finished_at=tasks.now())).rowcount == 1


def state_of(session: tasks.Connection, uuid: str) -> str | None:
    """A task's state, or None when there is no such task."""
    return session.execute(sa.select(TASK.c.state)
                           .where(TASK.c.uuid == uuid)).scalar()


def listing(session: tasks.Connection, states: Sequence[str],
            lane: str | None = None, limit: int = 1000) -> list[dict]:
    """Tasks without their payloads, the newest first, with their age.

    :param states: any of task_models.STATES
    :returns: dicts of columns, and ``age`` in microseconds
    """
    columns = [column for column in TASK.c
               if column.name not in ('payload', 'step', 'result')]
    statement = sa.select(
        *columns, (tasks.now() - TASK.c.created_at).label('age'))
    statement = statement.where(TASK.c.state.in_(states))
    if lane is not None:
        statement = statement.where(TASK.c.lane == lane)
    rows = session.execute(
        statement.order_by(TASK.c.created_at.desc(), TASK.c.id.desc())
        .limit(limit)).mappings()
    return [dict(row) for row in rows]


def depths(session: tasks.Connection) -> list[sa.Row[Any]]:
    """What is not finished.

    :returns: rows of kind, state, number and age, the microseconds since
        the oldest of them was added
    """
    return list(session.execute(
        sa.select(TASK.c.kind, TASK.c.state, sa.func.count().label('number'),
                  (tasks.now() - sa.func.min(TASK.c.created_at)).label('age'))
        .where(TASK.c.state.in_((task_models.READY, task_models.RUNNING)))
        .group_by(TASK.c.kind, TASK.c.state)))


def purge(session: tasks.Connection, states: Sequence[str], age: float,
          limit: int) -> int:
    """Remove tasks that ended over ``age`` seconds ago; how many."""
    ids = list(session.execute(
        sa.select(TASK.c.id)
        .where(TASK.c.state.in_(states),
               TASK.c.finished_at < tasks.now() - int(age * tasks.MICROS))
        .limit(limit)).scalars())
    if ids:
        session.execute(TASK.delete().where(TASK.c.id.in_(ids)))
    return len(ids)
