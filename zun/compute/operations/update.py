# SPDX-License-Identifier: Apache-2.0
"""Changing a container's cpu, memory and other fields.

Placement first, then the node's figures, then the container; in the other
direction when the container can't be changed. No action tells of it.
"""

import math

from oslo_log import log as logging

from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.common import quota
from zun.compute import claims
from zun.compute.operations import base
from zun.compute.operations import create
from zun.compute.operations import rows
from zun.container import errors
from zun.db import api as db_api
from zun import objects

LOG = logging.getLogger(__name__)

_COUNTED = ('cpu', 'memory')
_CHANGED = 'update_counted'
_OLD = 'update_old'


def update(parts: base.Parts, context, container, patch: dict,
           hold_quota: bool = False):
    """Apply a patch and return the container.

    :param hold_quota: keep the quota of who asks, also against others who
        ask meanwhile.
    :raises Conflict: the host cannot hold that much.
    :raises OverQuota: others have used up what was free.
    """
    journal = base.journal(context)
    if not container.container_id:
        raise exception.Invalid(_('Cannot operate an uncreated container.'))
    amounts = {name: patch[name] for name in _COUNTED
               if patch.get(name) is not None}
    old = journal.step_get(_OLD) or {
        name: getattr(container, name) for name in amounts}
    journal.step_put(_OLD, old)
    if amounts:
        _count(parts, context, container, amounts, old, hold_quota)
    try:
        _change(parts, context, container, patch)
    except errors.ContainerMissing as exc:
        _uncount(parts, context, container, old)
        raise rows.engine_lost(context, container, exc)
    except exception.Conflict:
        _uncount(parts, context, container, old)
        raise
    return container


def _change(parts, context, container, patch):
    for name, value in patch.items():
        setattr(container, name, value)
    values = parts.driver.update(context, container)
    create.set_values(container, values)
    container.save(context)


@db_api.retry_on_conflict
def _count(parts, context, container, amounts, old, hold_quota):
    """Claim and count the new amounts. The row has them from here on, for
    quotas are counted from rows.
    """
    journal = base.journal(context)
    if journal.step_get(_CHANGED):
        return
    _set(container, old)
    container.obj_reset_changes(list(old))
    _allocate(parts, context, container, amounts)
    try:
        with db_api.writer(context):
            if hold_quota:
                quota.hold_update(context, container, amounts)
            claims.resize(context, container, container.host, amounts)
            _set(container, amounts)
            container.save(context)
            journal.step_put(_CHANGED, True)
    except (exception.ResourcesUnavailable, exception.OverQuota) as exc:
        _set(container, old)
        container.obj_reset_changes(list(old))
        _allocate(parts, context, container, old)
        if isinstance(exc, exception.OverQuota):
            raise
        raise exception.Conflict(str(exc))


@db_api.retry_on_conflict
def _uncount(parts, context, container, old):
    """Take back what was counted. May be repeated."""
    journal = base.journal(context)
    container.refresh(context)
    if not old:
        return
    try:
        _allocate(parts, context, container, old)
    except exception.Conflict as exc:
        LOG.warning('Placement does not take the former amounts of '
                    'container %(uuid)s back: %(error)s',
                    {'uuid': container.uuid, 'error': exc})
    if journal.step_get(_CHANGED):
        with db_api.writer(context):
            claims.resize(context, container, container.host,
                          {name: value or 0 for name, value in old.items()})
            _set(container, old)
            container.save(context)
            journal.step_put(_CHANGED, False)


def _set(container, values: dict) -> None:
    for name, value in values.items():
        setattr(container, name, value)


def _allocate(parts, context, container, amounts):
    """Claim other amounts in Placement.

    :raises Conflict: it has no room for them.
    """
    resources = {}
    if 'cpu' in amounts:
        resources[consts.VCPU] = math.ceil(float(amounts['cpu'] or 0))
    if 'memory' in amounts:
        resources[consts.MEMORY_MB] = int(amounts['memory'] or 0)
    resources = {name: amount for name, amount in resources.items()
                 if amount}
    node = objects.ComputeNode.get_by_name(context, container.host)
    if resources and not parts.placement(context).update_allocation(
            container.uuid, node.rp_uuid, resources):
        LOG.warning('Placement holds nothing for container %s at its host, '
                    'or has no room for the change', container.uuid)
        raise exception.Conflict(_(
            'The host of the container has not that much left.'))


def update_failed(parts: base.Parts, context, container,
                  exc: Exception) -> None:
    """Take back what an update that was given up has counted."""
    old = base.journal(context).step_get(_OLD)
    if old:
        _uncount(parts, context, container, old)
