# SPDX-License-Identifier: Apache-2.0
"""Containers that run again by themselves: restart policy and auto_heal.

Pods never restart. When a container has ended, or was removed behind Zun's
back, and is to run again, a task of its lane waits for its time and makes
the next generation; what is done to the container meanwhile comes first or
after, never in between.
"""

from oslo_log import log as logging
from oslo_utils import timeutils

from zun.common import consts
from zun.common import context as zun_context
from zun.compute.operations import base
from zun.compute.operations import create
from zun.compute.operations import node
from zun.compute.operations import power
from zun.compute.operations import restarts
from zun.compute.operations import rows
from zun.compute.operations import starts
from zun.compute.operations import volumes
from zun.compute.tasks import queue
from zun.container import driver as container_driver
from zun.container import errors
from zun.db import api as db_api

LOG = logging.getLogger(__name__)

_RENEWED = 'renewed'


def schedule(container, memory: restarts.Memory) -> None:
    """Let a container run again after a while.

    Called in the transaction that says so in its row.
    """
    queue.enqueue(
        context_of(container), 'container_restart',
        {'container': container, 'pod': container.container_id,
         'memory': memory.dump()},
        host=container.host, lane=container.uuid,
        dedup_key='restart:%s' % container.container_id,
        delay=memory.delay)


def remove(container) -> None:
    """Let a container be deleted that was to go once it has ended."""
    queue.enqueue(
        context_of(container), 'container_delete',
        {'container': container, 'force': True}, host=container.host,
        lane=container.uuid, dedup_key='remove:%s' % container.uuid)


def keep(container) -> None:
    """Let a container's node keep what it has written and said."""
    queue.enqueue(
        context_of(container), node.KEEP,
        {'container': container, 'halt': False, 'timeout': None},
        host=container.host, lane=container.uuid,
        dedup_key='keep:%s' % container.container_id)


def context_of(container) -> zun_context.RequestContext:
    """Who acts when nobody has asked: the service, for the owner."""
    return zun_context.make_admin_context(
        all_projects=True, project_id=container.project_id,
        user_id=container.user_id)


def restart(parts: base.Parts, context, container, pod: str,
            memory: str) -> None:
    """Run a container again, unless something was done to it meanwhile.

    :param pod: its ``container_id`` when it was to run again.
    """
    journal = base.journal(context)
    if not journal.step_get(_RENEWED):
        if (container.container_id != pod or
                container.status != consts.RESTARTING):
            LOG.info('Container %s is not started again: it is no longer '
                     'what it was', container.uuid)
            return
        _renew(parts, context, container, memory)
    driver = parts.driver
    driver.start(context, container)
    starts.until_started(
        context,
        lambda timeout: driver.await_start(context, container, timeout),
        lambda: driver.explain(context, container))
    driver.prune(context, container)
    with db_api.writer(context):
        container.status = consts.RUNNING
        container.started_at = timeutils.utcnow()
        container.save(context)


def _renew(parts, context, container, memory):
    driver = parts.driver
    base.journal(context).check()
    try:
        if driver.is_running(context, container):
            node.halt(parts, context, container, None)
        node.settle(parts, context, container)
        values = driver.recreate(context, container, restarts=memory)
    except errors.ContainerMissing:
        values = driver.recreate(context, container,
                                 _plan(parts, context, container), memory)
    with db_api.writer(context):
        container.container_id = values['container_id']
        container.save(context)
        base.journal(context).step_put(_RENEWED, True)


def _plan(parts, context, container):
    """All that the container was made from, from the database."""
    plugged = parts.network(context).describe(container.addresses)
    return container_driver.Plan(
        {container.uuid: create.resolve_image(parts, context, container)},
        container_driver.Network(plugged.vifs, plugged.nameservers),
        {container.uuid: volumes.mounts(context, container.uuid)})


def restart_failed(parts: base.Parts, context, container,
                   exc: Exception) -> None:
    """Take note that a container can't run again."""
    power.hold_back(parts, context, container, exc)
    with db_api.writer(context):
        rows.fail(context, container, base.reason_of(exc))
