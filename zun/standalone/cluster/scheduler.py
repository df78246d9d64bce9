# SPDX-License-Identifier: Apache-2.0
"""Which node a Pod may run on: the scheduler's filters, pure functions."""

import collections
from typing import Any

from zun.standalone.cluster import admission
from zun.standalone.cluster import quantity
from zun.standalone.cluster import selectors

_RESOURCES = ('cpu', 'memory', 'ephemeral-storage')


def requests(spec: dict[str, Any]) -> dict[str, int]:
    """What a Pod asks for: cpu in thousandths, the others in bytes.

    The sum of its containers, or its largest init container.
    """
    total: dict[str, int] = {}
    for key in _RESOURCES:
        main = sum(_request(c, key) for c in spec.get('containers') or [])
        init = max((_request(c, key)
                    for c in spec.get('initContainers') or []), default=0)
        total[key] = max(main, init)
    return total


def _request(container: dict[str, Any], key: str) -> int:
    wanted = (container.get('resources') or {}).get('requests') or {}
    value = wanted.get(key, 0)
    return quantity.milli(value) if key == 'cpu' else quantity.whole(value)


def free(node: dict[str, Any], pods: list[dict[str, Any]]) -> dict[str, int]:
    """What a node has left beside the given Pods that run on it."""
    have = node['status']['allocatable']
    left = {key: (quantity.milli if key == 'cpu' else quantity.whole)(
        have.get(key, 0)) for key in _RESOURCES}
    left['pods'] = int(have.get('pods', 110))
    for pod in pods:
        if pod['status'].get('phase') in ('Succeeded', 'Failed'):
            continue
        left['pods'] -= 1
        for key, value in requests(pod['spec']).items():
            left[key] -= value
    return left


def place(pod: dict[str, Any], nodes: list[dict[str, Any]],
          pods: list[dict[str, Any]]) -> tuple[str, str]:
    """Choose a node for ``pod``.

    :param pods: all Pods of the cluster.
    :returns: (node's name, '') or ('', why there is none).
    """
    reasons: collections.Counter[str] = collections.Counter()
    best, most = '', -1
    for node in nodes:
        name = node['metadata']['name']
        there = [p for p in pods if p['spec'].get('nodeName') == name]
        left = free(node, there)
        refused = refusals(pod['spec'], node, left)
        if refused:
            reasons.update(refused)
        elif left['memory'] > most:
            best, most = name, left['memory']
    if best:
        return best, ''
    if not nodes:
        return '', 'no nodes available to schedule pods'
    texts = sorted('%d %s' % (count, text)
                   for text, count in reasons.items())
    return '', ('0/%d nodes are available: %s. no new claims to deallocate, '
                'preemption: 0/%d nodes are available: %d Preemption is not '
                'helpful for scheduling.' % (len(nodes), ', '.join(texts),
                                             len(nodes), len(nodes)))


def refusals(spec: dict[str, Any], node: dict[str, Any],
             left: dict[str, int]) -> list[str]:
    """Why a node cannot take a Pod; the first kind of reason only."""
    if node['spec'].get('unschedulable') and not _tolerated(
            spec, {'key': 'node.kubernetes.io/unschedulable',
                   'effect': 'NoSchedule'}):
        return ['node(s) were unschedulable']
    if not _affine(spec, node):
        return ["node(s) didn't satisfy plugin(s) [NodeAffinity]"]
    for taint in node['spec'].get('taints') or []:
        if taint['effect'] != 'PreferNoSchedule' and not _tolerated(
                spec, taint):
            return ['node(s) had untolerated taint(s)']
    wanted = requests(spec)
    short = ['Insufficient %s' % key for key in _RESOURCES
             if wanted[key] > max(left[key], 0)]
    if left['pods'] < 1:
        short.append('Too many pods')
    return short


def _tolerated(spec: dict[str, Any], taint: dict[str, Any]) -> bool:
    for item in spec.get('tolerations') or []:
        if item.get('effect') not in (None, '', taint['effect']):
            continue
        if item.get('key') not in (None, '', taint['key']):
            continue
        if item.get('operator', 'Equal') == 'Exists' or (
                item.get('value', '') == taint.get('value', '')):
            return True
    return False


def _affine(spec: dict[str, Any], node: dict[str, Any]) -> bool:
    labels = node['metadata'].get('labels') or {}
    for key, value in (spec.get('nodeSelector') or {}).items():
        if labels.get(key) != value:
            return False
    required = ((spec.get('affinity') or {}).get('nodeAffinity') or {}).get(
        'requiredDuringSchedulingIgnoredDuringExecution')
    return required is None or matches_terms(required, node)


def matches_terms(selector: dict[str, Any], node: dict[str, Any]) -> bool:
    """A NodeSelector: one of its terms holds for the node."""
    labels = node['metadata'].get('labels') or {}
    fields = {'metadata.name': node['metadata']['name']}
    return any(
        all(selectors.expression(labels, e)
            for e in term.get('matchExpressions') or []) and
        all(selectors.expression(fields, e)
            for e in term.get('matchFields') or [])
        for term in selector.get('nodeSelectorTerms') or []
        if term.get('matchExpressions') or term.get('matchFields'))


def resized(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether two Pod specs ask for different resources."""
    return [c.get('resources') for c in admission.all_containers(old)] != [
        c.get('resources') for c in admission.all_containers(new)]
