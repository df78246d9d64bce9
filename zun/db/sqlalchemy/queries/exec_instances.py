# SPDX-License-Identifier: Apache-2.0
"""Interactive execs that have a terminal of their own."""

from collections.abc import Iterable
from typing import Any

from oslo_db import exception as db_exc
import sqlalchemy as sa

from zun.common import exception
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import statement
from zun.db.sqlalchemy import transaction

Row = statement.Row

_TABLE = models.ExecInstance.__table__


def create_exec_instance(context: Any, values: Row) -> Row:
    """Insert an exec instance.

    :raises ExecInstanceAlreadyExists: the container has one of that exec id
    """
    with transaction.writer(context) as session:
        try:
            return statement.insert(session, models.ExecInstance, values)
        except db_exc.DBDuplicateEntry as e:
            raise exception.ExecInstanceAlreadyExists(
                exec_id=values['exec_id']) from e


def list_exec_instances(context: Any, container_id: int) -> list[Row]:
    """Return the exec instances of a container by its number."""
    return list_exec_instances_by_container_ids(
        context, [container_id])[container_id]


def list_exec_instances_by_container_ids(
        context: Any, container_ids: Iterable[int]) -> dict[int, list[Row]]:
    """Return the exec instances of containers, in one statement."""
    found: dict[int, list[Row]] = {number: [] for number in container_ids}
    if not found:
        return found
    query = sa.select(*_TABLE.c).where(
        _TABLE.c.container_id.in_(list(found))).order_by(_TABLE.c.id)
    with transaction.reader(context) as session:
        for row in statement.fetch_all(session, query):
            found[row['container_id']].append(row)
    return found
