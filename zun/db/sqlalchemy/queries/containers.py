# SPDX-License-Identifier: Apache-2.0
"""Containers, capsules and the containers of capsules: one table."""

from collections.abc import Collection
from collections.abc import Iterable
import functools
import re
from typing import Any

from oslo_db import exception as db_exc
from oslo_utils import uuidutils
import sqlalchemy as sa

from zun.common import consts
from zun.common import exception
import zun.conf
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import resource
from zun.db.sqlalchemy.queries import statement
from zun.db.sqlalchemy import transaction

CONF = zun.conf.CONF

Row = statement.Row

# A size of memory and what one of its unit is in MiB.
_MEMORY = re.compile(r'(\d+(?:\.\d+)?)([bkmg]?)', re.IGNORECASE)
_MEBIBYTES = {'b': 2 ** -20, 'k': 2 ** -10, 'm': 1, '': 1, 'g': 2 ** 10}

_MODEL = models.Container
_TABLE = _MODEL.__table__


def _of_type(container_type: int) -> list[Any]:
    if container_type == consts.TYPE_ANY:
        return []
    return [_TABLE.c.container_type == container_type]


def list_containers(context: Any, container_type: int,
                    filters: dict[str, Any] | None = None,
                    limit: int | None = None, marker: Any = None,
                    sort_key: str | None = None, sort_dir: str | None = None,
                    columns: Collection[str] | None = None) -> list[Row]:
    """Return the containers of a type that the context may see.

    :param container_type: one of ``consts.TYPE_*``
    :param filters: column to value or list of values
    :param marker: container, or its uuid, that the page follows
    :param columns: names of the columns to read; None: all
    :raises ContainerNotFound: there is no such marker
    :raises InvalidParameterValue: the sort key or a filter is no column
    """
    with transaction.reader(context) as session:
        marker_row = None
        marker = statement.marker_uuid(marker)
        if marker:
            marker_row = get_container_by_uuid(context, container_type,
                                               marker)
        query = sa.select(*_chosen(columns)).where(
            *statement.of_tenant(context, _MODEL), *_of_type(container_type),
            *statement.matches(session, _MODEL, filters))
        return statement.page(session, _MODEL, query, limit, marker_row,
                              sort_key, sort_dir)


def _chosen(columns: Collection[str] | None) -> list[Any]:
    return [c for c in _TABLE.c if columns is None or c.name in columns]


def list_containers_by_capsule_ids(
        context: Any, capsule_ids: Iterable[int],
        columns: Collection[str] | None = None) -> dict[int, list[Row]]:
    """Return the containers of capsules: capsule id to rows, in their order.

    Init containers come too; those that the context may not see don't.
    """
    found: dict[int, list[Row]] = {number: [] for number in capsule_ids}
    if not found:
        return found
    query = sa.select(*_chosen(columns)).where(
        _TABLE.c.capsule_id.in_(list(found)),
        *statement.of_tenant(context, _MODEL)).order_by(_TABLE.c.id)
    with transaction.reader(context) as session:
        for row in statement.fetch_all(session, query):
            found[row['capsule_id']].append(row)
    return found


def get_container_by_uuid(context: Any, container_type: int,
                          container_uuid: str) -> Row:
    """Return a container of a type.

    :raises ContainerNotFound: there is none that the context may see
    """
    return _get(context, container_type, _TABLE.c.uuid, container_uuid)[0]


def get_container_by_name(context: Any, container_type: int,
                          container_name: str) -> Row:
    """Return the one container of a type that has a name.

    :raises ContainerNotFound: there is none that the context may see
    :raises Conflict: there are several
    """
    rows = _get(context, container_type, _TABLE.c.name, container_name)
    if len(rows) > 1:
        raise exception.Conflict(
            'Multiple containers exist with same name. Please use the '
            'container uuid instead.')
    return rows[0]


def _get(context: Any, container_type: int, column: Any,
         value: str) -> list[Row]:
    owner, owner_value = statement.tenant(context)
    values: dict[str, Any] = {}
    with transaction.reader(context) as session:
        if not isinstance(value, str) or (owner and owner_value is None):
            query = sa.select(*_TABLE.c).where(
                statement.equals(session, column, value),
                *statement.of_tenant(context, _MODEL),
                *_of_type(container_type)).limit(2)
        else:
            query = _look_up(column.name, container_type, owner,
                             statement.ignores_case(session))
            values = {'of_text': value, 'of_owner': owner_value,
                      'of_bytes': statement.as_bytes(value)}
        rows = statement.fetch_all(session, query, values)
    if not rows:
        raise exception.ContainerNotFound(container=value)
    return rows


@functools.cache
def _look_up(name: str, container_type: int, owner: str | None,
             ignores_case: bool) -> sa.Select:
    """The SELECT by the text of a column; built once, as each request and
    each task has one.

    :param owner: the column that keeps it to a tenant's rows, if any
    """
    column, text = _TABLE.c[name], sa.bindparam('of_text')
    criteria = _of_type(container_type)
    if owner:
        criteria.append(_TABLE.c[owner] == sa.bindparam('of_owner'))
    same = column == text
    if ignores_case:
        same = statement.is_text(column, text, sa.bindparam(
            'of_bytes', type_=sa.LargeBinary))
    return sa.select(*_TABLE.c).where(same, *criteria).limit(2)


def create_container(context: Any, values: Row) -> Row:
    """Insert a container.

    :param values: column to value; ``uuid`` is made when it is missing
    :raises ContainerAlreadyExists: the uuid, or a name that has to be
        unique, is taken
    """
    values = dict(values)
    if not values.get('uuid'):
        values['uuid'] = uuidutils.generate_uuid()
    with transaction.writer(context) as session:
        if values.get('name'):
            _check_name_is_free(session, context, values['name'],
                                values.get('project_id'))
        try:
            return statement.insert(session, _MODEL, values)
        except db_exc.DBDuplicateEntry as e:
            raise exception.ContainerAlreadyExists(
                field='UUID', value=values['uuid']) from e


def check_name_is_free(context: Any, name: str,
                       project_id: str | None) -> None:
    """Refuse a name that has to be unique and is taken.

    Inserting checks this, too; this is for those who have more to do first.

    :raises ContainerAlreadyExists: another container has the name
    """
    with transaction.reader(context) as session:
        _check_name_is_free(session, context, name, project_id)


def _check_name_is_free(session: Any, context: Any, name: str,
                        project_id: str | None,
                        but_uuid: str | None = None) -> None:
    scope = CONF.compute.unique_container_name_scope
    if scope not in ('project', 'global'):
        return
    criteria = [sa.func.lower(_TABLE.c.name) == name.lower()]
    if scope == 'project':
        criteria.append(_TABLE.c.project_id == (
            project_id or getattr(context, 'project_id', None)))
    if but_uuid is not None:
        criteria.append(_TABLE.c.uuid != but_uuid)
    taken = session.execute(
        sa.select(_TABLE.c.id).where(*criteria).limit(1)).first()
    if taken is not None:
        raise exception.ContainerAlreadyExists(field='name',
                                               value=name.lower())


def update_container(context: Any, container_type: int, container_uuid: str,
                     values: Row) -> Row:
    """Change a container and return its row.

    :raises ContainerNotFound: there is no such container of the type
    :raises ContainerAlreadyExists: the new name has to be unique and is not
    """
    if 'uuid' in values:
        raise exception.InvalidParameterValue(
            err='Cannot overwrite UUID for an existing Container.')
    with transaction.writer(context) as session:
        if values.get('name'):
            project_id = session.execute(
                sa.select(_TABLE.c.project_id).where(
                    _TABLE.c.uuid == container_uuid)).scalar()
            _check_name_is_free(session, context, values['name'], project_id,
                                but_uuid=container_uuid)
        row = statement.update(
            session, _MODEL,
            [_TABLE.c.uuid == container_uuid, *_of_type(container_type)],
            values)
    if row is None:
        raise exception.ContainerNotFound(container=container_uuid)
    return row


def destroy_container(context: Any, container_type: int,
                      container_uuid: str) -> None:
    """Delete a container and its exec instances.

    SQLite gives the number of a deleted row to the next one, which must not
    inherit the exec instances.

    :raises ContainerNotFound: there is no such container of the type
    :raises Conflict: the database enforces foreign keys, and the container
        still has volumes
    """
    found = [_TABLE.c.uuid == container_uuid, *_of_type(container_type)]
    with transaction.writer(context) as session, \
            resource.references_checked(
                'Container %s still has volumes.' % container_uuid):
        statement.delete(
            session, models.ExecInstance,
            models.ExecInstance.container_id.in_(
                sa.select(_TABLE.c.id).where(*found).scalar_subquery()))
        if not statement.delete(session, _MODEL, *found):
            raise exception.ContainerNotFound(container=container_uuid)


def count_usage(context: Any, container_type: int, project_id: str | None,
                flag: str) -> float | int:
    """Return how much of a quota resource the containers of a project use.

    :param flag: ``containers``, ``cpu``, ``disk`` (GiB) or ``memory`` (MiB)
    :raises InvalidParameterValue: the flag is none of these
    """
    return count_usages(context, container_type, project_id, [flag])[flag]


def count_usages(context: Any, container_type: int, project_id: str | None,
                 flags: Iterable[str] = ('containers', 'cpu', 'disk',
                                         'memory')) -> dict[str, float | int]:
    """Return what the containers of a project use, in one statement.

    Sizes that are NULL count as nothing.

    :raises InvalidParameterValue: a flag is no quota resource
    """
    flags = list(flags)
    sums = {'containers': sa.func.count(_TABLE.c.id),
            'cpu': sa.func.sum(_TABLE.c.cpu),
            'disk': sa.func.sum(_TABLE.c.disk)}
    for flag in flags:
        if flag not in sums and flag != 'memory':
            raise exception.InvalidParameterValue(
                err='"%s" is not a quota resource' % flag)
    # Grouped by the sizes of memory, which are text.
    query = sa.select(
        _TABLE.c.memory, sums['containers'].label('containers'),
        sums['cpu'].label('cpu'), sums['disk'].label('disk')).where(
        _TABLE.c.project_id == project_id,
        *_of_type(container_type)).group_by(_TABLE.c.memory)
    with transaction.reader(context) as session:
        groups = statement.fetch_all(session, query)
    usage = {'containers': sum(group['containers'] for group in groups),
             'cpu': sum(group['cpu'] or 0 for group in groups),
             'disk': int(sum(group['disk'] or 0 for group in groups)),
             'memory': sum(in_mebibytes(group['memory']) *
                           group['containers'] for group in groups)}
    return {flag: usage[flag] for flag in flags}


def in_mebibytes(memory: str | None) -> int:
    """Return the size that a row has: MiB, or with a unit of older rows."""
    match = _MEMORY.match(memory or '')
    if match is None:
        return 0
    return int(float(match[1]) * _MEBIBYTES[match[2].lower()])
