# SPDX-License-Identifier: Apache-2.0
"""The statements on the table of workers, the processes that run tasks."""

from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import orm

from zun.db.sqlalchemy import clock
from zun.db.sqlalchemy import task_models

WORKER = task_models.worker


class Worker(NamedTuple):
    """A worker as it was seen."""

    uuid: str
    host: str
    binary: str
    beats: int


def register(session: orm.Session, uuid: str, host: str,
             binary: str) -> None:
    """Add a worker that has just started."""
    session.execute(WORKER.insert().values(
        uuid=uuid, host=host, binary=binary, beats=0,
        started_at=clock.now_micros()))


def beat(session: orm.Session, uuid: str) -> bool:
    """Show a sign of life; False: the worker was given up meanwhile."""
    return session.execute(
        WORKER.update().where(WORKER.c.uuid == uuid)
        .values(beats=WORKER.c.beats + 1)).rowcount == 1


def seen(session: orm.Session) -> list[Worker]:
    """All registered workers."""
    return [Worker(*row) for row in session.execute(
        sa.select(WORKER.c.uuid, WORKER.c.host, WORKER.c.binary,
                  WORKER.c.beats).order_by(WORKER.c.uuid))]


def remove(session: orm.Session, uuid: str, beats: int | None = None) -> bool:
    """Remove a worker, if its count still stands where it did."""
    conditions = [WORKER.c.uuid == uuid]
    if beats is not None:
        conditions.append(WORKER.c.beats == beats)
    return session.execute(
        WORKER.delete().where(*conditions)).rowcount == 1


def present(session: orm.Session, host: str, binary: str) -> bool:
    """Whether a host has a worker of a kind; dead ones do not stay long."""
    return session.execute(
        sa.select(sa.exists().where(WORKER.c.host == host,
                                    WORKER.c.binary == binary))).scalar_one()
