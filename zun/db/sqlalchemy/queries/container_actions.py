# SPDX-License-Identifier: Apache-2.0
"""Actions on containers and the events that they cause."""

from typing import Any

import sqlalchemy as sa

from zun.common import exception
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import statement
from zun.db.sqlalchemy import transaction

Row = statement.Row

_ACTION = models.ContainerAction.__table__
_EVENT = models.ContainerActionEvent.__table__


def action_start(context: Any, values: Row) -> Row:
    """Insert an action."""
    with transaction.writer(context) as session:
        return statement.insert(session, models.ContainerAction, values)


def action_finish(context: Any, values: Row) -> Row:
    """Change the action of a container, request and name.

    :raises ContainerActionNotFound: there is none
    """
    criteria = [_ACTION.c[name] == values[name]
                for name in ('container_uuid', 'request_id', 'action')]
    with transaction.writer(context) as session:
        row = statement.update(session, models.ContainerAction, criteria,
                               values)
    if row is None:
        raise _no_action(values)
    return row


def _no_action(values: Row) -> Exception:
    return exception.ContainerActionNotFound(
        request_id=values.get('request_id'),
        container_uuid=values.get('container_uuid'))


def actions_get(context: Any, container_uuid: str) -> list[Row]:
    """Return the actions of a container, newest first."""
    query = sa.select(*_ACTION.c).where(
        _ACTION.c.container_uuid == container_uuid).order_by(
        _ACTION.c.created_at.desc(), _ACTION.c.id.desc())
    with transaction.reader(context) as session:
        return statement.fetch_all(session, query)


def action_get_by_request_id(context: Any, container_uuid: str,
                             request_id: str) -> Row | None:
    """Return the first action of a request on a container, or None."""
    with transaction.reader(context) as session:
        query = sa.select(*_ACTION.c).where(
            _ACTION.c.container_uuid == container_uuid,
            statement.equals(session, _ACTION.c.request_id, request_id))
        return statement.fetch_one(session, query.order_by(_ACTION.c.id))


def action_event_start(context: Any, values: Row) -> Row:
    """Insert an event of the action of a container and request.

    :param values: columns of the event, and ``container_uuid`` and
        ``request_id`` of the action
    :raises ContainerActionNotFound: there is no such action
    """
    values = dict(values)
    with transaction.writer(context) as session:
        action = _pop_action(context, values)
        values['action_id'] = action['id']
        return statement.insert(session, models.ContainerActionEvent, values)


def _pop_action(context: Any, values: Row) -> Row:
    names = {name: values.pop(name)
             for name in ('container_uuid', 'request_id')}
    action = action_get_by_request_id(context, **names)
    if action is None:
        raise _no_action(names)
    return action


def action_event_finish(context: Any, values: Row) -> Row:
    """Change an event of the action of a container and request.

    An event that ends with the result ``Error`` marks its action.

    :raises ContainerActionNotFound: there is no such action
    :raises ContainerActionEventNotFound: the action has no such event
    """
    values = dict(values)
    with transaction.writer(context) as session:
        action = _pop_action(context, values)
        row = statement.update(
            session, models.ContainerActionEvent,
            [_EVENT.c.action_id == action['id'],
             _EVENT.c.event == values['event']], values)
        if row is None:
            raise exception.ContainerActionEventNotFound(
                action_id=action['id'], event=values['event'])
        if (values.get('result') or '').lower() == 'error':
            statement.update(session, models.ContainerAction,
                             [_ACTION.c.id == action['id']],
                             {'message': 'Error'})
        return row


def action_events_get(context: Any, action_id: int) -> list[Row]:
    """Return the events of an action, newest first."""
    query = sa.select(*_EVENT.c).where(
        _EVENT.c.action_id == action_id).order_by(
        _EVENT.c.created_at.desc(), _EVENT.c.id.desc())
    with transaction.reader(context) as session:
        return statement.fetch_all(session, query)
