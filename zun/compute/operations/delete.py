# SPDX-License-Identifier: Apache-2.0
"""Deleting a container or capsule; it always comes to an end.

What is gone already, be it the host, the Pod, a port or a volume, is no
error. A forced delete passes over what refuses to go; the reconciling pass
finds what it leaves.
"""

from oslo_log import log as logging

from zun.common import clients
from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.compute import claims
from zun.compute.operations import base
from zun.compute.operations import create
from zun.compute.operations import rows
from zun.compute.operations import volumes
from zun.compute.tasks import errors as task_errors
from zun.container import errors
from zun.db import api as db_api
from zun import objects

LOG = logging.getLogger(__name__)

_UNCLAIMED = 'unclaimed'
# The step that was being taken, for the report of a failure.
_STEP = 'delete_step'
_PLACEMENT = 'placement'


def delete(parts: base.Parts, context, container, force: bool) -> None:
    """Remove a container or capsule and all that was made for it.

    :raises Conflict: it runs, and the delete is not forced.
    """
    journal = base.journal(context)
    rows.enter(context, container, consts.CONTAINER_DELETING)
    if not force:
        _require_ended(parts, context, container)
    driver = parts.network(context)
    for step in (
            lambda: parts.driver.remove(context, container, force),
            lambda: driver.unplug(container, container.addresses),
            lambda: _close_ports(driver, container),
            lambda: _detach(context, container, force),
            lambda: _unclaim(context, container)):
        journal.check()
        _take(step, force)
    journal.step_put(_STEP, _PLACEMENT)
    _take(lambda: parts.placement(context).delete_allocation_for_container(
        container.uuid), force)
    _finish(parts, context, container)


def _finish(parts, context, container):
    with db_api.writer(context):
        for member in members(container):
            member.destroy(context)
        container.destroy(context)
    parts.driver.tidy(
        context, container.project_id,
        lambda: create.is_empty(context, container.project_id))


def members(container) -> list:
    """The containers of a capsule."""
    if not isinstance(container, objects.Capsule):
        return []
    return [*(container.init_containers or ()),
            *(container.containers or ())]


def _require_ended(parts, context, container):
    """Refuse to delete what runs, before anything is taken from it."""
    if isinstance(container, objects.Capsule) or not container.container_id:
        return
    try:
        running = parts.driver.is_running(context, container)
    except errors.ContainerMissing:
        return
    if running:
        raise exception.Conflict(_(
            'You cannot remove a running container %s. Stop the container '
            'before attempting removal or force remove')
            % container.container_id)


def _take(step, force):
    """Take a step; a forced delete only waits for what can pass."""
    try:
        step()
    except (exception.ZunException, clients.PeerError) as exc:
        if not force or task_errors.is_transient(exc):
            raise
        LOG.warning('A forced delete passes over an error: %s', exc)


def _close_ports(driver, container):
    if container.exposed_ports:
        driver.close_ports(container)


def _detach(context, container, force):
    for owner in [container, *members(container)]:
        volumes.detach(context, owner.uuid, force)


@db_api.retry_on_conflict
def _unclaim(context, container):
    journal = base.journal(context)
    if journal.step_get(_UNCLAIMED) or not container.host:
        return
    with db_api.writer(context):
        claims.release(context, container, container.host)
        journal.step_put(_UNCLAIMED, True)


def delete_failed(parts: base.Parts, context, container, force: bool,
                  exc: Exception) -> None:
    """Take note of a delete that failed, or finish a forced one."""
    if force:
        LOG.error('The delete of container %(uuid)s is forced and leaves '
                  'something behind: %(error)s',
                  {'uuid': container.uuid, 'error': exc})
        with db_api.writer(context):
            for member in members(container):
                member.destroy(context)
            container.destroy(context)
        return
    with db_api.writer(context):
        if base.journal(context).step_get(_STEP) == _PLACEMENT:
            rows.leave(context, container)
        else:
            rows.fail(context, container, base.reason_of(exc))
