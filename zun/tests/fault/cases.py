# SPDX-License-Identifier: Apache-2.0
"""The operations, and how each is asked for.

An operation on a container is a :class:`Verb`: what brings a new container
to where it can be asked for, the request, the kind of task that it becomes
and the status that an undisturbed run ends in.
"""

import dataclasses

CREATE, DELETE = 'container_create', 'container_delete'


@dataclasses.dataclass(frozen=True)
class Request:
    """A request about one container; ``{...}`` are names of networks."""

    path: str
    params: dict = dataclasses.field(default_factory=dict)
    method: str = 'POST'
    json: dict | None = None
    version: str = '1.40'


@dataclasses.dataclass(frozen=True)
class Verb:
    """An operation.

    ``kinds``: the tasks that it becomes, the first one first.
    ``expect``: attributes of the container afterwards.
    ``settles``: the row is checked once the node has kept what ended.
    """

    name: str
    kinds: tuple[str, ...]
    request: Request
    status: str = 'Running'
    before: tuple[Request, ...] = ()
    statuses: tuple[str, ...] = ()
    expect: dict = dataclasses.field(default_factory=dict)
    run: bool = True


def _post(action, version='1.40', **params):
    return Request('/' + action, params, version=version)


GROUP = 'fault-group'
UNPAUSE = _post('unpause')
STOP = _post('stop', timeout=1)
ATTACH = _post('network_attach', network='{shared}')
GROUPED = _post('add_security_group', '1.14', name=GROUP)

VERBS = (
    Verb('start', ('container_start',), _post('start'),
         before=(STOP,), statuses=('Stopped',)),
    Verb('start of a new one', ('container_start',), _post('start'),
         run=False),
    Verb('stop', ('container_stop', 'container_keep'), STOP, 'Stopped'),
    Verb('reboot', ('container_reboot', 'container_keep'),
         _post('reboot', timeout=1)),
    Verb('pause', ('container_pause',), _post('pause'), 'Paused'),
    Verb('unpause', ('container_unpause',), UNPAUSE,
         before=(_post('pause'),), statuses=('Paused',)),
    Verb('kill', ('container_kill', 'container_keep'), _post('kill'),
         'Stopped'),
    Verb('rebuild', ('container_rebuild',), _post('rebuild')),
    Verb('update', ('container_update',),
         Request('', method='PATCH', json={'memory': '96'}),
         expect={'memory': '96'}),
    Verb('resize', ('resize_container',),
         Request('/resize_container', json={'memory': '96'}),
         expect={'memory': '96'}),
    Verb('add a security group', ('add_security_group',), GROUPED),
    Verb('remove a security group', ('remove_security_group',),
         _post('remove_security_group', '1.14', name=GROUP),
         before=(GROUPED,), statuses=('Running',)),
    Verb('attach a network', ('network_attach', 'container_keep'), ATTACH),
    Verb('detach a network', ('network_detach', 'container_keep'),
         _post('network_detach', network='{shared}'),
         before=(ATTACH,), statuses=('Running',)),
    Verb('commit', ('container_upload',),
         _post('commit', repository='snap', tag='v1')),
)

TEMPLATE = {
    'capsuleVersion': 'beta', 'kind': 'capsule',
    'metadata': {'name': 'pair', 'labels': {'a': 'b'}},
    'spec': {'containers': [
        {'image': 'busybox', 'command': ['sleep'], 'args': ['3600'],
         'resources': {'requests': {'cpu': 0.1, 'memory': 64}}},
        {'image': 'busybox', 'command': ['sleep'], 'args': ['3600'],
         'resources': {'requests': {'cpu': 0.1, 'memory': 64}}}]}}
