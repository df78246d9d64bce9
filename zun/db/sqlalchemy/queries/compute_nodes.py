# SPDX-License-Identifier: Apache-2.0
"""Hosts that run containers."""

from typing import Any

import sqlalchemy as sa

from zun.common import exception
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import resource
from zun.db.sqlalchemy.queries import statement
from zun.db.sqlalchemy import transaction

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


def lock_compute_node(context: Any, hostname: str) -> None:
    """Hold the row of a host's node until the transaction ends, so that
    what is read of it from here on is still true at its end.
    """
    table = models.ComputeNode.__table__
    with transaction.writer(context) as session:
        session.execute(sa.select(table.c.uuid).where(
            table.c.hostname == hostname).with_for_update())
