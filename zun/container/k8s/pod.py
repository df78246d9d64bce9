# SPDX-License-Identifier: Apache-2.0
"""From a container to its Pod.

Nothing here does any input or output: the same arguments give the same
manifest, and vectors hold it to that. A Pod never restarts by itself
(``restartPolicy: Never``): a restart by the kubelet loses the writable
layer, which Docker keeps, so Zun starts containers again itself.
"""

from collections.abc import Sequence
import dataclasses
import json
import math
import typing

from zun.common import exception
from zun.common.i18n import _
from zun.container.k8s import names
from zun.container.k8s import resources

PULL_POLICIES = {'always': 'Always', 'ifnotpresent': 'IfNotPresent',
                 'never': 'Never'}
_PROTOCOLS = ('tcp', 'udp', 'sctp')

# Docker's values where a healthcheck names none, in seconds.
_HEALTH_INTERVAL = 30
_HEALTH_TIMEOUT = 30
_HEALTH_RETRIES = 3

_MAX_NAMESERVERS = 3


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the operator decides about every Pod.

    :ivar runtime_class: where a container names no runtime; may be empty.
    :ivar grace: seconds between the signal to end and the kill; at least
        1, since 0 would remove a Pod before its network is unplugged.
    :ivar multus_network: NetworkAttachmentDefinition that Multus gives
        Pods in place of the cluster's network.
    """

    runtime_class: str = 'kata'
    privileged_runtime_classes: Sequence[str] = ()
    grace: int = 10
    ratios: resources.Ratios = resources.Ratios()
    multus_network: str = ''


class Mount(typing.NamedTuple):
    """A volume of the Pod and the place where the container sees it."""

    volume: dict
    mount: dict


@dataclasses.dataclass(frozen=True)
class Surroundings:
    """What is known only when a Pod is made.

    :ivar namespace: the project's.
    :ivar generation: 1 for the first Pod of a container.
    :ivar images: by name of the container in the Pod: what to run in
        place of the container's own image and pull policy; anything with
        ``reference`` and ``pull_policy``.
    :ivar pull_secret: name of a Secret with the registry's credentials.
    :ivar vifs: one entry for each Neutron port, see
        :mod:`zun.network.cni_network`.
    :ivar nameservers: of the subnets, in their order.
    :ivar mounts: by name of the container in the Pod.
    :ivar restarts: what its restart policy has to remember.
    :ivar origins: by name of the container in the Pod: (reference, pull
        policy) of what it was first made from, where ``images`` names a
        layer that was kept.
    :ivar gated: hold the Pod back until it is started.
    """

    namespace: str
    generation: int = 1
    images: dict[str, typing.Any] = dataclasses.field(default_factory=dict)
    pull_secret: str | None = None
    vifs: Sequence[dict] = ()
    nameservers: Sequence[str] = ()
    mounts: dict[str, Sequence[Mount]] = dataclasses.field(
        default_factory=dict)
    restarts: str | None = None
    origins: dict[str, Sequence[str]] = dataclasses.field(
        default_factory=dict)
    gated: bool = True


def container_pod(container, around: Surroundings,
                  settings: Settings = Settings()) -> dict:
    """The manifest of a container's Pod.

    :param container: an object with the fields of
        :class:`zun.objects.Container`.
    :raises Invalid: the container wants what its runtime class or
        Kubernetes does not allow.
    """
    pod = frame(container, around, settings)
    pod['spec']['containers'] = [
        container_spec(container, names.MAIN, around, settings)]
    return pod


def frame(container, around: Surroundings, settings: Settings,
          kind: str = 'container') -> dict:
    """All of a Pod but its containers."""
    runtime = container.runtime or settings.runtime_class
    spec = {
        'restartPolicy': 'Never',
        'terminationGracePeriodSeconds': max(1, settings.grace),
        'automountServiceAccountToken': False,
        'enableServiceLinks': False,
        'hostname': names.hostname(container.hostname, container.uuid),
        **_dns(around.nameservers),
    }
    if runtime:
        spec['runtimeClassName'] = runtime
    if container.host:
        spec['affinity'] = _on_node(container.host)
    if around.gated:
        spec['schedulingGates'] = [{'name': names.START_GATE}]
    if around.pull_secret:
        spec['imagePullSecrets'] = [{'name': around.pull_secret}]
    volumes = _volumes(around.mounts)
    if volumes:
        spec['volumes'] = volumes
    return {'apiVersion': 'v1', 'kind': 'Pod',
            'metadata': _metadata(container, around, settings, kind),
            'spec': spec}


def container_spec(container, name: str, around: Surroundings,
                   settings: Settings) -> dict:
    """One container of a Pod."""
    image = around.images.get(name)
    spec = {
        'name': name,
        'image': image.reference if image else container.image,
        'imagePullPolicy': pull_policy(
            image.pull_policy if image else container.image_pull_policy),
    }
    optional = {
        'command': _literal(container.entrypoint),
        'args': _literal(container.command),
        'env': _environment(container.environment),
        'workingDir': container.workdir,
        'stdin': bool(container.interactive),
        'tty': bool(container.tty),
        'ports': _ports(container.exposed_ports),
        'resources': resources.quantities(
            container.cpu, container.memory, container.disk,
            container.cpu_policy, settings.ratios),
        'readinessProbe': probe(container.healthcheck),
        'securityContext': _security(container, settings),
        'volumeMounts': [item.mount
                         for item in around.mounts.get(name, ())],
    }
    spec.update((key, value) for key, value in optional.items() if value)
    return spec


def pull_policy(policy: str | None) -> str:
    """``imagePullPolicy`` of a container; unset means always.

    :raises Invalid: no such policy.
    """
    try:
        return PULL_POLICIES[(policy or 'always').lower()]
    except KeyError:
        raise exception.Invalid(
            _('Image pull policy %(policy)s is none of %(all)s.')
            % {'policy': policy, 'all': ', '.join(PULL_POLICIES)})


def probe(healthcheck: dict | None) -> dict | None:
    """A healthcheck as a readiness probe.

    It feeds ``status_detail`` and never kills: a liveness probe would end
    a container that is only paused. Probes over the network would come
    from the node, which can't reach the container's network.
    """
    test = (healthcheck or {}).get('test')
    if not test or test == ['NONE']:
        return None
    return {
        'exec': {'command': _test_command(test)},
        'periodSeconds': _whole(healthcheck.get('interval'),
                                _HEALTH_INTERVAL),
        'timeoutSeconds': _whole(healthcheck.get('timeout'),
                                 _HEALTH_TIMEOUT),
        'failureThreshold': _whole(healthcheck.get('retries'),
                                   _HEALTH_RETRIES),
    }


def _test_command(test):
    if isinstance(test, str):
        return ['/bin/sh', '-c', test]
    if test[0] == 'CMD':
        return list(test[1:])
    if test[0] == 'CMD-SHELL':
        return ['/bin/sh', '-c', *test[1:]]
    return list(test)


def _whole(value, default):
    """A whole number of at least 1; nothing and 0 mean the default."""
    return max(1, math.ceil(float(value))) if value else default


def _metadata(container, around, settings, kind):
    annotations = {
        names.USER_LABELS: json_text(container.labels),
        names.USER_ANNOTATIONS: json_text(container.annotations),
        names.VIFS: json_text(list(around.vifs)),
        names.RESTARTS: around.restarts,
        names.ORIGINS: json_text(around.origins),
        names.MULTUS_NETWORK: settings.multus_network or None,
    }
    return {
        'name': names.pod_name(container.uuid, around.generation),
        'namespace': around.namespace,
        'labels': {
            names.MANAGED: 'true',
            names.CONTAINER: container.uuid,
            names.GENERATION: str(around.generation),
            names.PROJECT: names.label_value(container.project_id or ''),
            names.KIND: kind,
        },
        'annotations': {key: value for key, value in annotations.items()
                        if value is not None},
    }


def json_text(value) -> str | None:
    """A value as an annotation; None for nothing."""
    return json.dumps(value, sort_keys=True) if value else None


def _literal(words):
    """Words as they are: Kubernetes would replace ``$(NAME)`` in them."""
    return [str(word).replace('$', '$$') for word in words or ()]


def _environment(environment):
    return [{'name': key, 'value': str(value).replace('$', '$$')}
            for key, value in sorted((environment or {}).items())]


def _ports(exposed_ports):
    """Documentation alone; the rules of Neutron open ports."""
    ports = []
    for text in sorted(exposed_ports or {}):
        number, __, protocol = text.partition('/')
        if number.isdigit() and 0 < int(number) < 65536 and (
                protocol or 'tcp') in _PROTOCOLS:
            ports.append({'containerPort': int(number),
                          'protocol': (protocol or 'tcp').upper()})
    return ports


def _security(container, settings):
    if not container.privileged:
        return None
    runtime = container.runtime or settings.runtime_class
    if runtime not in settings.privileged_runtime_classes:
        raise exception.Invalid(
            _('Privileged containers cannot run on runtime %(runtime)s; '
              'the operator allows them on: %(allowed)s.')
            % {'runtime': runtime, 'allowed': ', '.join(
                settings.privileged_runtime_classes) or _('none')})
    return {'privileged': True}


def _on_node(host):
    """Placement has chosen; the scheduler only checks that it fits."""
    return {'nodeAffinity': {
        'requiredDuringSchedulingIgnoredDuringExecution': {
            'nodeSelectorTerms': [{'matchFields': [{
                'key': 'metadata.name', 'operator': 'In',
                'values': [host]}]}]}}}


def _dns(nameservers):
    if not nameservers:
        return {'dnsPolicy': 'Default'}
    return {'dnsPolicy': 'None', 'dnsConfig': {
        'nameservers': list(nameservers)[:_MAX_NAMESERVERS]}}


def _volumes(mounts):
    """Volumes of all containers, each once."""
    volumes = {}
    for items in mounts.values():
        for item in items:
            volumes[item.volume['name']] = item.volume
    return list(volumes.values())
