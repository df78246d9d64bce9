# SPDX-License-Identifier: Apache-2.0
"""The action of a request that an operation completes, and its events.

An action is found by container and request; where there is none, nothing
is done at all. An event that an earlier attempt has begun is gone on with.
"""

from collections.abc import Iterator
import contextlib
import traceback

from oslo_log import log as logging

from zun.common import exception
from zun.db import api as db_api
from zun import objects

LOG = logging.getLogger(__name__)

# Names have two underscores where the method behind was private.
CREATE = 'compute__do_container_create'
START = 'compute__do_container_start'
STOP = 'compute__do_container_stop'
REBOOT = 'compute__do_container_reboot'
PAUSE = 'compute__do_container_pause'
UNPAUSE = 'compute__do_container_unpause'
KILL = 'compute__do_container_kill'
REBUILD = 'compute__do_container_rebuild'
COMMIT = 'compute__do_container_commit'
NETWORK_ATTACH = 'compute__do_network_attach'
NETWORK_DETACH = 'compute__do_network_detach'
ADD_SECURITY_GROUP = 'compute__add_security_group'
REMOVE_SECURITY_GROUP = 'compute__remove_security_group'


class Report:
    """What is told of an operation.

    :param name: of the action, see :mod:`zun.compute.container_actions`.
    """

    def __init__(self, context, container, name: str):
        self._context = context
        self._uuid = container.uuid
        self._name = name

    def require(self) -> None:
        """Make sure that the request has an action on the container.

        :raises ContainerActionNotFound: it has none.
        """
        if self._action() is None:
            raise exception.ContainerActionNotFound(
                request_id=self._context.request_id,
                container_uuid=self._uuid)

    @contextlib.contextmanager
    def event(self, name: str) -> Iterator[None]:
        """A piece of the work.

        An exception leaves the event open: either another attempt follows,
        or :meth:`fail`.
        """
        self.begin(name)
        yield
        self.end(name)

    def begin(self, name: str) -> None:
        """Report a piece of the work, unless an earlier attempt has.

        That one may have ended it too, and died just then.
        """
        if name not in [event.event for event in self._events()]:
            objects.ContainerActionEvent.event_start(
                self._context, self._uuid, name, want_result=False)

    def end(self, name: str) -> None:
        objects.ContainerActionEvent.event_finish(
            self._context, self._uuid, name, want_result=False)

    def finish(self, exc: Exception | None = None) -> None:
        """End the action. One of another name is left as it is."""
        try:
            objects.ContainerAction.action_finish(
                self._context, self._uuid, self._name, exc_val=exc,
                want_result=False)
        except exception.ContainerActionNotFound:
            LOG.debug('The request has another action on container %s',
                      self._uuid)

    def fail(self, exc: Exception, missed: str | None = None) -> None:
        """End the open events and the action with an error.

        :param missed: an event that should have begun and did not.
        """
        with db_api.writer(self._context):
            names = self._open_events()
            if missed is not None and not names:
                self.begin(missed)
                names = [missed]
            text = ''.join(traceback.format_exception(exc))
            for name in names:
                objects.ContainerActionEvent.event_finish(
                    self._context, self._uuid, name, exc_val=exc,
                    exc_tb=text, want_result=False)
            self.finish(exc)

    def _action(self):
        return objects.ContainerAction.get_by_request_id(
            self._context, self._uuid, self._context.request_id)

    def _open_events(self):
        return [event.event for event in self._events()
                if event.finish_time is None]

    def _events(self):
        action = self._action()
        if action is None:
            return []
        return objects.ContainerActionEvent.get_by_action(
            self._context, action.id)
