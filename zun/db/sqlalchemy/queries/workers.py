# SPDX-License-Identifier: Apache-2.0
"""The statements on the table of workers, the processes that run tasks."""

from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import orm

from zun.db.sqlalchemy import clock
from zun.db.sqlalchemy import task_models

WORKER = task_models.worker

# A transaction, or a connection of statements that are one each.
Connection = orm.Session | sa.Connection


class Worker(NamedTuple):
    """A worker as it was seen."""

    uuid: str
    host: str
    binary: str
    queue: str
    beats: int


def register(session: Connection, uuid: str, host: str, binary: str,
             queue: str, address: str | None = None) -> None:
    """Add a worker that has just started.

    :param address: where it hears of new work by UDP, host:port
    """
    session.execute(WORKER.insert().values(
        uuid=uuid, host=host, binary=binary, queue=queue, address=address,
        beats=0, started_at=clock.now_micros()))


def beat(session: Connection, uuid: str) -> bool:
    """Show a sign of life; False: the worker was given up meanwhile."""
    return session.execute(
        WORKER.update().where(WORKER.c.uuid == uuid)
        .values(beats=WORKER.c.beats + 1)).rowcount == 1


def seen(session: Connection) -> list[Worker]:
    """All registered workers."""
    return [Worker(*row) for row in session.execute(
        sa.select(WORKER.c.uuid, WORKER.c.host, WORKER.c.binary,
                  WORKER.c.queue, WORKER.c.beats).order_by(WORKER.c.uuid))]


def remove(session: Connection, uuid: str, beats: int | None = None) -> bool:
    """Remove a worker, if its count still stands where it did."""
    conditions = [WORKER.c.uuid == uuid]
    if beats is not None:
        conditions.append(WORKER.c.beats == beats)
    return session.execute(
        WORKER.delete().where(*conditions)).rowcount == 1


def present(session: Connection, queue: str) -> bool:
    """Whether a queue has a worker; dead ones do not stay long."""
    return session.execute(
        sa.select(sa.exists().where(WORKER.c.queue == queue))).scalar_one()


def addresses(session: Connection, queue: str) -> list[str]:
    """Where the workers of a queue hear of new work."""
    return list(session.execute(
        sa.select(WORKER.c.address)
        .where(WORKER.c.queue == queue,
               WORKER.c.address.is_not(None))).scalars())
