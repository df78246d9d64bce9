# SPDX-License-Identifier: Apache-2.0

"""The template language of capsules.

A template follows the vocabulary of a Kubernetes Pod.  The functions here
are pure: they turn a template into the vocabulary of containers and never
look at the request, the database or a peer.
"""

import dataclasses
import json
import math
import typing as ty

from zun.common import exception

KINDS = ('capsule', 'Capsule')

RESTART_POLICIES = {
    'Always': 'always',
    'OnFailure': 'on-failure',
    'Never': 'no',
}

# Key of a container in a template -> field of a container.
CONTAINER_FIELDS = {
    'name': 'name',
    'image': 'image',
    'command': 'command',
    'args': 'args',
    'resources': 'resources',
    'ports': 'ports',
    'volumeMounts': 'volumeMounts',
    'env': 'environment',
    'workDir': 'workdir',
    'imagePullPolicy': 'image_pull_policy',
    'stdin': 'interactive',
    'tty': 'tty',
}

# What an init container gets when its capsule is always restarted: it has
# to end, so it is repeated only while it fails.
INIT_RESTART_POLICY = {'Name': 'on-failure', 'MaximumRetryCount': '10'}


@dataclasses.dataclass(frozen=True)
class CapsuleTemplate:
    """A template in the vocabulary of containers.

    ``containers`` and ``init_containers`` are dicts keyed by the values of
    CONTAINER_FIELDS (other keys stay as they came), ``volumes`` are as in
    the template, ``restart_policy`` is a name of RESTART_POLICIES or None.
    """

    metadata: dict
    containers: list[dict]
    init_containers: list[dict]
    volumes: list[dict]
    restart_policy: ty.Optional[str] = None
    availability_zone: ty.Optional[str] = None


def load(template: ty.Union[dict, str]) -> ty.Any:
    """Decode a template that may be JSON text.

    :raises InvalidCapsuleTemplate: when the text is not JSON
    """
    if not isinstance(template, str):
        return template
    try:
        return json.loads(template)
    except (ValueError, RecursionError) as e:
        raise exception.InvalidCapsuleTemplate(
            'The template is not JSON: %s' % e)


def parse(template: dict) -> CapsuleTemplate:
    """Translate a decoded template.

    :raises InvalidCapsuleTemplate: with the reason, for what the JSON
        schema of templates cannot say
    """
    if template.get('kind') not in KINDS:
        raise exception.InvalidCapsuleTemplate(
            'kind fields need to be set as capsule or Capsule')
    spec = template.get('spec')
    if spec is None:
        raise exception.InvalidCapsuleTemplate('No Spec found')
    return CapsuleTemplate(
        metadata=template.get('metadata') or {},
        restart_policy=_restart_policy(spec),
        containers=_containers(spec),
        init_containers=_init_containers(spec),
        volumes=_volumes(spec),
        availability_zone=template.get('availabilityZone'))


def _restart_policy(spec: dict) -> ty.Optional[str]:
    if 'restartPolicy' not in spec:
        return None
    value = spec['restartPolicy']
    if not isinstance(value, str) or value not in RESTART_POLICIES:
        raise exception.InvalidCapsuleTemplate(
            'restartPolicy %s is none of %s' % (
                value, ', '.join(RESTART_POLICIES)))
    return RESTART_POLICIES[value]


def _containers(spec: dict) -> list[dict]:
    containers = spec.get('containers')
    if containers is None:
        raise exception.InvalidCapsuleTemplate('No valid containers field')
    if not containers:
        raise exception.InvalidCapsuleTemplate(
            'Capsule need to have one container at least')
    return [_container(c) for c in containers]


def _init_containers(spec: dict) -> list[dict]:
    containers = spec.get('initContainers')
    if containers is None:
        return []
    if not isinstance(containers, list):
        raise exception.InvalidCapsuleTemplate(
            'initContainers need to be a list')
    return [_container(c) for c in containers]


def _container(container: ty.Any) -> dict:
    if not isinstance(container, dict):
        raise exception.InvalidCapsuleTemplate(
            'A container need to be an object')
    if 'image' not in container:
        raise exception.InvalidCapsuleTemplate('Container image is needed')
    return {CONTAINER_FIELDS.get(k, k): v for k, v in container.items()}


def _volumes(spec: dict) -> list[dict]:
    volumes = spec.get('volumes') or []
    for volume in volumes:
        if not volume.get('name'):
            raise exception.InvalidCapsuleTemplate('Volume name is needed')
        cinder = volume.get('cinder')
        if not cinder:
            raise exception.InvalidCapsuleTemplate(
                'Zun now Only support Cinder volume driver')
        if 'volumeID' in cinder and 'size' in cinder:
            raise exception.InvalidCapsuleTemplate(
                'Volume size and uuid could not be set at the same time')
        if 'volumeID' not in cinder and 'size' not in cinder:
            raise exception.InvalidCapsuleTemplate('Volume size is needed')
    return volumes


def restart_policy(name: ty.Optional[str]) -> dict[str, str]:
    """The restart policy of a capsule; it is always restarted by default."""
    return {'Name': name or RESTART_POLICIES['Always'],
            'MaximumRetryCount': '0'}


def member_restart_policy(capsule_policy: dict,
                          has_init_containers: bool) -> dict[str, str]:
    """The restart policy of the containers of a capsule."""
    if has_init_containers and capsule_policy['Name'] == 'always':
        return dict(INIT_RESTART_POLICY)
    return dict(capsule_policy)


def command(container: dict) -> ty.Optional[list]:
    """The words to run: ``command`` followed by ``args``.

    :raises InvalidCapsuleTemplate: when either is not a list of words
    """
    words: list = []
    for key in ('command', 'args'):
        value = container.get(key)
        if value is None:
            continue
        if not isinstance(value, list) or any(
                isinstance(word, (type(None), list, dict))
                for word in value):
            raise exception.InvalidCapsuleTemplate(
                '%s need to be a list of strings' % key)
        words += value
    return words


def exposed_ports(ports: ty.Optional[list]) -> dict[str, dict]:
    """Ports of a template -> ports as a container row keeps them.

    :raises InvalidCapsuleTemplate: when an entry has no containerPort
    """
    exposed = {}
    if not isinstance(ports, (list, type(None))):
        raise exception.InvalidCapsuleTemplate('ports need to be a list')
    for port in ports or []:
        if not isinstance(port, dict) or 'containerPort' not in port:
            raise exception.InvalidCapsuleTemplate('containerPort is needed')
        protocol = str(port.get('protocol') or 'tcp').lower()
        exposed['%s/%s' % (port['containerPort'], protocol)] = {}
    return exposed


def requests(container: dict) -> tuple[ty.Optional[float],
                                       ty.Optional[float]]:
    """What a container asks for: (cpus, MiB of memory), None if not said.

    Memory is a whole number; that of an init container may be written 64.0
    and is kept so.

    :raises InvalidCapsuleTemplate: when either is not a number
    """
    resources = container.get('resources')
    if not resources:
        return None, None
    asked = resources.get('requests') if isinstance(resources, dict) else None
    if not isinstance(asked, dict):
        raise exception.InvalidCapsuleTemplate(
            'resources need an object requests')
    cpu, memory = asked.get('cpu'), asked.get('memory')
    if not _is_number(cpu) or not _is_number(memory) or (
            memory is not None and memory != int(memory)):
        raise exception.InvalidCapsuleTemplate(
            'cpu need to be a number and memory a whole number of MiB; '
            'they are %s and %s' % (cpu, memory))
    return cpu, memory


def _is_number(value: ty.Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and
                             not isinstance(value, bool) and
                             math.isfinite(value))


def total(containers: list[dict],
          init_containers: list[dict]) -> tuple[float, int]:
    """What a capsule needs: (cpus, MiB of memory).

    Its containers run side by side, its init containers one after another
    before them.
    """
    asked = [requests(c) for c in containers]
    cpu: float = sum(c or 0 for c, _ in asked)
    memory: float = sum(m or 0 for _, m in asked)
    for init_cpu, init_memory in map(requests, init_containers):
        cpu = max(cpu, init_cpu or 0)
        memory = max(memory, init_memory or 0)
    return cpu, int(memory)


def mounts_by_name(container: dict) -> dict[str, list[str]]:
    """Volume name -> the paths at which a container mounts it.

    :raises InvalidCapsuleTemplate: when volumeMounts is not a list of
        objects
    """
    mounts = container.get('volumeMounts') or []
    if not isinstance(mounts, list) or not all(
            isinstance(m, dict) for m in mounts):
        raise exception.InvalidCapsuleTemplate(
            'volumeMounts need to be a list of objects')
    paths: dict[str, list[str]] = {}
    for mount in mounts:
        paths.setdefault(str(mount.get('name')), []).append(
            mount.get('mountPath'))
    return paths
