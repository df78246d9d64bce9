# SPDX-License-Identifier: Apache-2.0
"""Services: one row a host and executable."""

from typing import Any

from oslo_db import exception as db_exc
from oslo_utils import timeutils
import sqlalchemy as sa

from zun.common import exception
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import statement
from zun.db.sqlalchemy import transaction

Row = statement.Row

_TABLE = models.ZunService.__table__


def _named(host: str, binary: str) -> list[Any]:
    return [_TABLE.c.host == host, _TABLE.c.binary == binary]


def create_zun_service(context: Any, values: Row) -> Row:
    """Insert a service.

    :raises ZunServiceAlreadyExists: the host has one of that executable
    """
    with transaction.writer(context) as session:
        try:
            return statement.insert(session, models.ZunService, values)
        except db_exc.DBDuplicateEntry as e:
            raise exception.ZunServiceAlreadyExists(
                host=values.get('host'), binary=values.get('binary')) from e


def update_zun_service(context: Any, host: str, binary: str,
                       values: Row) -> Row:
    """Change a service; a higher ``report_count`` shows that it lives.

    :raises ZunServiceNotFound: there is none
    """
    criteria = _named(host, binary)
    with transaction.writer(context) as session:
        if 'report_count' in values:
            count = session.execute(
                sa.select(_TABLE.c.report_count).where(*criteria)).scalar()
            if count is not None and values['report_count'] > count:
                values = {'last_seen_up': timeutils.utcnow(), **values}
        row = statement.update(session, models.ZunService, criteria, values)
    if row is None:
        raise exception.ZunServiceNotFound(host=host, binary=binary)
    return row


def destroy_zun_service(context: Any, host: str, binary: str) -> None:
    """Delete a service.

    :raises ZunServiceNotFound: there is none
    """
    with transaction.writer(context) as session:
        if not statement.delete(session, models.ZunService,
                                *_named(host, binary)):
            raise exception.ZunServiceNotFound(host=host, binary=binary)


def get_zun_service(context: Any, host: str, binary: str) -> Row | None:
    """Return a service, or None."""
    with transaction.reader(context) as session:
        return statement.fetch_one(session, sa.select(*_TABLE.c).where(
            statement.equals(session, _TABLE.c.host, host),
            statement.equals(session, _TABLE.c.binary, binary)))


def list_zun_services(context: Any, filters: dict[str, Any] | None = None,
                      limit: int | None = None, marker: Any = None,
                      sort_key: str | None = None,
                      sort_dir: str | None = None) -> list[Row]:
    """Return the services.

    :param marker: service that the page follows; it has an ``id``
    :raises InvalidParameterValue: the sort key or a filter is no column
    """
    with transaction.reader(context) as session:
        marker_row = None
        if marker is not None:
            marker_row = statement.fetch_one(
                session, sa.select(*_TABLE.c).where(
                    _TABLE.c.id == marker.id))
        query = sa.select(*_TABLE.c).where(
            *statement.matches(session, models.ZunService, filters))
        return statement.page(session, models.ZunService, query, limit,
                              marker_row, sort_key, sort_dir)


def list_zun_services_by_binary(context: Any, binary: str) -> list[Row]:
    """Return the services of an executable."""
    return list_zun_services(context, filters={'binary': binary})
