# SPDX-License-Identifier: Apache-2.0
"""What the statements of all resources have in common."""

from collections.abc import Iterable
import re
from typing import Any

from oslo_db import exception as db_exc
from oslo_db.sqlalchemy import utils as db_utils
import sqlalchemy as sa
from sqlalchemy.dialects import mysql
from sqlalchemy import orm

from zun.common import exception
from zun.db.sqlalchemy import types

Row = dict[str, Any]

# What SQLite reads as a number when it compares text with a number.
_NUMBER = re.compile(r'\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*', re.ASCII)


def fetch_all(session: orm.Session, statement: Any,
              values: dict[str, Any] | None = None) -> list[Row]:
    """Run a SELECT and return its rows.

    :param values: of its parameters
    """
    result = session.execute(statement, values)
    keys = list(result.keys())
    return [dict(zip(keys, row)) for row in result]


def fetch_one(session: orm.Session, statement: Any) -> Row | None:
    """Run a SELECT and return its first row, if there is one."""
    row = session.execute(statement.limit(1)).first()
    return None if row is None else dict(row._mapping)


def insert(session: orm.Session, model: Any, values: Row) -> Row:
    """Insert a row and return it.

    Columns without a value or default come back as None, although a JSON
    column then holds an empty object or array (what Zun 18.0.0 answers, and
    writes).

    :raises DBDuplicateEntry: a unique constraint is violated
    """
    table = model.__table__
    row = {column.name: _default(column) for column in table.c}
    row.update(values)
    stored = {name: value for name, value in row.items()
              if value is not None or
              isinstance(table.c[name].type, types.JsonText)}
    # As parameters: the statement is the same for all rows that have these
    # columns, and compiled once.
    result = session.execute(table.insert(), stored)
    row.update(zip((c.name for c in table.primary_key),
                   result.inserted_primary_key))
    return row


def _default(column: sa.Column) -> Any:
    default = column.default
    if default is None:
        return None
    if default.is_callable:
        return default.arg(None)
    if default.is_clause_element:
        return isinstance(default.arg, sa.sql.elements.True_)
    return default.arg


def update(session: orm.Session, model: Any, criteria: Iterable[Any],
           values: Row) -> Row | None:
    """Change a row and return it as it is then; None: there is no such row.

    Values that are there already are not written, so that ``updated_at``
    tells of changes only.

    :raises DBDuplicateEntry: a unique constraint is violated
    """
    table = model.__table__
    row = fetch_one(session, sa.select(*table.c).where(
        *criteria).with_for_update())
    if row is None:
        return None
    changed = {name: value for name, value in values.items()
               if value != row[name]}
    if changed:
        changed.setdefault('updated_at', table.c.updated_at.onupdate.arg(None))
        keys = [column == row[column.name] for column in table.primary_key]
        session.execute(table.update().where(*keys).values(changed))
        row.update(changed)
    return row


def delete(session: orm.Session, model: Any, *criteria: Any) -> int:
    """Delete rows and return how many there were."""
    return session.execute(
        model.__table__.delete().where(*criteria)).rowcount


def equals(session: orm.Session, column: Any, value: Any) -> Any:
    """Compare a column with a value, or with each of a list.

    Case and trailing spaces count, also where the collation of MySQL and
    MariaDB ignores them.  Text is compared with a boolean column as SQLite
    would: only what reads as the number 0 or 1 can match.
    """
    if isinstance(value, (list, tuple, set)):
        return sa.or_(sa.false(), *(equals(session, column, item)
                                    for item in value))
    if value is None:
        return column.is_(None)
    if isinstance(column.type, sa.Boolean):
        flag = _as_flag(value)
        return sa.false() if flag is None else column == sa.literal(
            flag, sa.Boolean)
    if (isinstance(column.type, sa.String) and isinstance(value, str) and
            ignores_case(session)):
        return is_text(column, value, sa.literal(as_bytes(value),
                                                 sa.LargeBinary))
    return column == value


def ignores_case(session: orm.Session) -> bool:
    """Whether the database takes texts for equal that are not."""
    return session.get_bind().dialect.name in ('mysql', 'mariadb')


def is_text(column: Any, text: Any, raw: Any) -> Any:
    """Compare a column with a text and with its bytes: only the former can
    use an index, only the latter is exact where case is ignored.
    """
    exact = sa.cast(column, mysql.CHAR(charset='utf8mb4'))
    return sa.and_(column == text, sa.cast(exact, sa.LargeBinary) == raw)


def as_bytes(text: str) -> bytes:
    """What :func:`is_text` compares with."""
    return text.encode('utf-8', 'surrogatepass')


def _as_flag(value: Any) -> bool | None:
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return None
        value = float(value)
    return bool(value) if value in (0, 1) else None


def matches(session: orm.Session, model: Any,
            filters: dict[str, Any] | None) -> list[Any]:
    """Return the criteria of filters, column name to value.

    :raises InvalidParameterValue: there is no such column
    """
    criteria = []
    for name, value in (filters or {}).items():
        column = model.__table__.c.get(name)
        if column is None:
            raise exception.InvalidParameterValue(
                err='Cannot filter by "%s"' % name)
        criteria.append(equals(session, column, value))
    return criteria


def of_tenant(context: Any, model: Any) -> list[Any]:
    """Return the criteria that keep a context to its project's rows.

    A context without a project is kept to its user's rows (without a user
    either, as `noauth` lets in: to rows of nobody), an administrator who
    asked for all projects to nothing, and so is work without a context.
    """
    name, value = tenant(context)
    return [] if name is None else [getattr(model, name) == value]


def tenant(context: Any) -> tuple[str | None, Any]:
    """Return the column, if any, that :func:`of_tenant` compares, and with
    what.
    """
    if context is None or (context.is_admin and context.all_projects):
        return None, None
    if context.project_id:
        return 'project_id', context.project_id
    return 'user_id', context.user_id


def page(session: orm.Session, model: Any, statement: Any,
         limit: int | None = None, marker: Row | None = None,
         sort_key: str | None = None, sort_dir: str | None = None,
         unique_key: str = 'id') -> list[Row]:
    """Sort a SELECT, cut a page out of it and return its rows.

    :param marker: the row before the page; it has the sort keys
    :param sort_key: a column; rows that are equal in it follow by
        ``unique_key``
    :raises InvalidParameterValue: the sort key is no column, or it was given
        more than once
    """
    if isinstance(sort_key, list):
        raise exception.InvalidParameterValue(
            err='The parameter sort_key was given more than once')
    sort_keys = [unique_key]
    if sort_key and sort_key != unique_key:
        sort_keys.insert(0, sort_key)
    try:
        statement = db_utils.paginate_query(
            statement, model, limit, sort_keys,
            sort_dirs=_directions(session, model, sort_keys, sort_dir),
            marker=None if marker is None else _Marker(marker))
    except db_exc.InvalidSortKey as e:
        raise exception.InvalidParameterValue(
            err='The sort_key value "%s" is an invalid field for sorting'
            % sort_key) from e
    return fetch_all(session, statement)


def _directions(session: orm.Session, model: Any, sort_keys: list[str],
                sort_dir: str | None) -> list[str]:
    """Return the direction of each sort key; NULL is the lowest value.

    PostgreSQL takes it for the highest unless it is told.
    """
    direction = sort_dir or 'asc'
    columns = model.__table__.c
    nulls = ''
    if session.get_bind().dialect.name == 'postgresql':
        nulls = '-nullsfirst' if direction == 'asc' else '-nullslast'
    return [direction + (nulls if key in columns and columns[key].nullable
                         else '') for key in sort_keys]


class _Marker(object):
    """A row whose columns are attributes, as paginate_query wants it."""

    def __init__(self, row: Row) -> None:
        self.__dict__.update(row)


def marker_uuid(marker: Any) -> str | None:
    """Return the uuid of a marker, which is an object or a uuid already."""
    return getattr(marker, 'uuid', marker) or None
