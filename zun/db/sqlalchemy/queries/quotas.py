# SPDX-License-Identifier: Apache-2.0
"""Limits of projects and of quota classes.

The table has no unique key, and Zun 18.0.0 adds a row each time a limit is
set: of several rows of a project and resource the newest counts.
"""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from zun.common import consts
from zun.common import exception
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import statement
from zun.db.sqlalchemy import transaction

Row = statement.Row

_QUOTA = models.Quota.__table__
_CLASS = models.QuotaClass.__table__


def _newest(session: Any, table: Any, *criteria: Any) -> Row | None:
    return statement.fetch_one(session, sa.select(*table.c).where(
        *criteria).order_by(table.c.id.desc()))


def quota_create(context: Any, project_id: str, resource: str,
                 limit: int | None) -> Row:
    """Set the limit of a project on a resource."""
    with transaction.writer(context) as session:
        return statement.insert(session, models.Quota, {
            'project_id': project_id, 'resource': resource,
            'hard_limit': limit})


def quota_get(context: Any, project_id: str, resource: str) -> Row:
    """Return the limit of a project on a resource.

    :raises ProjectQuotaNotFound: none is set
    """
    with transaction.reader(context) as session:
        row = _newest(session, _QUOTA, _QUOTA.c.project_id == project_id,
                      _QUOTA.c.resource == resource)
    if row is None:
        raise exception.ProjectQuotaNotFound(project_id=project_id)
    return row


def quota_get_all_by_project(context: Any, project_id: str) -> list[Row]:
    """Return the limits of a project, one row a resource."""
    query = sa.select(*_QUOTA.c).where(
        _QUOTA.c.project_id == project_id).order_by(_QUOTA.c.id)
    with transaction.reader(context) as session:
        rows = statement.fetch_all(session, query)
    return list({row['resource']: row for row in rows}.values())


def quota_update(context: Any, project_id: str, resource: str,
                 limit: int | None) -> Row:
    """Change the limit of a project on a resource.

    :raises ProjectQuotaNotFound: none is set
    """
    with transaction.writer(context) as session:
        row = _newest(session, _QUOTA, _QUOTA.c.project_id == project_id,
                      _QUOTA.c.resource == resource)
        if row is None:
            raise exception.ProjectQuotaNotFound(project_id=project_id)
        return statement.update(session, models.Quota,
                                [_QUOTA.c.id == row['id']],
                                {'hard_limit': limit})


def quota_destroy(context: Any, project_id: str, resource: str) -> None:
    """Remove the limit of a project on a resource.

    :raises ProjectQuotaNotFound: none is set
    """
    with transaction.writer(context) as session:
        if not statement.delete(session, models.Quota,
                                _QUOTA.c.project_id == project_id,
                                _QUOTA.c.resource == resource):
            raise exception.ProjectQuotaNotFound(project_id=project_id)


def quota_destroy_all_by_project(context: Any, project_id: str) -> None:
    """Remove all limits of a project, if there are any."""
    with transaction.writer(context) as session:
        statement.delete(session, models.Quota,
                         _QUOTA.c.project_id == project_id)
        statement.delete(session, models.QuotaUsage,
                         models.QuotaUsage.project_id == project_id)


def quota_class_create(context: Any, class_name: str, resource: str,
                       limit: int | None) -> Row:
    """Set the limit of a quota class on a resource for the first time."""
    with transaction.writer(context) as session:
        return statement.insert(session, models.QuotaClass, {
            'class_name': class_name, 'resource': resource,
            'hard_limit': limit})


def quota_class_get(context: Any, class_name: str, resource: str) -> Row:
    """Return the limit of a quota class on a resource.

    :raises QuotaClassNotFound: none is set
    """
    with transaction.reader(context) as session:
        row = _newest(session, _CLASS, _CLASS.c.class_name == class_name,
                      _CLASS.c.resource == resource)
    if row is None:
        raise exception.QuotaClassNotFound(class_name=class_name)
    return row


def quota_class_get_default(context: Any) -> list[Row]:
    """Return the limits of the default quota class."""
    return quota_class_get_all_by_name(context)


def quota_class_get_all_by_name(context: Any,
                                class_name: str | None = None) -> list[Row]:
    """Return the limits of a quota class, or of the default one."""
    name = class_name or consts.DEFAULT_QUOTA_CLASS_NAME
    query = sa.select(*_CLASS.c).where(
        _CLASS.c.class_name == name).order_by(_CLASS.c.id)
    with transaction.reader(context) as session:
        rows = statement.fetch_all(session, query)
    return list({row['resource']: row for row in rows}.values())


def quota_class_update(context: Any, class_name: str, resource: str,
                       limit: int | None) -> Row:
    """Change the limit of a quota class on a resource.

    :raises QuotaClassNotFound: none is set
    """
    criteria = (_CLASS.c.class_name == class_name,
                _CLASS.c.resource == resource)
    with transaction.writer(context) as session:
        # All rows of the resource, changed or not, as Zun 18.0.0 does.
        result = session.execute(_CLASS.update().where(*criteria).values(
            hard_limit=limit))
        if not result.rowcount:
            raise exception.QuotaClassNotFound(class_name=class_name)
        return _newest(session, _CLASS, *criteria)


def quota_usage_get_all_by_project(context: Any,
                                   project_id: str) -> Iterable[Row]:
    """Return the usages recorded for a project (Zun 18.0.0 records none)."""
    table = models.QuotaUsage.__table__
    with transaction.reader(context) as session:
        return statement.fetch_all(session, sa.select(*table.c).where(
            table.c.project_id == project_id).order_by(table.c.id))
