# SPDX-License-Identifier: Apache-2.0
"""Containers and Pods as plain values."""

import copy
import json
import lzma
import pathlib
import types

import zun

UUID = '11111111-2222-4333-8444-555555555555'
MEMBER = '22222222-2222-4333-8444-555555555555'
PROJECT = 'p' * 32
NAMESPACE = 'zun-' + PROJECT
POD = 'zun-%s-1' % UUID

_HERE = pathlib.Path(__file__).parent
_CONTRACT = pathlib.Path(zun.__file__).parent / 'tests' / 'contract' / 'data'


def container(**fields) -> types.SimpleNamespace:
    """A row of a container, as far as Pods are made from it."""
    row = {
        'uuid': UUID, 'project_id': PROJECT, 'image': 'busybox:1',
        'image_pull_policy': None, 'command': None, 'entrypoint': None,
        'environment': None, 'labels': None, 'annotations': None,
        'workdir': None, 'hostname': None, 'runtime': None, 'host': None,
        'interactive': False, 'tty': False, 'privileged': False,
        'exposed_ports': None, 'healthcheck': None, 'cpu': None,
        'memory': None, 'disk': None, 'cpu_policy': 'shared',
        'restart_policy': None, 'status': 'Running', 'task_state': None,
        'status_detail': None, 'container_id': POD, 'name': 'box',
        'registry': None}
    row.update(fields)
    return types.SimpleNamespace(**row)


def pod(status=None, **fields) -> dict:
    """A Pod of :func:`container` as the API server gives it."""
    found = {
        'apiVersion': 'v1', 'kind': 'Pod',
        'metadata': {
            'name': POD, 'namespace': NAMESPACE, 'uid': 'u1',
            'resourceVersion': '7',
            'labels': {'zun.openstack.org/managed': 'true',
                       'zun.openstack.org/container': UUID,
                       'zun.openstack.org/generation': '1'},
            'annotations': {}},
        'spec': {'nodeName': 'node-1', 'containers': [
            {'name': 'main', 'image': 'busybox:1',
             'imagePullPolicy': 'Always'}]},
        'status': status or {'phase': 'Pending'}}
    for key, value in fields.items():
        found[key].update(value)
    return found


def running(**fields) -> dict:
    return pod({'phase': 'Running', 'containerStatuses': [{
        'name': 'main', 'ready': True, 'restartCount': 0,
        'state': {'running': {'startedAt': '2026-01-02T03:00:00Z'}}}]},
        **fields)


def ended(code: int = 0, **fields) -> dict:
    return pod({'phase': 'Failed' if code else 'Succeeded',
                'containerStatuses': [{
                    'name': 'main', 'ready': False, 'restartCount': 0,
                    'state': {'terminated': {
                        'exitCode': code,
                        'reason': 'Error' if code else 'Completed',
                        'startedAt': '2026-01-02T03:00:00Z',
                        'finishedAt': '2026-01-02T03:00:09Z'}}}]}, **fields)


def gated(**fields) -> dict:
    found = pod({'phase': 'Pending', 'conditions': [{
        'type': 'PodScheduled', 'status': 'False',
        'reason': 'SchedulingGated'}]}, **fields)
    found['spec']['schedulingGates'] = [{'name': 'zun.openstack.org/start'}]
    del found['spec']['nodeName']
    return found


def vectors(name: str) -> list[dict]:
    """Cases of a file beside this one."""
    return json.loads((_HERE / 'vectors' / (name + '.json')).read_text())


def contract_vectors(name: str) -> list[dict]:
    """Cases recorded of the reference."""
    path = _CONTRACT / 'vectors' / (name + '.json.xz')
    with lzma.open(path) as file:
        return json.load(file)['cases']


def merged(document: dict, patch: dict) -> dict:
    """A JSON merge patch applied."""
    result = copy.deepcopy(document)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            result[key] = merged(result.get(key) or {}, value)
        else:
            result[key] = value
    return result
