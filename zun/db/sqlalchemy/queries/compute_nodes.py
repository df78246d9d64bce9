# SPDX-License-Identifier: Apache-2.0
"""Hosts that run containers."""

from typing import Any

from zun.common import exception
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import resource
from zun.db.sqlalchemy.queries import statement

Row = statement.Row

_nodes = resource.Resource(
    models.ComputeNode,
    not_found=lambda value: exception.ComputeNodeNotFound(compute_node=value),
    already_exists=resource.uuid_taken(exception.ComputeNodeAlreadyExists),
    tenant=False, unique_key='uuid')

list_compute_nodes = _nodes.list_rows
create_compute_node = _nodes.create
update_compute_node = _nodes.update
get_compute_node = _nodes.get
destroy_compute_node = _nodes.destroy


def get_compute_node_by_hostname(context: Any, hostname: str) -> Row:
    """Return the one node of a host.

    :raises Conflict: there are several
    """
    return _nodes.get_only(
        context, hostname, 'hostname',
        ambiguous='Multiple compute nodes exist with same hostname. Please '
                  'use the uuid instead.')
