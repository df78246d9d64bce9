# SPDX-License-Identifier: Apache-2.0
"""What the scheduler reads of hosts, in one statement."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import statement
from zun.db.sqlalchemy import transaction

Row = statement.Row

_NODE = models.ComputeNode.__table__
_SERVICE = models.ZunService.__table__

# Of long documents only the text: few requests look into them.
TEXTS = ('numa_topology', 'pci_stats')
FIGURES = (
    'uuid', 'rp_uuid', 'hostname', 'cpus', 'cpu_used', 'mem_total',
    'mem_used', 'mem_free', 'mem_available', 'disk_total', 'disk_used',
    'disk_quota_supported', 'enable_cpu_pinning', 'labels', 'runtimes')
# They are shown as ``service_...``.
OF_SERVICE = (
    'host', 'availability_zone', 'disabled', 'forced_down', 'last_seen_up',
    'updated_at', 'created_at')

_COLUMNS = (
    *(_NODE.c[name] for name in FIGURES),
    *(sa.type_coerce(_NODE.c[name], sa.Text).label(name) for name in TEXTS),
    *(_SERVICE.c[name].label('service_' + name) for name in OF_SERVICE))

_WITH_SERVICE = _NODE.join(_SERVICE, sa.and_(
    _SERVICE.c.host == _NODE.c.hostname,
    _SERVICE.c.binary == 'zun-compute'))

_SELECT_HOSTS = sa.select(*_COLUMNS).select_from(_WITH_SERVICE).where(
    _NODE.c.rp_uuid.in_(sa.bindparam('rp_uuids', expanding=True))).order_by(
    _NODE.c.uuid)


def list_hosts(context: Any, rp_uuids: Iterable[str]) -> list[Row]:
    """Return the nodes of these resource providers that have a compute
    service, by uuid: ``FIGURES``, ``TEXTS`` (JSON text) and
    ``OF_SERVICE``.
    """
    with transaction.reader(context) as session:
        result = session.execute(_SELECT_HOSTS, {'rp_uuids': list(rp_uuids)})
        return [dict(row) for row in result.mappings()]
