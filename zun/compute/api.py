# SPDX-License-Identifier: Apache-2.0
"""What the API asks of the compute side.

Rows and the task that carries an operation out are written in one
transaction: a cast is an insert (see :mod:`zun.compute.rpcapi`), so no state
is set without its task and no task is queued without its state.  Peers are
never called inside a transaction.
"""

from collections.abc import Callable
from collections.abc import Iterable
from typing import Any

from oslo_log import log

from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.compute import container_actions
from zun.compute import rpcapi
import zun.conf
from zun.db import api as db_api
from zun import objects
from zun.scheduler.client import query
from zun.scheduler.client import report

CONF = zun.conf.CONF
LOG = log.getLogger(__name__)

# Errors without a status of their own that are answered as they are.
_PLAIN_ERRORS = (exception.ContainerHostNotUp,)

NO_VALID_HOST = 'There are not enough hosts available.'


class OperationFailed(exception.ZunException):
    """What the caller waited for was tried and could not be done."""

    message = _('%(operation)s failed: %(reason)s')
    code = 409


def _wait(call, *args, **kwargs):
    """Call the compute side; its own failures become OperationFailed."""
    try:
        return call(*args, **kwargs)
    except exception.ZunException as error:
        if error.code != 500 or isinstance(error, _PLAIN_ERRORS):
            raise
        raise OperationFailed(operation=call.__name__,
                              reason=error) from error


def _write(context, written: list, write: Callable[[], None]) -> None:
    """Run a transaction that inserts objects, and run it again when it
    loses against another one: quotas make creations of a project compete.

    :param written: the objects; before each attempt they are as new.
    """
    new = [(one, {name: getattr(one, name)
                  for name in one.obj_what_changed()}) for one in written]

    @db_api.retry_on_conflict
    def attempt() -> None:
        for one, values in new:
            for name, value in values.items():
                setattr(one, name, value)
        with db_api.writer(context):
            write()
    attempt()


class API:
    """The operations on containers, images and networks.

    :param context: the request's context.
    """

    def __init__(self, context) -> None:
        self.rpcapi = rpcapi.API(context=context)

    # -- create ----------------------------------------------------------
    def container_create(self, context, new_container, extra_spec: dict,
                         requested_networks: list,
                         insert: Callable[[], dict], run: bool,
                         pci_requests=None, members: Iterable = ()) -> None:
        """Place a new container or capsule and queue its creation.

        A host is chosen and claimed first; then everything is written at
        once.  Where no host fits, the rows are written with the status
        Error.

        :param new_container: a Container or Capsule with its uuid, not yet
            saved.
        :param extra_spec: ``hints``, ``availability_zone``,
            ``pci_requests``, ``requested_host`` (see
            ``SchedulerClient.select_destinations``).
        :param requested_networks: for the compute side.
        :param insert: writes the rows of the container and of what belongs
            to it; called inside the transaction, and again when that loses
            against another one.  Returns the requested volumes: container
            uuid to unsaved VolumeMappings.
        :param members: what else ``insert`` writes: a capsule's containers.
        :raises OverQuota: from ``insert``; the claim is given back, as for
            everything else that it raises.
        """
        self._validate_image(context, new_container)
        try:
            destination = self._schedule(context, new_container, extra_spec)
        except exception.NoValidHost:
            _write(context, [new_container, *members],
                   lambda: self._insert_failed(context, new_container,
                                               insert))
            return

        def insert_and_cast() -> None:
            requested_volumes = insert()
            self._record_action_start(context, new_container,
                                      container_actions.CREATE)
            self.rpcapi.container_create(
                host=destination['host'], container=new_container,
                limits=destination['limits'],
                requested_networks=requested_networks,
                requested_volumes=requested_volumes, run=run,
                pci_requests=pci_requests)
        try:
            _write(context, [new_container, *members], insert_and_cast)
        except Exception:
            self._release(context, new_container)
            raise

    def _schedule(self, context, container, extra_spec: dict):
        return query.SchedulerClient().select_destinations(
            context, [container], extra_spec)[0]

    def _insert_failed(self, context, container, insert) -> None:
        insert()
        container.status = consts.ERROR
        container.status_reason = NO_VALID_HOST
        container.save(context)

    def _release(self, context, container) -> None:
        try:
            report.SchedulerReportClient(
                context).delete_allocation_for_container(container.uuid)
        except Exception as error:
            # What made the creation fail is the error to report.
            LOG.error('The claim of container %(uuid)s, which was not '
                      'created, could not be given back: %(error)s',
                      {'uuid': container.uuid, 'error': error})

    def _validate_image(self, context, container) -> None:
        """Refuse an image that its registry does not have.

        :raises ImageNotFound: there is none.
        :raises Conflict: the name means several.
        """
        if not CONF.api.enable_image_validation:
            return
        if not isinstance(container, objects.Container):
            return
        registry = container.registry if 'registry_id' in container else None
        images = self.image_search(
            context, container.image, container.image_driver, True, registry)
        if not images:
            raise exception.ImageNotFound(image=container.image)
        if len(images) > 1:
            raise exception.Conflict(_(
                'Multiple images exist with the name %s. Please use a more '
                'exact name instead.') % container.image)

    def _record_action_start(self, context, container, action: str) -> None:
        objects.ContainerAction.action_start(context, container.uuid, action,
                                             want_result=False)

    # -- casts -------------------------------------------------------------
    def _cast(self, context, container, action: str, cast, *args,
              status: str | None = None, **kwargs) -> None:
        """Record an action and queue its task, in one transaction.

        :param status: a status that the container has from now on.
        """
        before = container.status

        @db_api.retry_on_conflict
        def attempt() -> None:
            with db_api.writer(context):
                if status is not None:
                    # Unsaved again, where an attempt was rolled back.
                    container.status = before
                    container.status = status
                    container.save(context)
                self._record_action_start(context, container, action)
                cast(container, *args, **kwargs)
        attempt()

    def container_delete(self, context, container, *args) -> None:
        """Queue a delete; ``args`` is whether it is forced."""
        self._cast(context, container, container_actions.DELETE,
                   self.rpcapi.container_delete, *args)

    def container_start(self, context, container) -> None:
        self._cast(context, container, container_actions.START,
                   self.rpcapi.container_start)

    def container_stop(self, context, container, timeout) -> None:
        """Queue a stop; ``timeout`` in seconds."""
        self._cast(context, container, container_actions.STOP,
                   self.rpcapi.container_stop, timeout)

    def container_reboot(self, context, container, timeout) -> None:
        """Queue a restart; ``timeout`` of its stop in seconds."""
        self._cast(context, container, container_actions.REBOOT,
                   self.rpcapi.container_reboot, timeout,
                   status=consts.RESTARTING)

    def container_rebuild(self, context, container, run: bool) -> None:
        """Queue a rebuild from the container's (new) image."""
        self._cast(context, container, container_actions.REBUILD,
                   self.rpcapi.container_rebuild, run,
                   status=consts.REBUILDING)

    def container_pause(self, context, container) -> None:
        self._cast(context, container, container_actions.PAUSE,
                   self.rpcapi.container_pause)

    def container_unpause(self, context, container) -> None:
        self._cast(context, container, container_actions.UNPAUSE,
                   self.rpcapi.container_unpause)

    def container_kill(self, context, container, signal) -> None:
        """Queue a signal: a name or number as text, or None."""
        self._cast(context, container, container_actions.KILL,
                   self.rpcapi.container_kill, signal)

    def add_security_group(self, context, container, security_group) -> None:
        """Queue the addition of a group, given by id."""
        self._cast(context, container, container_actions.ADD_SECURITY_GROUP,
                   self.rpcapi.add_security_group, security_group)

    def remove_security_group(self, context, container,
                              security_group) -> None:
        """Queue the removal of a group, given by id."""
        self._cast(context, container,
                   container_actions.REMOVE_SECURITY_GROUP,
                   self.rpcapi.remove_security_group, security_group)

    def network_detach(self, context, container, network) -> None:
        """Queue the removal of the interface on a network, given by id."""
        self._cast(context, container, container_actions.NETWORK_DETACH,
                   self.rpcapi.network_detach, network)

    def network_attach(self, context, container, requested_network) -> None:
        """Queue a new interface (a RequestedNetwork)."""
        self._cast(context, container, container_actions.NETWORK_ATTACH,
                   self.rpcapi.network_attach, requested_network)

    def resize_container(self, context, container, patch: dict) -> None:
        """Queue a change of cpu or memory."""
        self.rpcapi.resize_container(container, patch)

    # -- calls -------------------------------------------------------------
    def container_show(self, context, container):
        return _wait(self.rpcapi.container_show, container)

    def container_logs(self, context, container, stdout: bool, stderr: bool,
                       timestamps: bool, tail, since) -> str:
        return _wait(self.rpcapi.container_logs, container, stdout, stderr,
                     timestamps, tail, since)

    def container_exec(self, context, container, command: str, run: bool,
                       interactive: bool) -> dict:
        """Run a command.

        :returns: output, exit_code, exec_id, token.
        """
        return _wait(self.rpcapi.container_exec, container, command, run,
                     interactive)

    def container_exec_resize(self, context, container, exec_id: str,
                              height, width):
        return _wait(self.rpcapi.container_exec_resize, container, exec_id,
                     height, width)

    def container_update(self, context, container, patch: dict):
        """Change cpu or memory and wait; returns the new container."""
        return _wait(self.rpcapi.container_update, container, patch)

    def container_attach(self, context, container) -> str:
        """A token for the terminal's WebSocket."""
        return _wait(self.rpcapi.container_attach, container)

    def container_resize(self, context, container, height, width) -> Any:
        return _wait(self.rpcapi.container_resize, container, height, width)

    def container_top(self, context, container, ps_args) -> dict:
        return _wait(self.rpcapi.container_top, container, ps_args)

    def container_get_archive(self, context, container, path: str,
                              encode_data: bool):
        """A tar archive of a path, and its `stat`."""
        return _wait(self.rpcapi.container_get_archive, container, path,
                     encode_data)

    def container_put_archive(self, context, container, path: str, data: str,
                              decode_data: bool):
        return _wait(self.rpcapi.container_put_archive, container, path,
                     data, decode_data)

    def container_stats(self, context, container) -> dict:
        return _wait(self.rpcapi.container_stats, container)

    def container_commit(self, context, container, repository: str,
                         tag: str | None) -> dict:
        """Make an image of a container and wait; ``{'uuid': image}``."""
        action = container_actions.COMMIT
        self._record_action_start(context, container, action)
        try:
            return _wait(self.rpcapi.container_commit, container, repository,
                         tag)
        except exception.ContainerHostNotUp as error:
            # Nobody else will end the action.
            objects.ContainerAction.action_finish(
                context, container.uuid, action, exc_val=error,
                want_result=False)
            raise

    # -- images and networks -----------------------------------------------
    def image_delete(self, context, image, host: str):
        return self.rpcapi.image_delete(image, host)

    def image_pull(self, context, image, host: str):
        return self.rpcapi.image_pull(image, host)

    def image_search(self, context, image: str, image_driver: str | None,
                     exact_match: bool, registry=None, *args) -> list:
        return _wait(self.rpcapi.image_search, image, image_driver,
                     exact_match, registry, *args)

    def network_create(self, context, neutron_net_id: str):
        return _wait(self.rpcapi.network_create, neutron_net_id)

    def network_delete(self, context, network):
        return _wait(self.rpcapi.network_delete, network)
