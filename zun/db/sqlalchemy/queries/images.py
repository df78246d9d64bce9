# SPDX-License-Identifier: Apache-2.0
"""Images on hosts."""

from typing import Any

from zun.common import exception
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import resource
from zun.db.sqlalchemy.queries import statement

Row = statement.Row

_images = resource.Resource(
    models.Image,
    not_found=lambda value: exception.ImageNotFound(image=value),
    already_exists=lambda values: exception.ImageAlreadyExists(
        tag=values.get('tag'), repo=values.get('repo')))

list_images = _images.list_rows
# The row stands for an image that is to be pulled.
pull_image = _images.create
update_image = _images.update
get_image_by_uuid = _images.get
destroy_image = _images.destroy


def get_image_by_id(context: Any, image_id: str) -> Row:
    """Return an image by the id that the container runtime gave it."""
    return _images.get(context, image_id, column='image_id')
