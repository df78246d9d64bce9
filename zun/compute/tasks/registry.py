# SPDX-License-Identifier: Apache-2.0
"""The kinds of tasks: what serialises them, who may run them, and by what."""

from collections.abc import Callable
from collections.abc import Iterable
from typing import Any
from typing import NamedTuple

COMPUTE = 'compute'
AGENT = 'agent:'
AGENT_BINARY = 'zun-compute-agent'

# Lower is sooner among tasks that are due at the same moment.
SOON, NORMAL = 0, 10


class Kind(NamedTuple):
    """A kind of task.

    ``lane`` names the argument, or its attribute, which no two tasks may
    work on at once.  ``node_local`` kinds go to the agent of the node, where
    there is one.  Of ``fills_node`` kinds a node does only a few at once.
    An ``overrides`` kind ends the retries of what is before it in its lane.
    A ``starts_lane`` kind makes what its lane is about: nothing is before it.
    A ``removes`` kind removes it: that it is gone at a later attempt is the
    work of an earlier one.
    """

    name: str
    lane: str | None
    node_local: bool = False
    fills_node: bool = False
    overrides: bool = False
    priority: int = NORMAL
    starts_lane: bool = False
    removes: bool = False


KINDS = {kind.name: kind for kind in (
    Kind('container_create', 'container.uuid', fills_node=True,
         starts_lane=True),
    Kind('container_rebuild', 'container.uuid', fills_node=True),
    Kind('container_delete', 'container.uuid', overrides=True,
         removes=True),
    Kind('container_start', 'container.uuid'),
    Kind('container_restart', 'container.uuid'),
    Kind('container_reboot', 'container.uuid'),
    Kind('container_stop', 'container.uuid', node_local=True, priority=SOON),
    Kind('container_kill', 'container.uuid', node_local=True, priority=SOON),
    Kind('container_pause', 'container.uuid', node_local=True, priority=SOON),
    Kind('container_unpause', 'container.uuid', node_local=True,
         priority=SOON),
    Kind('container_upload', 'container.uuid', node_local=True),
    Kind('container_keep', 'container.uuid', node_local=True, priority=SOON),
    Kind('container_update', 'container.uuid'),
    Kind('resize_container', 'container.uuid'),
    Kind('add_security_group', 'container.uuid'),
    Kind('remove_security_group', 'container.uuid'),
    Kind('network_attach', 'container.uuid'),
    Kind('network_detach', 'container.uuid'),
    Kind('capsule_create', 'capsule.uuid', fills_node=True,
         starts_lane=True),
    Kind('capsule_delete', 'capsule.uuid', overrides=True, removes=True),
    Kind('image_pull', 'image.uuid', node_local=True),
    Kind('image_fetch', None, node_local=True, priority=SOON),
    Kind('image_delete', 'image.uuid', node_local=True, removes=True),
    Kind('network_create', 'neutron_net_id'),
    Kind('network_delete', 'network.neutron_net_id', removes=True),
)}


REMOVING = frozenset(kind.name for kind in KINDS.values() if kind.removes)
OVERRIDING = frozenset(kind.name for kind in KINDS.values()
                       if kind.overrides)


class Operation(NamedTuple):
    """What runs tasks of a kind.

    ``run(context, **arguments)`` returns what becomes the task's result;
    ``failed(context, error, **arguments)``, if any, is run once the task is
    given up, to undo and report.
    """

    run: Callable[..., Any]
    failed: Callable[..., Any] | None = None


class Registry:
    """The operations that a worker can run, by kind."""

    def __init__(self) -> None:
        self._operations: dict[str, Operation] = {}

    def add(self, kind: str, run: Callable[..., Any],
            failed: Callable[..., Any] | None = None) -> None:
        """Make tasks of a kind run by a function."""
        self._operations[kind] = Operation(run, failed)

    def find(self, kind: str) -> Operation | None:
        """The operation for a kind, None if this worker has none."""
        return self._operations.get(kind)

    def kinds(self) -> Iterable[str]:
        return self._operations.keys()


def from_manager(manager: Any) -> Registry:
    """The operations of a manager: its methods named like the kinds.

    ``<kind>_failed``, where the manager has it, is what runs when a task is
    given up.
    """
    registry = Registry()
    for name in KINDS:
        run = getattr(manager, name, None)
        if run is not None:
            registry.add(name, run, getattr(manager, name + '_failed', None))
    return registry
