# SPDX-License-Identifier: Apache-2.0
"""A running task in the hands of the worker that claimed it."""

from collections.abc import Callable
import json
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from zun.compute.tasks import errors
from zun.compute.tasks import registry
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks


# Where a session keeps the steps that were noted before it.
_BEFORE = 'steps before'


class TaskHandle:
    """What an operation sees of its task, as ``context.task``.

    :ivar uuid: of the task
    :ivar epoch: of the claim; grows with each claim and each take-over
    :ivar attempt: 1 the first time
    :ivar host: the node that was chosen, where the work fills one
    :param row: the task's row as claimed
    :param lease_held: whether the worker's own lease is surely good
    """

    def __init__(self, row: Any, lease_held: Callable[[], bool]) -> None:
        self.uuid = row.uuid
        self.kind = row.kind
        self.lane = row.lane
        self.lane_seq = row.lane_seq
        self.host = row.host
        self.epoch = row.epoch
        self.attempt = row.attempt
        self.max_attempts = row.max_attempts
        self.holder = tasks.Holder(row.id, row.epoch, row.owner)
        self._lease_held = lease_held
        self._steps = json.loads(row.step) if row.step else {}
        self._lost = False

    # -- For operations ----------------------------------------------------

    def step_get(self, name: str, default: Any = None) -> Any:
        """What an earlier step, of this attempt or another, noted down."""
        return self._steps.get(name, default)

    @db_api.retry_on_conflict
    def step_put(self, name: str, value: Any) -> None:
        """Note down what a later attempt has to know, an id for instance.

        Joins the open transaction, if there is one: when that is rolled
        back, so is the note.

        :param value: anything JSON has a form for
        :raises LeaseLost: the task was given to another worker
        """
        steps = {**self._steps, name: value}
        with db_api.writer(None) as session:
            self._follow(session)
            self.require(tasks.put_step(session, self.holder,
                                        json.dumps(steps)))
            self._steps = steps

    def _follow(self, session: orm.Session) -> None:
        """Forget what a transaction notes down if it is rolled back."""
        if _BEFORE not in session.info:
            before = session.info[_BEFORE] = self._steps

            def restore(session: orm.Session) -> None:
                self._steps = before

            sa.event.listen(session, 'after_rollback', restore, once=True)

    def check(self) -> None:
        """Call before an effect outside of the database.

        Asks nobody: it is enough that this worker showed a sign of life
        within the time after which others would take the task.

        :raises LeaseLost: another worker may have the task by now
        """
        if self._lost or not self._lease_held():
            raise self._lease_lost()

    def superseded(self) -> bool:
        """Whether a deletion waits for the end of this task.

        Worth a look in operations that wait for long.
        """
        if self.lane is None:
            return False
        with db_api.reader(None) as session:
            return tasks.is_followed_by(session, self.lane, self.lane_seq,
                                        registry.OVERRIDING)

    # -- For the database and the worker -----------------------------------

    def fence(self, session: orm.Session) -> None:
        """Let a transaction write only while this claim holds.

        :raises LeaseLost: the task was given to another worker
        """
        self.require(tasks.fence(session, self.holder))

    def require(self, held: bool) -> None:
        """Take note of the outcome of a guarded write.

        :raises LeaseLost: it was refused
        """
        if not held:
            self._lost = True
            raise self._lease_lost()

    def _lease_lost(self) -> errors.LeaseLost:
        return errors.LeaseLost(task=self.uuid, epoch=self.epoch)
