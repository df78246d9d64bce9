# SPDX-License-Identifier: Apache-2.0
"""What a project may use, what it uses, and the guard between the two.

Each creation of a container runs these, so the statements are built once.
"""

from typing import Any

from oslo_db import exception as db_exc
import sqlalchemy as sa

from zun.common import consts
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import containers
from zun.db.sqlalchemy.queries import statement as statements
from zun.db.sqlalchemy import quota_models
from zun.db.sqlalchemy import transaction

_CONTAINER = models.Container.__table__
_QUOTA = models.Quota.__table__
_CLASS = models.QuotaClass.__table__
_GENERATION = quota_models.quota_generation

_PROJECT = sa.bindparam('project')

_SELECT_LIMITS = sa.union_all(
    sa.select(sa.literal(0).label('own'), _CLASS.c.id, _CLASS.c.resource,
              _CLASS.c.hard_limit).where(
        _CLASS.c.class_name == consts.DEFAULT_QUOTA_CLASS_NAME),
    sa.select(sa.literal(1), _QUOTA.c.id, _QUOTA.c.resource,
              _QUOTA.c.hard_limit).where(_QUOTA.c.project_id == _PROJECT))

# Memory is text; equal texts are added up here, different ones by us.
_USAGES = sa.select(
    _CONTAINER.c.memory, sa.func.count(_CONTAINER.c.id),
    sa.func.sum(_CONTAINER.c.cpu), sa.func.sum(_CONTAINER.c.disk)).where(
    _CONTAINER.c.container_type == consts.TYPE_CONTAINER).group_by(
    _CONTAINER.c.memory)
_SELECT_USAGES = _USAGES.where(_CONTAINER.c.project_id == _PROJECT)
# Of users without a project: equality would find nothing.
_SELECT_USAGES_OF_NO_PROJECT = _USAGES.where(
    _CONTAINER.c.project_id.is_(None))

# Amounts of a reservation, as the columns of the row.
AMOUNTS = ('containers', 'cpu', 'memory', 'disk')
MILLION = 10 ** 6
# More than any sum will ever be.
UNBOUNDED = 2 ** 62

_SELECT_SUMS = sa.select(
    *(_GENERATION.c[name] for name in AMOUNTS)).where(
    _GENERATION.c.project_id == _PROJECT)

_ADD = _GENERATION.update().where(
    _GENERATION.c.project_id == _PROJECT).values(
    generation=_GENERATION.c.generation + 1,
    **{name: _GENERATION.c[name] + sa.bindparam('add_' + name)
       for name in AMOUNTS})
_ADD_WITHIN = _ADD.where(
    *(_GENERATION.c[name] <= sa.bindparam('most_' + name)
      for name in AMOUNTS))


def quota_limits(context: Any, project_id: str | None
                 ) -> dict[str, int | None]:
    """Return the limits that are set for a project, by resource: its own,
    else those of the default class; in one statement.

    Of several rows of a resource the newest counts. Resources without a
    row are left out; None is no limit.
    """
    with transaction.reader(context) as session:
        rows = session.execute(_SELECT_LIMITS, {'project': project_id}).all()
    return {resource: limit for _own, _id, resource, limit
            in sorted(rows, key=lambda row: row[:2])}


def quota_usages(context: Any, project_id: str | None
                 ) -> dict[str, int | float]:
    """Return what the containers of a project use, by resource, in one
    statement. Capsules are not counted; sizes that are NULL are nothing.
    """
    usage: dict[str, int | float] = {
        'containers': 0, 'cpu': 0, 'disk': 0, 'memory': 0}
    query, values = _SELECT_USAGES, {'project': project_id}
    if project_id is None:
        query, values = _SELECT_USAGES_OF_NO_PROJECT, {}
    with transaction.reader(context) as session:
        for memory, number, cpu, disk in session.execute(query, values):
            usage['containers'] += number
            usage['cpu'] += cpu or 0
            usage['disk'] += int(disk or 0)
            if memory is not None:
                usage['memory'] += containers.in_mebibytes(memory) * number
    return usage


def _key(project_id: str | None) -> str:
    """The key of a project's sums.

    Users without a project share one; a primary key cannot be NULL.
    """
    return project_id or ''


def quota_sums(context: Any,
               project_id: str | None) -> statements.Row | None:
    """Return the sums of what a project was given; None: no row yet."""
    with transaction.reader(context) as session:
        row = session.execute(_SELECT_SUMS,
                              {'project': _key(project_id)}
                              ).mappings().first()
    return None if row is None else dict(row)


def quota_sums_create(context: Any, project_id: str | None) -> bool:
    """Make a project's row, with nothing; False: another was faster."""
    try:
        with transaction.writer(context) as session:
            session.execute(_GENERATION.insert(), dict(
                dict.fromkeys(AMOUNTS, 0), project_id=_key(project_id),
                generation=0))
    except (db_exc.DBDuplicateEntry, db_exc.DBDeadlock):
        # On a cluster the other may show only at the commit.
        return False
    return True


def quota_add(context: Any, project_id: str | None,
              amounts: statements.Row,
              most: statements.Row | None = None) -> bool:
    """Add to a project's sums, holding its row until the transaction ends.

    :param amounts: what is added, by column; missing is nothing
    :param most: what the sums may be before, by column; missing is no bound
    :returns: False when a sum is greater, or there is no row
    """
    values: dict[str, Any] = {'project': _key(project_id)}
    for name in AMOUNTS:
        values['add_' + name] = amounts.get(name, 0)
        if most is not None:
            values['most_' + name] = most.get(name, UNBOUNDED)
    statement = _ADD if most is None else _ADD_WITHIN
    with transaction.writer(context) as session:
        return session.execute(statement, values).rowcount == 1
