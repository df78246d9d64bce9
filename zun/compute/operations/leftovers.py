# SPDX-License-Identifier: Apache-2.0
"""Ports and allocations that do not fit the rows.

Part of the comparison that the holder of the Lease makes each minute. What
does not fit is reported, once, and left alone: another service, or another
deployment of this one, may be what has it. A request that is on its way
looks like a difference too, so only what two comparisons find in a row is
told.
"""

from collections.abc import Iterable
from typing import NamedTuple

from oslo_log import log as logging

from zun.common import clients
from zun.common import consts
from zun.db import api as db_api
from zun.network import neutron
from zun import objects
from zun.scheduler.client import report

LOG = logging.getLogger(__name__)

# Rows that hold nothing, or not everything yet.
_UNSETTLED = (consts.CREATING, consts.DELETING, consts.DELETED,
              consts.ERROR)


class Difference(NamedTuple):
    """What does not fit: the kind of it, whose it is, and its own id."""

    what: str
    container: str
    resource: str


LOST_PORT = 'a port of no container'
LOST_ALLOCATION = 'an allocation of no container'
NO_PORT = 'a container whose port is gone'
NO_ALLOCATION = 'a container without an allocation'


class Comparison:
    """Compares again and again, and tells what is new."""

    def __init__(self) -> None:
        self._before: frozenset[Difference] = frozenset()
        self._told: frozenset[Difference] = frozenset()

    def compare(self, context) -> frozenset[Difference]:
        """Compare once.

        :param context: an administrator's, for all projects.
        :returns: what this comparison and the one before it have found.
        """
        found = frozenset(differences(context))
        lasting = found & self._before
        for one in sorted(lasting - self._told):
            LOG.warning('The comparison found %(what)s: container '
                        '%(container)s, %(resource)s', one._asdict())
        self._before, self._told = found, lasting
        return lasting


def differences(context) -> Iterable[Difference]:
    """What does not fit right now.

    :raises PeerError: a peer does not answer.
    """
    ports = neutron.NeutronAPI(context).query(
        'ports', admin=True, device_owner=consts.DEVICE_OWNER_ZUN,
        fields=['id', 'device_id'])
    held = _allocations(context)
    # Read last: what a peer has was in a row before.
    rows = {row['uuid']: row for row in db_api.list_containers(
        context, consts.TYPE_ANY,
        columns=('uuid', 'host', 'addresses', 'capsule_id', 'status'))}
    yield from _ports(rows, ports)
    yield from _claims(rows, held)


def _ports(rows, ports):
    known = {port['id'] for port in ports}
    for port in ports:
        if port['device_id'] not in rows:
            yield Difference(LOST_PORT, port['device_id'], port['id'])
    for row in _settled(rows):
        for entries in (row['addresses'] or {}).values():
            for entry in entries:
                if entry['port'] not in known:
                    yield Difference(NO_PORT, row['uuid'], entry['port'])


def _claims(rows, held: dict[str, str]):
    for consumer, provider in held.items():
        if consumer not in rows:
            yield Difference(LOST_ALLOCATION, consumer, provider)
    for row in _settled(rows):
        if row['host'] and row['uuid'] not in held:
            yield Difference(NO_ALLOCATION, row['uuid'], row['host'])


def _settled(rows):
    """What holds its ports and its allocation itself."""
    return [row for row in rows.values() if not row['capsule_id'] and
            row['status'] not in _UNSETTLED]


def _allocations(context) -> dict[str, str]:
    """Who has something of the hosts, and of which provider."""
    placement = report.SchedulerReportClient(context)
    held = {}
    for node in objects.ComputeNode.list(context):
        try:
            consumers = placement.get_consumers(node.rp_uuid)
        except clients.PeerRefused:
            LOG.debug('Placement knows no provider of %s', node.hostname)
            continue
        held.update(dict.fromkeys(consumers, node.rp_uuid))
    return held
