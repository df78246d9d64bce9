# SPDX-License-Identifier: Apache-2.0
"""Mounts of a container as volumes of its Pod."""

from collections.abc import Sequence

from zun.container import driver
from zun.container.k8s import pod
from zun.container.k8s import secrets


def pod_mounts(uuid: str, mounts: Sequence[driver.Mount]
               ) -> list[pod.Mount]:
    """Volumes and where they are mounted, in the order of the mounts.

    :param uuid: of the container.
    """
    return [_of_file(uuid, mount) if mount.contents is not None
            else _of_claim(mount) for mount in mounts]


def mounts_of(manifest: dict) -> dict[str, list[pod.Mount]]:
    """The mounts that a Pod has, by name of its containers."""
    spec = manifest['spec']
    volumes = {volume['name']: volume
               for volume in spec.get('volumes') or ()}
    containers = spec['containers'] + spec.get('initContainers', [])
    return {container['name']: [
        pod.Mount(volumes[mount['name']], mount)
        for mount in container.get('volumeMounts') or ()
        if mount['name'] in volumes] for container in containers}


def _of_file(uuid, mount):
    """One Secret volume a file, mounted as that file.

    Other files of its directory stay visible.
    """
    name = 'file-' + mount.key
    return pod.Mount(
        {'name': name, 'secret': {
            'secretName': secrets.file_name(uuid, mount.key),
            'defaultMode': 0o644}},
        {'name': name, 'mountPath': mount.path, 'subPath': mount.key})


def _of_claim(mount):
    name = 'volume-' + mount.key
    return pod.Mount(
        {'name': name,
         'persistentVolumeClaim': {'claimName': mount.claim}},
        {'name': name, 'mountPath': mount.path})
