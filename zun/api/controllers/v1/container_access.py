# SPDX-License-Identifier: Apache-2.0
"""Finding the container that a path names, and who may use it."""

import pecan

from zun.api import utils as api_utils
from zun.common import consts
from zun.common import policy
from zun.db import api as db_api
from zun import objects


def _widen_for_admin(context) -> None:
    # Look-ups of one container by an administrator see all projects, asked
    # for or not; lists don't.
    if context.is_admin:
        context.all_projects = True


def find_row(ident: str) -> dict:
    """The row of the container with a uuid or name.

    What looks like a uuid is looked up as one, literally.

    :raises ContainerNotFound: none (404). :raises Conflict: several.
    """
    context = pecan.request.context
    _widen_for_admin(context)
    find = db_api.get_container_by_uuid if api_utils.is_uuid_like(ident) \
        else db_api.get_container_by_name
    return find(context, consts.TYPE_CONTAINER, ident)


def find(ident: str) -> 'objects.Container':
    """Like :func:`find_row`, as an object."""
    context = pecan.request.context
    _widen_for_admin(context)
    if api_utils.is_uuid_like(ident):
        return objects.Container.get_by_uuid(context, ident)
    return objects.Container.get_by_name(context, ident)


def authorize(rule: str, target: dict | None = None) -> None:
    """Check a policy of the caller.

    :param target: what is acted on, by column.
    :raises PolicyNotAuthorized: 403.
    """
    policy.enforce(pecan.request.context, rule, target, action=rule)


def find_for(ident: str, rule: str) -> 'objects.Container':
    """The container that a path names, if the caller may do this to it."""
    container = find(ident)
    authorize(rule, container.as_dict())
    return container
