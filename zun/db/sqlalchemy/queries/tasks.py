# SPDX-License-Identifier: Apache-2.0
"""The statements of the task engine's claims and writes.

Each function works in the transaction of the session it is given.  Those
that change a task tell by their result whether the task was still what the
caller took it for: a compare-and-set, never a lock that is held.
"""

from collections.abc import Collection
from typing import Any
from typing import NamedTuple

from oslo_db import exception as db_exc
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite
from sqlalchemy import orm

from zun.common import exception
from zun.db.sqlalchemy import clock
from zun.db.sqlalchemy.queries import workers
from zun.db.sqlalchemy import task_models

TASK = task_models.task

# A transaction, or a connection of statements that are one each.
Connection = orm.Session | sa.Connection
MICROS = 1000000

# Tasks of one lane that may be enqueued at the same moment.
MAX_LANE_RACE = 100

_AHEAD = TASK.alias('ahead')
_BESIDE = TASK.alias('beside')
_BUSY = TASK.alias('busy')
_WORKER = task_models.worker


class Candidate(NamedTuple):
    """A task that could be claimed when it was looked at."""

    id: int
    uuid: str
    epoch: int
    lane: str | None
    host: str | None
    # The worker that it was taken from, if any
    taken_from: str | None = None


class Holder(NamedTuple):
    """Who may write to a running task: one epoch of one worker."""

    id: int
    epoch: int
    owner: str


def now() -> sa.ColumnElement[int]:
    """Microseconds since 1970 by the database's clock, as an expression."""
    return clock.now_micros()


# -- Enqueue ---------------------------------------------------------------

def insert(session: Connection, values: dict[str, Any],
           delay: float = 0, starts_lane: bool = False) -> str:
    """Add a ready task at the end of its lane.

    :param values: columns; uuid, kind, queue and payload at least
    :param delay: seconds until it is due
    :param starts_lane: nobody else knows of the lane yet
    :returns: its uuid, or that of the task which has its dedup_key already
    :raises Conflict: too many tasks for one lane at the same moment
    """
    row = dict(_DEFAULTS, **values, delay_micros=int(delay * MICROS))
    if row.get('lane') is not None:
        row['lane_seq'] = 1 if starts_lane else _last_of_lane(
            session, row['lane']) + 1
    for _ in range(MAX_LANE_RACE):
        if _insert_unless_taken(session, row):
            return row['uuid']
        if row.get('dedup_key') is not None:
            other = _by_dedup_key(session, row['dedup_key'])
            if other is not None:
                return other
        # Not the highest number once more: a transaction that began before
        # the other's end would see the same one for ever.
        row['lane_seq'] += 1
    raise exception.Conflict(
        'Too many requests for %s at once. Try again.' % row['lane'])


# Statements that are run often are built once.
_LAST_OF_LANE = sa.select(
    sa.func.coalesce(sa.func.max(TASK.c.lane_seq), 0)
).where(TASK.c.lane == sa.bindparam('of_lane'))

_DEFAULTS = {'payload_version': 1, 'priority': 0, 'max_attempts': 1,
             'state': task_models.READY, 'attempt': 0, 'epoch': 0,
             'guard': 0}
_TIMES = {'created_at': clock.now_micros(),
          'run_at': clock.now_micros() + sa.bindparam('delay_micros')}
_INSERT = TASK.insert().values(_TIMES)
# A refused INSERT would end a transaction of PostgreSQL.
_INSERT_OR_NOT = {
    module.__name__.rpartition('.')[2]:
    module.insert(TASK).values(_TIMES).on_conflict_do_nothing()
    for module in (sqlite, postgresql)}


def _last_of_lane(session: Connection, lane: str) -> int:
    return session.execute(_LAST_OF_LANE, {'of_lane': lane}).scalar_one()


def _insert_unless_taken(session: Connection, row: dict[str, Any]) -> bool:
    """Insert, unless one of the row's unique values is there already."""
    statement = _INSERT_OR_NOT.get(_dialect(session).name)
    if statement is not None:
        return session.execute(statement, row).rowcount == 1
    try:
        session.execute(_INSERT, row)
    except db_exc.DBDuplicateEntry:
        return False
    return True


def _by_dedup_key(session: Connection, key: str) -> str | None:
    # The lock makes MySQL look at what is there now, not at what was there
    # when the transaction began.
    return session.execute(
        sa.select(TASK.c.uuid).where(TASK.c.dedup_key == key)
        .with_for_update(read=True)).scalar()


def hasten_lane(session: Connection, lane: str) -> int:
    """End the pauses of a lane's begun tasks; how many.

    What comes behind them, a delete, need not wait for long.
    """
    return session.execute(
        TASK.update().where(TASK.c.lane == lane,
                            TASK.c.state == task_models.READY,
                            TASK.c.epoch > 0)
        .values(run_at=now())).rowcount


def is_followed_by(session: Connection, lane: str, lane_seq: int,
                   kinds: Collection[str]) -> bool:
    """Whether a task of some kinds waits behind a place of a lane."""
    return session.execute(sa.select(sa.exists().where(
        TASK.c.lane == lane, TASK.c.state == task_models.READY,
        TASK.c.lane_seq > lane_seq,
        TASK.c.kind.in_(list(kinds))))).scalar_one()


def busy_lanes(session: Connection, lanes: Collection[str]) -> set[str]:
    """Those of some lanes in which there is work, begun or not."""
    return set(session.execute(
        sa.select(TASK.c.lane).distinct().where(
            TASK.c.lane.in_(list(lanes)),
            TASK.c.state.in_((task_models.READY, task_models.RUNNING))
        )).scalars())


# -- Claim -----------------------------------------------------------------

def _is_first_of_lane() -> sa.ColumnElement[bool]:
    # Not a correlated EXISTS: PostgreSQL would read the whole table for it.
    running = sa.select(_BESIDE.c.lane_running).where(
        _BESIDE.c.state == task_models.RUNNING,
        _BESIDE.c.lane_running.is_not(None))
    # What was never begun and is not due holds nobody up; what pauses does.
    earlier = sa.exists().where(
        _AHEAD.c.lane == TASK.c.lane,
        _AHEAD.c.state == task_models.READY,
        _AHEAD.c.lane_seq < TASK.c.lane_seq,
        sa.or_(_AHEAD.c.epoch > 0, _AHEAD.c.run_at <= now()))
    return sa.or_(TASK.c.lane.is_(None),
                  sa.and_(TASK.c.lane.not_in(running), ~earlier))


def _host_has_place() -> sa.ColumnElement[bool]:
    full = (sa.select(_BUSY.c.host)
            .where(_BUSY.c.state == task_models.RUNNING,
                   _BUSY.c.host_slot.is_not(None))
            .group_by(_BUSY.c.host)
            .having(sa.func.count() >= sa.bindparam('host_places')))
    return sa.or_(TASK.c.host.is_(None), TASK.c.host.not_in(full))


_CANDIDATES = (
    sa.select(TASK.c.id, TASK.c.uuid, TASK.c.epoch, TASK.c.lane,
              TASK.c.host, TASK.c.owner)
    # Read in its order up to the limit, however long the queue is.
    .with_hint(TASK, 'FORCE INDEX (ix_task_claim)', 'mysql')
    .where(TASK.c.queue == sa.bindparam('of_queue'),
           TASK.c.state == task_models.READY,
           TASK.c.run_at <= clock.now_micros(), _host_has_place(),
           _is_first_of_lane())
    .order_by(TASK.c.run_at, TASK.c.priority, TASK.c.id)
    .limit(sa.bindparam('at_most', type_=sa.Integer)))

_FOUND = _CANDIDATES.subquery('found')
_CANDIDATES_AND_WORKERS = sa.select(
    sa.literal('task').label('what'), *_FOUND.c
).union_all(sa.select(
    sa.literal('worker'), _WORKER.c.id, _WORKER.c.uuid, _WORKER.c.beats,
    _WORKER.c.queue, _WORKER.c.host, _WORKER.c.binary))


def candidates(session: Connection, queue: str, limit: int,
               host_places: int) -> list[Candidate]:
    """Tasks that can be claimed now: the most urgent ones.

    They are ready and due, first in their lane, of a lane where nothing runs
    and for a host with a free place.

    :param host_places: tasks that a host does at once
    """
    return [Candidate(*row) for row in session.execute(
        _CANDIDATES, {'of_queue': queue, 'at_most': limit,
                      'host_places': host_places})]


def candidates_and_workers(
    session: Connection, queue: str, limit: int, host_places: int
) -> tuple[list[Candidate], list[workers.Worker]]:
    """:func:`candidates` and all workers, for the price of one statement."""
    rows = session.execute(
        _CANDIDATES_AND_WORKERS, {'of_queue': queue, 'at_most': limit,
                                  'host_places': host_places})
    found, seen = [], []
    for what, key, uuid, number, *rest in rows:
        if what == 'task':
            found.append(Candidate(key, uuid, number, *rest))
        else:
            queue, host, binary = rest
            seen.append(workers.Worker(uuid, host, binary, queue, number))
    return found, seen


def taken_slots(session: Connection, host: str) -> set[str]:
    """Places of a host that running tasks take up."""
    return set(session.execute(
        sa.select(TASK.c.host_slot)
        .where(TASK.c.host_slot.like('%s#%%' % _escaped(host), escape='|'))
    ).scalars())


def _escaped(text: str) -> str:
    for character in '|%_':
        text = text.replace(character, '|' + character)
    return text


# What a worker needs of a claimed task; ``waited`` are the microseconds for
# which it was due.
_CLAIMED = (TASK.c.id, TASK.c.uuid, TASK.c.kind, TASK.c.epoch, TASK.c.owner,
            TASK.c.lane, TASK.c.lane_seq, TASK.c.host, TASK.c.attempt,
            TASK.c.max_attempts, TASK.c.payload, TASK.c.payload_version,
            TASK.c.step, TASK.c.error,
            (TASK.c.started_at - TASK.c.run_at).label('waited'))
_CLAIM = TASK.update().where(
    TASK.c.id == sa.bindparam('task_id'),
    TASK.c.epoch == sa.bindparam('seen_epoch'),
    TASK.c.state == task_models.READY
).values(
    state=task_models.RUNNING, owner=sa.bindparam('new_owner'),
    epoch=TASK.c.epoch + 1, attempt=TASK.c.attempt + 1,
    lane_running=TASK.c.lane, host_slot=sa.bindparam('new_slot'),
    started_at=clock.now_micros())
_CLAIM_AND_READ = _CLAIM.returning(*_CLAIMED)
_READ_CLAIMED = sa.select(*_CLAIMED).where(
    TASK.c.id == sa.bindparam('task_id'))


def claim(session: Connection, candidate: Candidate, owner: str,
          host_slot: str | None = None) -> sa.Row[Any] | None:
    """Make a candidate the owner's; its row, or None when it was taken.

    The claim holds only once the transaction is committed.

    :raises DBDuplicateEntry: the lane or the place was taken meanwhile
    """
    values = {'task_id': candidate.id, 'seen_epoch': candidate.epoch,
              'new_owner': owner, 'new_slot': host_slot}
    if _dialect(session).update_returning:
        return session.execute(_CLAIM_AND_READ, values).one_or_none()
    if session.execute(_CLAIM, values).rowcount != 1:
        return None
    return session.execute(_READ_CLAIMED, {'task_id': candidate.id}).one()


def _dialect(session: Connection) -> sa.Dialect:
    if isinstance(session, orm.Session):
        return session.get_bind().dialect
    return session.dialect


# -- Writes of the holder --------------------------------------------------

_HELD = TASK.update().where(
    TASK.c.id == sa.bindparam('held_id'),
    TASK.c.epoch == sa.bindparam('held_epoch'),
    TASK.c.owner == sa.bindparam('held_owner'),
    TASK.c.state == task_models.RUNNING
).values(guard=TASK.c.guard + 1)
_FINISH = _HELD.values(
    state=sa.bindparam('new_state'), lane_running=None, host_slot=None,
    finished_at=clock.now_micros(), result=sa.bindparam('new_result'),
    error=sa.bindparam('new_error'))


def _write(session: Connection, holder: Holder,
           statement: sa.Update = _HELD, **values: Any) -> bool:
    """Run an UPDATE of a running task; False: somebody else has it."""
    return session.execute(statement, {
        'held_id': holder.id, 'held_epoch': holder.epoch,
        'held_owner': holder.owner, **values}).rowcount == 1


def fence(session: Connection, holder: Holder) -> bool:
    """Whether the holder may still write.

    If so, nobody can take the task before the end of this transaction.
    """
    return _write(session, holder)


def put_step(session: Connection, holder: Holder, step: str) -> bool:
    """Replace the journal of a running task."""
    return _write(session, holder, _HELD.values(step=step))


def condemn(session: Connection, holder: Holder, error: str) -> bool:
    """Use up the attempts of a running task: what is left is to undo it."""
    return _write(session, holder, _HELD.values(
        error=error, max_attempts=TASK.c.attempt))


def finish(session: Connection, holder: Holder, state: str,
           result: str | None = None, error: str | None = None) -> bool:
    """End a running task: done, failed or cancelled; free its lane."""
    return _write(session, holder, _FINISH, new_state=state,
                  new_result=result, new_error=error)


def put_back(session: Connection, holder: Holder, delay: float,
             error: str | None = None, counts: bool = True) -> bool:
    """Let a running task wait for its next attempt.

    :param delay: seconds
    :param counts: whether the attempt that ends here was one; False where
        the task only waits for something
    """
    return _write(session, holder, _HELD.values(
        state=task_models.READY, owner=None, lane_running=None,
        host_slot=None, error=error, run_at=now() + int(delay * MICROS),
        attempt=TASK.c.attempt if counts else TASK.c.attempt - 1))


def outcome(session: Connection, uuid: str) -> sa.Row[Any] | None:
    """state, result and error of a task."""
    return session.execute(
        sa.select(TASK.c.state, TASK.c.result, TASK.c.error)
        .where(TASK.c.uuid == uuid)).one_or_none()


# -- Take-over -------------------------------------------------------------

# What taking a task from its holder changes.
TAKEN = dict(state=task_models.READY, epoch=TASK.c.epoch + 1,
             lane_running=None, host_slot=None)


def take_from(session: Connection, owner: str) -> list[sa.Row[Any]]:
    """Take all running tasks from a worker; what they were before.

    They stay marked with the worker's uuid until the next claim.
    """
    owned = (TASK.c.owner == owner, TASK.c.state == task_models.RUNNING)
    rows = list(session.execute(
        sa.select(TASK.c.id, TASK.c.uuid, TASK.c.kind, TASK.c.epoch,
                  TASK.c.owner).where(*owned)))
    if rows:
        session.execute(TASK.update().where(*owned)
                        .values(run_at=now(), **TAKEN))
    return rows


def take(session: Connection, task_id: int, epoch: int) -> bool:
    """Take one running task from whoever holds its epoch."""
    return session.execute(
        TASK.update().where(TASK.c.id == task_id, TASK.c.epoch == epoch,
                            TASK.c.state == task_models.RUNNING)
        .values(run_at=now(), **TAKEN)).rowcount == 1


def running_of(session: Connection, owner: str) -> list[sa.Row[Any]]:
    """id, uuid and epoch of the running tasks of a worker."""
    return list(session.execute(
        sa.select(TASK.c.id, TASK.c.uuid, TASK.c.epoch)
        .where(TASK.c.owner == owner,
               TASK.c.state == task_models.RUNNING)))


def running_without_worker(session: Connection) -> list[sa.Row[Any]]:
    """Running tasks whose owner is registered no more."""
    worker = task_models.worker
    return list(session.execute(
        sa.select(TASK.c.id, TASK.c.uuid, TASK.c.kind, TASK.c.epoch,
                  TASK.c.owner)
        .select_from(TASK.outerjoin(worker, worker.c.uuid == TASK.c.owner))
        .where(TASK.c.state == task_models.RUNNING, worker.c.id.is_(None))))


def waiting_queues(session: Connection) -> list[str]:
    """Queues in which tasks are ready."""
    return list(session.execute(
        sa.select(TASK.c.queue).distinct()
        .where(TASK.c.state == task_models.READY)).scalars())


def move_queue(session: Connection, queue: str, target: str) -> int:
    """Move the ready tasks of a queue to another; how many."""
    return session.execute(
        TASK.update().where(TASK.c.queue == queue,
                            TASK.c.state == task_models.READY)
        .values(queue=target)).rowcount
