# SPDX-License-Identifier: Apache-2.0
"""Volumes and where containers mount them."""

from typing import Any

import sqlalchemy as sa

from zun.common import exception
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import resource
from zun.db.sqlalchemy.queries import statement
from zun.db.sqlalchemy import transaction

Row = statement.Row

_volumes = resource.Resource(
    models.Volume,
    not_found=lambda value: exception.VolumeNotFound(volume=value),
    already_exists=resource.uuid_taken(exception.VolumeAlreadyExists))

list_volumes = _volumes.list_rows
create_volume = _volumes.create
update_volume = _volumes.update
get_volume_by_uuid = _volumes.get
destroy_volume = _volumes.destroy

_mappings = resource.Resource(
    models.VolumeMapping,
    not_found=lambda value: exception.VolumeMappingNotFound(
        volume_mapping=value),
    already_exists=resource.uuid_taken(exception.VolumeMappingAlreadyExists))

create_volume_mapping = _mappings.create
update_volume_mapping = _mappings.update
destroy_volume_mapping = _mappings.destroy

_MAPPING = models.VolumeMapping.__table__
_VOLUME = models.Volume.__table__
# A filter on these names is one on the volume.
_VOLUME_FILTERS = frozenset(_VOLUME.c.keys()) - frozenset(_MAPPING.c.keys())


def get_volume_by_id(context: Any, volume_id: int) -> Row:
    """Return a volume by its number."""
    return _volumes.get(context, volume_id, column='id')


def list_volume_mappings(context: Any, filters: dict[str, Any] | None = None,
                         limit: int | None = None, marker: Any = None,
                         sort_key: str | None = None,
                         sort_dir: str | None = None) -> list[Row]:
    """Return volume mappings, each with its volume's row as ``volume``.

    :param filters: column of the mapping or else of the volume to value
    :raises InvalidParameterValue: the sort key or a filter is no column
    """
    with transaction.reader(context) as session:
        marker_row = None
        uuid = statement.marker_uuid(marker)
        if uuid:
            marker_row = get_volume_mapping_by_uuid(context, uuid)
        query = _joined().where(*_criteria(session, context, filters))
        rows = statement.page(session, models.VolumeMapping, query, limit,
                              marker_row, sort_key, sort_dir)
    return [_nest(row) for row in rows]


def count_volume_mappings(context: Any, **filters: Any) -> int:
    """Return how many volume mappings match."""
    with transaction.reader(context) as session:
        query = sa.select(sa.func.count(_MAPPING.c.id)).select_from(
            _MAPPING.join(_VOLUME)).where(
            *_criteria(session, context, filters))
        return session.execute(query).scalar()


def get_volume_mapping_by_uuid(context: Any, volume_mapping_uuid: str) -> Row:
    """Return a volume mapping with its volume's row as ``volume``.

    :raises VolumeMappingNotFound: there is none that the context may see
    """
    rows = list_volume_mappings(context, {'uuid': volume_mapping_uuid})
    if not rows:
        raise _mappings.not_found(volume_mapping_uuid)
    return rows[0]


def _joined() -> Any:
    return sa.select(
        *_MAPPING.c, *(column.label('volume.' + column.name)
                       for column in _VOLUME.c)).select_from(
        _MAPPING.join(_VOLUME))


def _nest(row: Row) -> Row:
    nested = {name: value for name, value in row.items()
              if not name.startswith('volume.')}
    nested['volume'] = {name.partition('.')[2]: value
                        for name, value in row.items()
                        if name.startswith('volume.')}
    return nested


def _criteria(session: Any, context: Any,
              filters: dict[str, Any] | None) -> list[Any]:
    own = {}
    of_volume = {}
    for name, value in (filters or {}).items():
        (of_volume if name in _VOLUME_FILTERS else own)[name] = value
    return [*statement.of_tenant(context, models.VolumeMapping),
            *statement.matches(session, models.VolumeMapping, own),
            *statement.matches(session, models.Volume, of_volume)]
