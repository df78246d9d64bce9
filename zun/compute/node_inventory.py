# SPDX-License-Identifier: Apache-2.0
"""What a host has, from its Kubernetes Node; pure functions.

Amounts are the Node's *allocatable*: what the kubelet leaves to Pods after
its own reservations.
"""

import math
from typing import Any

from zun.compute import compute_node_tracker

MIB = 1024 ** 2
GIB = 1024 ** 3
_SUFFIXES = {'': 1, 'k': 10 ** 3, 'M': 10 ** 6, 'G': 10 ** 9, 'T': 10 ** 12,
             'P': 10 ** 15, 'Ki': 2 ** 10, 'Mi': 2 ** 20, 'Gi': 2 ** 30,
             'Ti': 2 ** 40, 'Pi': 2 ** 50}
_MACHINES = {'amd64': 'x86_64', 'arm64': 'aarch64'}


def amount(quantity: str | int) -> float:
    """A Kubernetes quantity as a number: cores or bytes.

    :raises ValueError: it is no quantity.
    """
    text = str(quantity)
    if text.endswith('m'):
        return float(text[:-1]) / 1000
    digits = text.rstrip('kKMGTPi')
    try:
        return float(digits) * _SUFFIXES[text[len(digits):]]
    except KeyError:
        raise ValueError('%r is not a quantity' % text) from None


def resources(node: dict[str, Any], runtime_classes: list[dict[str, Any]],
              pods: list[dict[str, Any]] = ()) -> (
        compute_node_tracker.HostResources):
    """What a Node offers.

    :param runtime_classes: all RuntimeClasses of the cluster; those whose
        handler the node has are its runtimes.
    :param pods: Zun's Pods on the node, for the counts of containers.
    """
    status = node['status']
    allocatable = status['allocatable']
    info = status.get('nodeInfo') or {}
    memory = int(amount(allocatable['memory']) // MIB)
    architecture = info.get('architecture')
    return compute_node_tracker.HostResources(
        cpus=math.floor(amount(allocatable['cpu'])),
        mem_total=memory, mem_available=memory,
        disk_total=int(amount(
            allocatable.get('ephemeral-storage', 0)) // GIB),
        disk_quota_supported='ephemeral-storage' in allocatable,
        architecture=_MACHINES.get(architecture, architecture),
        os_type=info.get('operatingSystem'), os=info.get('osImage'),
        kernel_version=info.get('kernelVersion'),
        labels=dict(node['metadata'].get('labels') or {}),
        runtimes=runtimes(status, runtime_classes),
        counts=counts(pods))


def runtimes(status: dict[str, Any], runtime_classes: list[dict[str, Any]]
             ) -> list[str]:
    """Names of the RuntimeClasses that a node can run, sorted.

    A node that lists no handlers (before Kubernetes 1.30) is taken to have
    them all.
    """
    handlers = {h.get('name', '')
                for h in status.get('runtimeHandlers') or []}
    return sorted(item['metadata']['name'] for item in runtime_classes
                  if not handlers or item['handler'] in handlers)


def counts(pods: list[dict[str, Any]]) -> dict[str, int]:
    """Containers by state: ``total`` and ``stopped``."""
    ended = sum(pod['status'].get('phase') in ('Succeeded', 'Failed')
                for pod in pods)
    return {'total': len(pods), 'stopped': ended}


def problem(node: dict[str, Any] | None) -> str | None:
    """Why nothing new may run on a node, or None.

    A cordoned, not ready or missing node.
    """
    if node is None:
        return 'the cluster has no such node'
    for condition in node['status'].get('conditions') or []:
        if condition['type'] == 'Ready' and condition['status'] != 'True':
            return 'the node is not ready: %s' % (
                condition.get('message') or condition.get('reason'))
    if (node.get('spec') or {}).get('unschedulable'):
        return 'the node is cordoned'
    return None
