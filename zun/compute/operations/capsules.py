# SPDX-License-Identifier: Apache-2.0
"""Making capsules. A capsule runs at once, asked to or not; only its own
row says what is being done."""

from oslo_log import log as logging
from oslo_utils import timeutils

from zun.common import consts
from zun.common import exception
from zun.compute import container_actions as actions
from zun.compute.operations import base
from zun.compute.operations import create as creation
from zun.compute.operations import delete
from zun.compute.operations import events
from zun.compute.operations import rows
from zun.compute.operations import starts
from zun.compute.operations import volumes
from zun.container import driver as container_driver
from zun.container import errors
from zun.db import api as db_api

LOG = logging.getLogger(__name__)


def create(parts: base.Parts, context, capsule, limits: dict,
           requested_networks: list, requested_volumes: dict,
           pci_requests, run: bool = False) -> None:
    """Make a capsule and its containers and let them run.

    :param run: changes nothing but what is told of it.
    """
    report = events.Report(context, capsule, actions.CREATE)
    report.require()
    journal = base.journal(context)
    creation.prepare(context, capsule, requested_volumes)
    with report.event(events.CREATE):
        creation.claim(context, capsule, limits, pci_requests)
        rows.enter(context, capsule, consts.CONTAINER_CREATING)
        if not journal.step_get(creation.MADE):
            _make(parts, context, capsule, requested_networks)
        _run(parts, context, capsule)
    if run:
        with report.event(events.START):
            capsule.started_at = timeutils.utcnow()
            capsule.save(context)
    report.finish()


def _make(parts, context, capsule, requested_networks):
    members = delete.members(capsule)
    images = {member.uuid: creation.resolve_image(parts, context, member,
                                                  capsule.host)
              for member in members}
    network = creation.plug(parts, context, capsule, requested_networks)
    base.journal(context).check()
    values = parts.capsule_driver.create_capsule(
        context, capsule, container_driver.Plan(
            images, network, {member.uuid: volumes.mounts(
                context, member.uuid) for member in members}))
    with db_api.writer(context):
        for row in [capsule, *members]:
            creation.set_values(row, values[row.uuid])
        capsule.status = consts.CREATED
        capsule.status_detail = 'Created'
        capsule.save(context)
        base.journal(context).step_put(creation.MADE, True)


def _run(parts, context, capsule):
    driver = parts.capsule_driver
    driver.start_capsule(context, capsule)
    starts.until_started(
        context,
        lambda timeout: driver.await_capsule(context, capsule, timeout),
        lambda: parts.driver.explain(context, capsule))
    values = driver.show_capsule(context, capsule)
    with db_api.writer(context):
        for member in delete.members(capsule):
            creation.set_values(member, values[member.uuid])
        capsule.status = consts.RUNNING
        rows.leave(context, capsule)


def create_failed(parts: base.Parts, context, capsule, exc: Exception,
                  requested_networks: list, requested_volumes: dict
                  ) -> None:
    """Give back what a capsule that can't run has taken."""
    if isinstance(exc, exception.ContainerActionNotFound):
        return
    host = capsule.host or base.journal(context).host
    creation.undo(parts, context, capsule, requested_networks, host)
    members = delete.members(capsule)
    for row in [capsule, *members]:
        volumes.give_up(context, row)
    volumes.drop_requested(context, requested_volumes)
    reason = base.reason_of(exc)
    with db_api.writer(context):
        for row in [capsule, *members]:
            row.container_id = None
        for member in members:
            member.status = consts.ERROR
            member.status_reason = reason
        capsule.addresses = {}
        if not isinstance(exc, errors.StartFailed):
            capsule.host = None
        rows.fail(context, capsule, reason)
        events.Report(context, capsule, actions.CREATE).fail(exc)
