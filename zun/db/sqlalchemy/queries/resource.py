# SPDX-License-Identifier: Apache-2.0
"""The statements that most resources share, bound to a table."""

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator
import contextlib
from typing import Any

from oslo_db import exception as db_exc
from oslo_utils import uuidutils
import sqlalchemy as sa

from zun.common import exception
from zun.db.sqlalchemy.queries import statement
from zun.db.sqlalchemy import transaction

Row = statement.Row


class Resource(object):
    """Rows of a table that are named by a uuid.

    :param model: the table's class
    :param not_found: makes the error for a name that no row has
    :param already_exists: makes the error for a row that violates a unique
        constraint, from its values
    :param tenant: whether a context sees its project's rows only
    :param unique_key: the column that rows are sorted by last
    """

    def __init__(self, model: Any,
                 not_found: Callable[[Any], Exception],
                 already_exists: Callable[[Row], Exception],
                 tenant: bool = True, unique_key: str = 'id') -> None:
        self.model = model
        self.columns = model.__table__.c
        self.not_found = not_found
        self.already_exists = already_exists
        self.tenant = tenant
        self.unique_key = unique_key

    def _of_tenant(self, context: Any) -> list[Any]:
        if not self.tenant:
            return []
        return statement.of_tenant(context, self.model)

    def list_rows(self, context: Any,
                  filters: dict[str, Any] | None = None,
                  limit: int | None = None, marker: Any = None,
                  sort_key: str | None = None, sort_dir: str | None = None,
                  columns: Collection[str] | None = None) -> list[Row]:
        """Return the rows that the context may see.

        :param filters: column to value or list of values
        :param marker: object, or its uuid, that the page follows
        :param columns: names of the columns to read; None: all
        :raises InvalidParameterValue: the sort key or a filter is no column
        """
        with transaction.reader(context) as session:
            marker_row = None
            uuid = statement.marker_uuid(marker)
            if uuid:
                marker_row = self.get(context, uuid)
            chosen = [c for c in self.columns
                      if columns is None or c.name in columns]
            query = sa.select(*chosen).where(
                *self._of_tenant(context),
                *statement.matches(session, self.model, filters))
            return statement.page(session, self.model, query, limit,
                                  marker_row, sort_key, sort_dir,
                                  self.unique_key)

    def find(self, context: Any, value: Any, column: str = 'uuid',
             limit: int | None = None) -> list[Row]:
        """Return the rows that have a value in a column, oldest first."""
        with transaction.reader(context) as session:
            query = sa.select(*self.columns).where(
                statement.equals(session, self.columns[column], value),
                *self._of_tenant(context))
            return statement.fetch_all(session, query.order_by(
                self.columns[self.unique_key]).limit(limit))

    def get(self, context: Any, value: Any, column: str = 'uuid') -> Row:
        """Return the row that has a value in a column."""
        rows = self.find(context, value, column, limit=1)
        if not rows:
            raise self.not_found(value)
        return rows[0]

    def get_only(self, context: Any, value: Any, column: str,
                 ambiguous: str) -> Row:
        """Return the one row that has a value in a column.

        :param ambiguous: what to say when there are several
        :raises Conflict: there are several
        """
        rows = self.find(context, value, column, limit=2)
        if not rows:
            raise self.not_found(value)
        if len(rows) > 1:
            raise exception.Conflict(ambiguous)
        return rows[0]

    def create(self, context: Any, values: Row) -> Row:
        """Insert a row; the ``uuid`` is made when it is missing."""
        values = dict(values)
        if 'uuid' in self.columns and not values.get('uuid'):
            values['uuid'] = uuidutils.generate_uuid()
        with transaction.writer(context) as session:
            try:
                return statement.insert(session, self.model, values)
            except db_exc.DBDuplicateEntry as e:
                raise self.already_exists(values) from e

    def update(self, context: Any, value: Any, values: Row,
               column: str = 'uuid') -> Row:
        """Change the row that has a value in a column and return it."""
        if 'uuid' in values:
            raise exception.InvalidParameterValue(
                err='Cannot overwrite UUID for an existing %s.'
                % self.model.__name__)
        with transaction.writer(context) as session:
            try:
                row = statement.update(
                    session, self.model, [self.columns[column] == value],
                    values)
            except db_exc.DBDuplicateEntry as e:
                raise self.already_exists(values) from e
        if row is None:
            raise self.not_found(value)
        return row

    def destroy(self, context: Any, value: Any, column: str = 'uuid') -> None:
        """Delete the row that has a value in a column."""
        with transaction.writer(context) as session:
            if not statement.delete(session, self.model,
                                    self.columns[column] == value):
                raise self.not_found(value)


def uuid_taken(error: type[Exception]) -> Callable[[Row], Exception]:
    """Return what makes the error for a uuid that a row has already."""
    def make(values: Row) -> Exception:
        return error(field='UUID', value=values.get('uuid'))
    return make


@contextlib.contextmanager
def references_checked(message: str) -> Iterator[None]:
    """Turn a foreign key that points at a deleted row into a conflict.

    :raises Conflict: with the message
    """
    try:
        yield
    except db_exc.DBReferenceError as e:
        raise exception.Conflict(message) from e
