# SPDX-License-Identifier: Apache-2.0
"""``status`` and ``task_state`` of a container while it is worked on.

A ``task_state`` that was set when the work began is neither changed nor
cleared. The journal knows which one is the task's own, since a later
attempt finds what an earlier one has set.
"""

from oslo_log import log as logging

from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.compute.operations import base
from zun.container import errors
from zun.db import api as db_api

LOG = logging.getLogger(__name__)

_OWN = 'task_state'


def enter(context, container, task_state: str) -> None:
    """Say what is being done, unless something is said already."""
    journal = base.journal(context)
    if container.task_state is not None:
        return
    with db_api.writer(context):
        container.task_state = task_state
        container.save(context)
        journal.step_put(_OWN, task_state)


def is_own(context, container) -> bool:
    """Whether the row's ``task_state`` was set by this task."""
    return (container.task_state is not None and
            container.task_state == base.journal(context).step_get(_OWN))


def leave(context, container) -> None:
    """Save the row; nothing is being done to the container any more."""
    if is_own(context, container):
        container.task_state = None
    container.save(context)


def fail(context, container, reason: str) -> None:
    """Turn the row to Error."""
    container.status = consts.ERROR
    container.status_reason = reason
    leave(context, container)


def engine_lost(context, container, exc: errors.ContainerMissing
                ) -> exception.ZunException:
    """Take note that the engine has a container no more.

    It is Deleted if that was to happen by itself, else in Error. A row in
    Deleting is left alone.

    :returns: the error to raise.
    """
    if container.status == consts.DELETING:
        return exc
    with db_api.writer(context):
        if container.auto_remove:
            container.status = consts.DELETED
        else:
            container.status = consts.ERROR
            container.status_reason = str(exc)
        container.save(context)
    return exception.Conflict(
        _("Cannot act on container in '%s' state") % container.status)
