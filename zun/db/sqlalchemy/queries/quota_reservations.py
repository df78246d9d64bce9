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
_SELECT_USAGES = sa.select(
    _CONTAINER.c.memory, sa.func.count(_CONTAINER.c.id),
    sa.func.sum(_CONTAINER.c.cpu), sa.func.sum(_CONTAINER.c.disk)).where(
    _CONTAINER.c.project_id == _PROJECT,
    _CONTAINER.c.container_type == consts.TYPE_CONTAINER).group_by(
    _CONTAINER.c.memory)

_SELECT_GENERATION = sa.select(_GENERATION.c.generation).where(
    _GENERATION.c.project_id == _PROJECT)

_ADVANCE = _GENERATION.update().where(
    _GENERATION.c.project_id == _PROJECT).values(
    generation=_GENERATION.c.generation + 1)
_ADVANCE_FROM = _ADVANCE.where(
    _GENERATION.c.generation == sa.bindparam('known'))


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
    with transaction.reader(context) as session:
        for memory, number, cpu, disk in session.execute(
                _SELECT_USAGES, {'project': project_id}):
            usage['containers'] += number
            usage['cpu'] += cpu or 0
            usage['disk'] += int(disk or 0)
            if memory is not None:
                usage['memory'] += containers.in_mebibytes(memory) * number
    return usage


def quota_generation(context: Any, project_id: str) -> int | None:
    """Return the generation of a project; None: it has none yet."""
    with transaction.reader(context) as session:
        return session.execute(_SELECT_GENERATION,
                               {'project': project_id}).scalar()


def quota_generation_create(context: Any, project_id: str) -> bool:
    """Give a project its first generation, 0; False: another was faster."""
    try:
        with transaction.writer(context) as session:
            session.execute(_GENERATION.insert(), {
                'project_id': project_id, 'generation': 0})
    except db_exc.DBDuplicateEntry:
        return False
    return True


def quota_advance(context: Any, project_id: str,
                  generation: int | None = None) -> bool:
    """Move a project on to its next generation, holding its row until the
    transaction ends.

    :param generation: the one it must be at; None: whichever it is
    :returns: False when it is at another, or has no row
    """
    values: dict[str, Any] = {'project': project_id}
    statement = _ADVANCE
    if generation is not None:
        statement = _ADVANCE_FROM
        values['known'] = generation
    with transaction.writer(context) as session:
        return session.execute(statement, values).rowcount == 1
