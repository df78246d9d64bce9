# SPDX-License-Identifier: Apache-2.0
"""Resource classes."""

from typing import Any

from zun.common import exception
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import resource
from zun.db.sqlalchemy.queries import statement

_classes = resource.Resource(
    models.ResourceClass,
    not_found=lambda value: exception.ResourceClassNotFound(
        resource_class=value),
    already_exists=resource.uuid_taken(exception.ResourceClassAlreadyExists),
    tenant=False)

list_resource_classes = _classes.list_rows
create_resource_class = _classes.create
update_resource_class = _classes.update
get_resource_class = _classes.get
destroy_resource_class = _classes.destroy


def get_resource_class_by_name(context: Any, name: str) -> statement.Row:
    """Return the resource class of a name."""
    return _classes.get(context, name, column='name')
