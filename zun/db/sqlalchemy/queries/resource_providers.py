# SPDX-License-Identifier: Apache-2.0
"""Resource providers."""

from typing import Any

from zun.common import exception
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import resource
from zun.db.sqlalchemy.queries import statement

_providers = resource.Resource(
    models.ResourceProvider,
    not_found=lambda value: exception.ResourceProviderNotFound(
        name_or_uuid=value),
    already_exists=resource.uuid_taken(
        exception.ResourceProviderAlreadyExists),
    tenant=False)

list_resource_providers = _providers.list_rows
create_resource_provider = _providers.create
update_resource_provider = _providers.update
get_resource_provider = _providers.get
destroy_resource_provider = _providers.destroy


def get_resource_provider_by_name(context: Any, name: str) -> statement.Row:
    """Return the one resource provider of a name.

    :raises Conflict: there are several
    """
    return _providers.get_only(
        context, name, 'name',
        ambiguous='Multiple resource providers exist with same name. Please '
                  'use the uuid instead.')
