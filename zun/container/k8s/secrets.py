# SPDX-License-Identifier: Apache-2.0
"""Secrets of a container: credentials of a registry, contents of files.

A Secret belongs to the container's Pods, of all generations: the cluster
removes it when the last of them goes.
"""

import base64
import json

from zun.container.k8s import names

_DOCKER_HUB = 'https://index.docker.io/v1/'
_DOCKER_HUB_NAMES = ('', 'docker.io', 'index.docker.io',
                     'registry-1.docker.io')


def registry_name(uuid: str) -> str:
    return 'zun-%s-registry' % uuid


def file_name(uuid: str, key: str) -> str:
    return 'zun-%s-file-%s' % (uuid, key)


def registry_secret(pod: dict, uuid: str, server: str, username: str,
                    password: str) -> dict:
    """A ``dockerconfigjson`` Secret.

    :param pod: the Pod that owns it, as the API server gave it.
    :param uuid: of the container.
    :param server: host and port of the registry; empty is Docker Hub.
    """
    if server in _DOCKER_HUB_NAMES:
        server = _DOCKER_HUB
    auth = base64.b64encode(
        ('%s:%s' % (username, password)).encode()).decode()
    config = {'auths': {server: {
        'username': username, 'password': password, 'auth': auth}}}
    secret = _secret(pod, registry_name(uuid),
                     {'.dockerconfigjson': json.dumps(config).encode()})
    secret['type'] = 'kubernetes.io/dockerconfigjson'
    return secret


def file_secret(pod: dict, uuid: str, key: str, contents: bytes) -> dict:
    """A Secret with one file."""
    return _secret(pod, file_name(uuid, key), {key: contents})


def owner(pod: dict) -> dict:
    """The owner reference to a Pod."""
    meta = pod['metadata']
    return {'apiVersion': 'v1', 'kind': 'Pod', 'name': meta['name'],
            'uid': meta['uid']}


def used_by(pod: dict) -> list[str]:
    """Names of the Secrets that a Pod refers to."""
    spec = pod['spec']
    return [item['name'] for item in spec.get('imagePullSecrets') or ()] + [
        volume['secret']['secretName']
        for volume in spec.get('volumes') or () if 'secret' in volume]


def _secret(pod, name, data):
    labels = {key: value for key, value in names.labels_of(pod).items()
              if key in (names.MANAGED, names.CONTAINER)}
    return {
        'apiVersion': 'v1', 'kind': 'Secret',
        'metadata': {
            'name': name, 'namespace': pod['metadata']['namespace'],
            'labels': labels, 'ownerReferences': [owner(pod)]},
        'data': {key: base64.b64encode(value).decode()
                 for key, value in data.items()}}
