# SPDX-License-Identifier: Apache-2.0
"""Private image registries; the password is stored as it is given."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from zun.common import exception
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import resource
from zun.db.sqlalchemy.queries import statement
from zun.db.sqlalchemy import transaction

Row = statement.Row

_registries = resource.Resource(
    models.Registry,
    not_found=lambda value: exception.RegistryNotFound(registry=value),
    already_exists=resource.uuid_taken(exception.RegistryAlreadyExists))

list_registries = _registries.list_rows
create_registry = _registries.create
update_registry = _registries.update
get_registry_by_uuid = _registries.get


def get_registry_by_id(context: Any, registry_id: int) -> Row:
    """Return a registry by its number."""
    return _registries.get(context, registry_id, column='id')


def get_registry_by_name(context: Any, name: str) -> Row:
    """Return the one registry of a name.

    :raises Conflict: there are several
    """
    return _registries.get_only(
        context, name, 'name',
        ambiguous='Multiple registries exist with same name. Please use the '
                  'registry uuid instead.')


def registries_by_ids(context: Any,
                      registry_ids: Iterable[int]) -> dict[int, Row]:
    """Return registries by their numbers, in one statement.

    Those that the context may not see are left out, also where a container
    uses them.
    """
    numbers = list(registry_ids)
    if not numbers:
        return {}
    query = sa.select(*_registries.columns).where(
        _registries.columns.id.in_(numbers),
        *statement.of_tenant(context, models.Registry))
    with transaction.reader(context) as session:
        return {row['id']: row
                for row in statement.fetch_all(session, query)}


def destroy_registry(context: Any, registry_uuid: str) -> None:
    """Delete a registry.

    :raises RegistryNotFound: there is none
    :raises Conflict: the database enforces foreign keys, and a container
        uses the registry
    """
    with resource.references_checked(
            'Registry %s is in use by a container.' % registry_uuid):
        _registries.destroy(context, registry_uuid)
