# SPDX-License-Identifier: Apache-2.0
"""What was done to a container: /v1/containers/{ident}/container_actions."""

import pecan

from zun.api.controllers import base
from zun.api.controllers.v1 import container_access as access
from zun.api.controllers.v1.views import actions_view as view
from zun.common import exception
from zun.common import policy
from zun.db import api as db_api


class ContainersActionsController(base.Controller):
    """The actions of a container and their events."""

    @base.Controller.api_version('1.1')
    def get_all(self, container_ident, **kwargs):
        """The actions of a container, newest first."""
        container = access.find_row(container_ident)
        access.authorize('container:actions')
        rows = db_api.actions_get(pecan.request.context, container['uuid'])
        return {'containerActions': [view.format_action(row)
                                     for row in rows]}

    @base.Controller.api_version('1.1')
    def get_one(self, container_ident, request_ident, **kwargs):
        """The action of a request, with its events."""
        context = pecan.request.context
        container = access.find_row(container_ident)
        access.authorize('container:actions')
        row = db_api.action_get_by_request_id(context, container['uuid'],
                                              request_ident)
        if row is None:
            raise exception.ResourceNotFound(name='Action', id=request_ident)
        shown = view.format_action(row)
        shown['events'] = self._events(context, row)
        return shown

    @staticmethod
    def _events(context, action: dict) -> list[dict]:
        rule = 'container:action:events'
        whole = policy.enforce(context, rule, do_raise=False, action=rule)
        return [view.format_event(row, whole) for row in
                db_api.action_events_get(context, action['id'])]
