# SPDX-License-Identifier: Apache-2.0
"""An API server in memory, as far as the driver can tell."""

import copy
import itertools
from unittest import mock

import fixtures

from zun.common.k8s import client
from zun.common.k8s import errors
from zun.common.k8s import watch
from zun.tests.unit.container.k8s import fakes


class FakeCluster(fixtures.Fixture):
    """Stands in for :class:`zun.common.k8s.client.Cluster`.

    :ivar calls: (verb, plural, name) of each request.
    :ivar faults: (verb, plural) to errors that its next calls raise; None
        is a call that works.
    :ivar happening: called one by one while somebody waits for an object.
    """

    def __init__(self):
        super().__init__()
        self.objects = {}
        self.calls = []
        self.faults = {}
        self.happening = []
        self.deletions = []
        self.patches = []
        self._numbers = itertools.count(1)

    def _setUp(self):
        self.useFixture(fixtures.MockPatchObject(
            watch, 'wait_for', self._wait_for))

    # -- for tests -------------------------------------------------------
    def put(self, resource: client.Resource, found: dict) -> dict:
        meta = found['metadata']
        found = copy.deepcopy(found)
        found['metadata'].setdefault('uid', 'u%d' % next(self._numbers))
        self._store(resource, meta['name'], meta.get('namespace'), found)
        return found

    def put_project(self, **labels) -> None:
        """Make the namespace of the project of the fakes."""
        self.put(client.NAMESPACES, {'metadata': {
            'name': fakes.NAMESPACE, 'labels': labels}})

    def names(self, resource: client.Resource) -> list[str]:
        return sorted(name for plural, __, name in self.objects
                      if plural == resource.plural)

    def take_away(self, resource, name, namespace=None) -> None:
        del self.objects[resource.plural, namespace, name]

    def count(self, verb, resource) -> int:
        return sum(call[:2] == (verb, resource.plural)
                   for call in self.calls)

    # -- as the real one -------------------------------------------------
    def get(self, resource, name, namespace=None):
        self._call('get', resource, name)
        return copy.deepcopy(self._find(resource, name, namespace))

    def find(self, resource, name, namespace=None):
        try:
            return self.get(resource, name, namespace)
        except errors.NotFound:
            return None

    def list(self, resource, namespace=None, labels=None, fields=None):
        self._call('list', resource, namespace)
        found = [copy.deepcopy(item)
                 for (plural, where, __), item in self.objects.items()
                 if plural == resource.plural and
                 namespace in (None, where) and _matches(item, labels)]
        return found, str(next(self._numbers))

    def create(self, resource, body, namespace=None):
        name = body['metadata']['name']
        self._call('create', resource, name)
        if namespace and (client.NAMESPACES.plural, None,
                          namespace) not in self.objects:
            raise errors.NotFound('no namespace', status=404)
        if (resource.plural, namespace, name) in self.objects:
            raise errors.AlreadyExists('taken', status=409)
        body = copy.deepcopy(body)
        if resource is client.PODS:
            body['status'] = {'phase': 'Pending'}
        return copy.deepcopy(self.put(resource, body))

    def replace(self, resource, name, body, namespace=None):
        self._call('replace', resource, name)
        found = self._find(resource, name, namespace)
        if body['metadata']['resourceVersion'] != (
                found['metadata']['resourceVersion']):
            raise errors.Conflict('changed', status=409)
        return copy.deepcopy(self._store(resource, name, namespace,
                                         copy.deepcopy(body)))

    def patch(self, resource, name, body, namespace=None, *,
              content_type=client.MERGE_PATCH, subresource=None):
        self._call('patch', resource, name)
        found = self._find(resource, name, namespace)
        uid = body.get('metadata', {}).get('uid')
        if uid and uid != found['metadata']['uid']:
            raise errors.Conflict('another one', status=409)
        self.patches.append((name, subresource, body))
        return copy.deepcopy(self._store(
            resource, name, namespace, fakes.merged(found, body)))

    def delete(self, resource, name, namespace=None, *, grace=None,
               uid=None, version=None):
        self._call('delete', resource, name)
        found = self._find(resource, name, namespace)
        meta = found['metadata']
        if (uid or meta['uid'], version or meta['resourceVersion']) != (
                meta['uid'], meta['resourceVersion']):
            raise errors.Conflict('precondition', status=409)
        self.deletions.append((name, grace))
        on_node = resource is client.PODS and found['spec'].get(
            'nodeName') and found['status'].get('phase') == 'Running'
        if on_node and grace != 0:
            meta.update(deletionTimestamp='2026-01-02T03:04:05Z',
                        deletionGracePeriodSeconds=grace or 10)
            return copy.deepcopy(found)
        self.take_away(resource, name, namespace)
        return copy.deepcopy(found)

    def _call(self, verb, resource, name):
        self.calls.append((verb, resource.plural, name))
        faults = self.faults.get((verb, resource.plural))
        if faults:
            fault = faults.pop(0)
            if fault is not None:
                raise fault

    def _find(self, resource, name, namespace):
        try:
            return self.objects[resource.plural, namespace, name]
        except KeyError:
            raise errors.NotFound('no such', status=404)

    def _store(self, resource, name, namespace, found):
        found['metadata']['resourceVersion'] = str(next(self._numbers))
        self.objects[resource.plural, namespace, name] = found
        return found

    def _wait_for(self, cluster, resource, name, namespace, condition,
                  timeout, known=None):
        while True:
            value = condition(self.find(resource, name, namespace))
            if value or not self.happening:
                return value
            self.happening.pop(0)()


def _matches(item, labels):
    own = item['metadata'].get('labels') or {}
    return all(own.get(key) == value for key, __, value in (
        term.partition('=') for term in (labels or '').split(',') if term))


def session(output) -> mock.Mock:
    """What :func:`zun.common.k8s.stream.run` is replaced with.

    :param output: one result for all calls, or a list of them.
    """
    if isinstance(output, list):
        return mock.Mock(side_effect=output)
    return mock.Mock(return_value=output)
