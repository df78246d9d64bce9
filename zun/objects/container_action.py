# SPDX-License-Identifier: Apache-2.0
"""Actions on containers and the events that they cause."""

import traceback
import types

from oslo_utils import timeutils

from zun.db import api as dbapi
from zun.objects import base
from zun.objects import fields

ERROR = 'Error'
SUCCESS = 'Success'

# Bytes of a TEXT column of MySQL.
MAX_TRACEBACK = 65535


@base.ZunObjectRegistry.register
class ContainerAction(base.ZunPersistentObject, base.ZunObject):
    """What a request asked of a container."""

    # Version 1.2 of Zun 18.0.0
    VERSION = '1.2'

    fields = {
        'id': fields.IntegerField(),
        'action': fields.StringField(nullable=True),
        'container_uuid': fields.UUIDField(nullable=True),
        'request_id': fields.StringField(nullable=True),
        'user_id': fields.StringField(nullable=True),
        'project_id': fields.StringField(nullable=True),
        'start_time': fields.DateTimeField(nullable=True, tzinfo_aware=False),
        'finish_time': fields.DateTimeField(nullable=True,
                                            tzinfo_aware=False),
        'message': fields.StringField(nullable=True),
    }

    @base.remotable_classmethod
    def get_by_container_uuid(cls, context, container_uuid):
        """Return the actions of a container, newest first."""
        return cls._from_rows(context,
                              dbapi.actions_get(context, container_uuid))

    @base.remotable_classmethod
    def get_by_request_id(cls, context, container_uuid, request_id):
        """Return the action of a request on a container, or None."""
        row = dbapi.action_get_by_request_id(context, container_uuid,
                                             request_id)
        return None if row is None else cls._from_row(context, row)

    @base.remotable_classmethod
    def action_start(cls, context, container_uuid, action_name,
                     want_result=True):
        """Record that the context's request acts on a container."""
        row = dbapi.action_start(context, {
            'request_id': context.request_id,
            'container_uuid': container_uuid,
            'user_id': context.user_id,
            'project_id': context.project_id,
            'action': action_name,
            'start_time': timeutils.utcnow()})
        return cls._from_row(context, row) if want_result else None

    @base.remotable_classmethod
    def action_finish(cls, context, container_uuid, action_name,
                      exc_val=None, exc_tb=None, want_result=True):
        """Record the end of an action, an unhappy one with an exception.

        :raises ContainerActionNotFound: the request has no such action on
            the container
        """
        values = {'request_id': context.request_id,
                  'container_uuid': container_uuid,
                  'action': action_name,
                  'finish_time': timeutils.utcnow()}
        if exc_val is not None or exc_tb is not None:
            values['message'] = ERROR
        row = dbapi.action_finish(context, values)
        return cls._from_row(context, row) if want_result else None


@base.ZunObjectRegistry.register
class ContainerActionEvent(base.ZunPersistentObject, base.ZunObject):
    """A piece of the work that an action caused."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'id': fields.IntegerField(),
        'event': fields.StringField(nullable=True),
        'action_id': fields.IntegerField(nullable=True),
        'start_time': fields.DateTimeField(nullable=True, tzinfo_aware=False),
        'finish_time': fields.DateTimeField(nullable=True,
                                            tzinfo_aware=False),
        'result': fields.StringField(nullable=True),
        'traceback': fields.StringField(nullable=True),
    }

    @base.remotable_classmethod
    def get_by_action(cls, context, action_id):
        """Return the events of an action, newest first."""
        return cls._from_rows(context,
                              dbapi.action_events_get(context, action_id))

    @base.remotable_classmethod
    def event_start(cls, context, container_uuid, event_name,
                    want_result=True):
        """Record that work for the context's request begins.

        :raises ContainerActionNotFound: the request has no action on the
            container
        """
        row = dbapi.action_event_start(context, {
            'event': event_name,
            'container_uuid': container_uuid,
            'request_id': context.request_id,
            'start_time': timeutils.utcnow()})
        return cls._from_row(context, row) if want_result else None

    @base.remotable_classmethod
    def event_finish(cls, context, container_uuid, event_name,
                     exc_val=None, exc_tb=None, want_result=None):
        """Record that work ended, well or with an exception.

        :param exc_tb: traceback, or its text
        :raises ContainerActionNotFound: the request has no action on the
            container
        :raises ContainerActionEventNotFound: the work did not begin
        """
        failed = exc_val is not None or exc_tb is not None
        values = {'event': event_name,
                  'container_uuid': container_uuid,
                  'request_id': context.request_id,
                  'finish_time': timeutils.utcnow(),
                  'result': ERROR if failed else SUCCESS}
        if exc_tb is not None:
            values['traceback'] = _as_text(exc_tb)
        row = dbapi.action_event_finish(context, values)
        return cls._from_row(context, row) if want_result else None


def _as_text(exc_tb: types.TracebackType | str) -> str:
    """Return the text of a traceback; of a long one its end, which tells."""
    if not isinstance(exc_tb, str):
        exc_tb = ''.join(traceback.format_tb(exc_tb))
    return exc_tb.encode()[-MAX_TRACEBACK:].decode(errors='ignore')
