# SPDX-License-Identifier: Apache-2.0
"""How the API has work done: the client side of the compute manager.

A *cast* adds a task in the open transaction of the caller, and returns.  A
*call* that only reads runs the manager's method in this process; one that
changes something adds a task and waits for its outcome.  No message travels:
the name of this module and its methods are the reference's.
"""

from collections.abc import Callable
import functools
import operator
import threading
from typing import Any
import uuid

from zun.common import exception
from zun.compute.tasks import queue
from zun.compute.tasks import registry
from zun.db import api as db_api
from zun import objects
from zun.servicegroup import api as servicegroup

# Calls that run in the caller's process: they change nothing which another
# process would have to see, or add tasks themselves.
READS = frozenset((
    'container_attach', 'container_commit', 'container_exec',
    'container_exec_resize',
    'container_get_archive', 'container_logs', 'container_put_archive',
    'container_resize', 'container_show', 'container_stats',
    'container_top', 'image_search',
))

_manager: Any = None
_manager_lock = threading.Lock()


def _get_manager() -> Any:
    """The manager that reads are run by; made when first needed."""
    global _manager
    with _manager_lock:
        if _manager is None:
            # Loads the drivers, which a process that only casts can spare.
            from zun.compute import manager
            _manager = manager.Manager()
        return _manager


def host_must_be_up(method: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse at once what the container's host is needed for, if it is down.

    A container without a host is let through.

    :raises ContainerHostNotUp: the host shows no sign of life, or is forced
        down
    """
    @functools.wraps(method)
    def checked(self: 'API', container: Any, *args: Any, **kwargs: Any) -> Any:
        if container.host and not _is_up(self._context, container.host):
            raise exception.ContainerHostNotUp(container=container.uuid,
                                               host=container.host)
        return method(self, container, *args, **kwargs)
    return checked


def _is_up(context: Any, host: str) -> bool:
    service = objects.ZunService.get_by_host_and_binary(
        context, host, 'zun-compute')
    return (service is not None and
            servicegroup.ServiceGroup().service_is_up(service))


class API:
    """One method for each method of the compute manager.

    :param context: the request's; it becomes the context of the work
    """

    def __init__(self, context: Any = None) -> None:
        self._context = context

    # -- The two ways ------------------------------------------------------

    def _cast(self, server: str | None, method: str, **kwargs: Any) -> None:
        """Queue an operation in the open transaction."""
        self._enqueue(server, method, kwargs)

    def _call(self, server: str | None, method: str, **kwargs: Any) -> Any:
        """Run an operation and return what it returns.

        :raises TaskTimeout: it has not ended within [task] call_timeout
        """
        if method in READS:
            run = getattr(_get_manager(), method)
            return run(self._context, **kwargs)
        if db_api.in_transaction():
            raise RuntimeError('%s would wait for a task that nobody can '
                               'see before the end of this transaction.'
                               % method)
        task = self._enqueue(server, method, kwargs)
        return queue.wait(self._context, task, method)

    def _enqueue(self, server: str | None, method: str,
                 arguments: dict[str, Any]) -> str:
        return queue.enqueue(self._context, method, arguments, host=server,
                             lane=_lane(method, arguments))

    # -- Containers --------------------------------------------------------

    def container_create(self, host, container, limits, requested_networks,
                         requested_volumes, run, pci_requests):
        self._cast(host, 'container_create', limits=limits,
                   requested_networks=requested_networks,
                   requested_volumes=requested_volumes, container=container,
                   run=run, pci_requests=pci_requests)

    @host_must_be_up
    def container_delete(self, container, force=False):
        return self._cast(container.host, 'container_delete',
                          container=container, force=force)

    @host_must_be_up
    def container_show(self, container):
        return self._call(container.host, 'container_show',
                          container=container)

    def container_reboot(self, container, timeout):
        self._cast(container.host, 'container_reboot', container=container,
                   timeout=timeout)

    def container_stop(self, container, timeout):
        self._cast(container.host, 'container_stop', container=container,
                   timeout=timeout)

    def container_start(self, container):
        self._cast(container.host, 'container_start', container=container)

    def container_pause(self, container):
        self._cast(container.host, 'container_pause', container=container)

    def container_unpause(self, container):
        self._cast(container.host, 'container_unpause', container=container)

    def container_rebuild(self, container, run):
        self._cast(container.host, 'container_rebuild', container=container,
                   run=run)

    @host_must_be_up
    def container_logs(self, container, stdout, stderr, timestamps, tail,
                       since):
        return self._call(container.host, 'container_logs',
                          container=container, stdout=stdout, stderr=stderr,
                          timestamps=timestamps, tail=tail, since=since)

    @host_must_be_up
    def container_exec(self, container, command, run, interactive):
        return self._call(container.host, 'container_exec',
                          container=container, command=command, run=run,
                          interactive=interactive)

    @host_must_be_up
    def container_exec_resize(self, container, exec_id, height, width):
        return self._call(container.host, 'container_exec_resize',
                          exec_id=exec_id, height=height, width=width)

    def container_kill(self, container, signal):
        self._cast(container.host, 'container_kill', container=container,
                   signal=signal)

    @host_must_be_up
    def container_update(self, container, patch):
        return self._call(container.host, 'container_update',
                          container=container, patch=patch)

    def resize_container(self, container, patch):
        self._cast(container.host, 'resize_container', container=container,
                   patch=patch)

    @host_must_be_up
    def container_attach(self, container):
        return self._call(container.host, 'container_attach',
                          container=container)

    @host_must_be_up
    def container_resize(self, container, height, width):
        return self._call(container.host, 'container_resize',
                          container=container, height=height, width=width)

    @host_must_be_up
    def container_top(self, container, ps_args):
        return self._call(container.host, 'container_top',
                          container=container, ps_args=ps_args)

    @host_must_be_up
    def container_get_archive(self, container, path, encode_data):
        return self._call(container.host, 'container_get_archive',
                          container=container, path=path,
                          encode_data=encode_data)

    @host_must_be_up
    def container_put_archive(self, container, path, data, decode_data):
        return self._call(container.host, 'container_put_archive',
                          container=container, path=path, data=data,
                          decode_data=decode_data)

    @host_must_be_up
    def container_stats(self, container):
        return self._call(container.host, 'container_stats',
                          container=container)

    @host_must_be_up
    def container_commit(self, container, repository, tag):
        return self._call(container.host, 'container_commit',
                          container=container, repository=repository,
                          tag=tag)

    # -- Security groups and networks of containers ------------------------

    def add_security_group(self, container, security_group):
        return self._cast(container.host, 'add_security_group',
                          container=container, security_group=security_group)

    def remove_security_group(self, container, security_group):
        return self._cast(container.host, 'remove_security_group',
                          container=container, security_group=security_group)

    def network_detach(self, container, network):
        return self._cast(container.host, 'network_detach',
                          container=container, network=network)

    def network_attach(self, container, requested_network):
        return self._cast(container.host, 'network_attach',
                          container=container,
                          requested_network=requested_network)

    # -- Capsules ----------------------------------------------------------

    def capsule_create(self, host, capsule, requested_networks,
                       requested_volumes, limits):
        self._cast(host, 'capsule_create', capsule=capsule,
                   requested_networks=requested_networks,
                   requested_volumes=requested_volumes, limits=limits)

    def capsule_delete(self, capsule):
        return self._call(capsule.host, 'capsule_delete', capsule=capsule)

    # -- Images ------------------------------------------------------------

    def image_delete(self, image, host):
        self._cast(host, 'image_delete', image=image)

    def image_pull(self, image, host):
        self._cast(host, 'image_pull', image=image)

    def image_search(self, image, image_driver, exact_match, registry,
                     host=None):
        return self._call(host, 'image_search', image=image,
                          image_driver_name=image_driver,
                          exact_match=exact_match, registry=registry)

    # -- Networks ----------------------------------------------------------

    def network_create(self, neutron_net_id):
        return self._call(None, 'network_create',
                          neutron_net_id=neutron_net_id)

    def network_delete(self, network):
        return self._call(None, 'network_delete', network=network)


def _lane(method: str, arguments: dict[str, Any]) -> str | None:
    """What the work must not run beside."""
    where = registry.KINDS[method].lane
    name, _, attribute = where.partition('.')
    value = arguments[name]
    if attribute:
        value = operator.attrgetter(attribute)(value)
    # An identifier is not always a uuid: users choose those of networks.
    return value if len(value) <= 36 else str(
        uuid.uuid5(uuid.NAMESPACE_URL, value))
