# SPDX-License-Identifier: Apache-2.0
"""From a capsule to its Pod: init containers, then the others together.

Members share the network and IPC of the Pod as the members of a capsule
always did. The sandbox itself needs no container: that is what a Pod is.
"""

from collections.abc import Sequence

from zun.container.k8s import names
from zun.container.k8s import pod

KIND = 'capsule'

# A capsule's restart policy as the kubelet knows it.
_RESTART_POLICIES = {'always': 'Always', 'unless-stopped': 'Always',
                     'on-failure': 'OnFailure', 'no': 'Never'}


def capsule_pod(capsule, init_containers: Sequence, containers: Sequence,
                around: pod.Surroundings,
                settings: pod.Settings = pod.Settings()) -> dict:
    """The manifest of a capsule's Pod.

    :param capsule: an object with the fields of
        :class:`zun.objects.Capsule`.
    :param init_containers: run one after another before the others.
    :raises Invalid: as :func:`zun.container.k8s.pod.container_pod`.
    """
    manifest = pod.frame(capsule, around, settings, KIND)
    spec = manifest['spec']
    policy = (capsule.restart_policy or {}).get('Name') or 'always'
    spec['restartPolicy'] = _RESTART_POLICIES.get(policy, 'Always')
    spec['containers'] = [
        pod.container_spec(member, member_name(member), around, settings)
        for member in containers]
    if init_containers:
        # A probe would hold the Pod in its init phase for ever.
        spec['initContainers'] = [
            _without_probe(pod.container_spec(
                member, member_name(member), around, settings))
            for member in init_containers]
    return manifest


def member_name(member) -> str:
    """Name in the Pod of a capsule's container."""
    return member.uuid


def member_id(capsule_pod_name: str, member) -> str:
    """``container_id`` of a capsule's container."""
    return names.container_id(capsule_pod_name, member_name(member))


def _without_probe(spec):
    spec.pop('readinessProbe', None)
    return spec
