# SPDX-License-Identifier: Apache-2.0
"""The API's verbs on stored objects; no HTTP here."""

import base64
import copy
import json
from typing import Any
from typing import Mapping

from zun.standalone.cluster import admission
from zun.standalone.cluster import controllers
from zun.standalone.cluster import errors
from zun.standalone.cluster import patches
from zun.standalone.cluster import quantity
from zun.standalone.cluster import resources
from zun.standalone.cluster import selectors
from zun.standalone.cluster import store as stores

#: Times that a patch without resourceVersion is tried on a newer object.
_NO_PRECONDITION = (None, '')


class Verbs:
    """create, get, list, update, patch, delete and subresources."""

    def __init__(self, store: stores.Store,
                 control: controllers.Controllers) -> None:
        self.store = store
        self.control = control

    def create(self, resource: resources.ResourceType, namespace: str,
               body: Any, dry_run: bool = False) -> dict[str, Any]:
        """POST to a collection."""
        obj = self._object(resource, namespace, body)
        meta = obj['metadata']
        if resource.namespaced:
            home = self.store.get(resources.NAMESPACES, '', namespace)
            if home['metadata'].get('deletionTimestamp'):
                raise _terminating(resource, meta.get('name', ''), namespace)
        admission.on_create(self.store, resource, obj)
        if dry_run:
            return obj
        created = self.store.create(resource, obj)
        if resource is resources.NAMESPACES:
            self.store.create(resources.SERVICEACCOUNTS, {
                'metadata': {'name': 'default',
                             'namespace': meta['name']}})
        return created

    def select(self, resource: resources.ResourceType, namespace: str,
               query: Mapping[str, str]) -> dict[str, Any]:
        """GET of a collection, with selectors, limit and continue."""
        matches = selection(resource, query)
        items = [obj for obj in self.store.select(resource, namespace)
                 if matches(obj)]
        meta: dict[str, Any] = {'resourceVersion': str(self.store.version)}
        start = _continue(query.get('continue', ''))
        if start:
            items = [obj for obj in items if _position(obj) > start]
        limit = int(query.get('limit') or 0)
        if limit and len(items) > limit:
            meta['remainingItemCount'] = len(items) - limit
            items = items[:limit]
            meta['continue'] = base64.urlsafe_b64encode(json.dumps(
                _position(items[-1])).encode()).decode()
        bare = [{k: v for k, v in obj.items()
                 if k not in ('kind', 'apiVersion')} for obj in items]
        return {'kind': resource.kind + 'List',
                'apiVersion': resource.api_version, 'metadata': meta,
                'items': bare}

    def update(self, resource: resources.ResourceType, namespace: str,
               name: str, body: Any, subresource: str = ''
               ) -> dict[str, Any]:
        """PUT."""
        new = self._object(resource, namespace, body)
        if new['metadata'].get('name') != name:
            raise errors.bad_request(
                'the name of the object (%s) does not match the name on '
                'the URL (%s)' % (new['metadata'].get('name'), name))
        old = self.store.get(resource, namespace, name)
        uid = new['metadata'].setdefault('uid', old['metadata']['uid'])
        if uid != old['metadata']['uid']:
            raise errors.conflict(
                resource.plural, name, 'StorageError: invalid object, '
                'Code: 4, Key: /registry/%s/%s/%s, ResourceVersion: 0, '
                'AdditionalErrorMsg: Precondition failed: UID in '
                'precondition: %s, UID in object meta: %s' % (
                    resource.plural, namespace, name, uid,
                    old['metadata']['uid']), resource.group)
        return self._replace(resource, old, new, subresource)

    def patch(self, resource: resources.ResourceType, namespace: str,
              name: str, body: Any, content_type: str,
              subresource: str = '') -> dict[str, Any]:
        """PATCH; content types as in :mod:`patches`."""
        old = self.store.get(resource, namespace, name)
        new = patches.apply(old, body, content_type)
        new.setdefault('metadata', {})['namespace'] = namespace
        if not namespace:
            del new['metadata']['namespace']
        return self._replace(resource, old, new, subresource)

    def delete(self, resource: resources.ResourceType, namespace: str,
               name: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """DELETE; answers the object or a Status, as the resource does."""
        obj = self.store.get(resource, namespace, name)
        _check_preconditions(resource, obj, options.get('preconditions'))
        grace = options.get('gracePeriodSeconds')
        if grace is not None and int(grace) < 0:
            grace = 1
        left = self.control.delete(resource, obj,
                                   None if grace is None else int(grace))
        if resource.returns_object or left['metadata'].get('finalizers'):
            return left
        details = {'name': name, 'kind': resource.plural,
                   'uid': obj['metadata']['uid']}
        if resource.group:
            details['group'] = resource.group
        return {'kind': 'Status', 'apiVersion': 'v1', 'metadata': {},
                'status': 'Success', 'details': details}

    def delete_collection(self, resource: resources.ResourceType,
                          namespace: str, query: Mapping[str, str],
                          options: Mapping[str, Any]) -> dict[str, Any]:
        """DELETE of all that the selectors choose."""
        answer = self.select(resource, namespace, query)
        for item in answer['items']:
            self.delete(resource, item['metadata'].get('namespace', ''),
                        item['metadata']['name'], options)
        return answer

    def resize(self, namespace: str, name: str, new: dict[str, Any]
               ) -> dict[str, Any]:
        """Store a Pod whose resources were changed by ``pods/resize``."""
        old = self.store.get(resources.PODS, namespace, name)
        spec = copy.deepcopy(old['spec'])
        for index, container in enumerate(spec['containers']):
            wanted = next((c for c in new['spec']['containers']
                           if c['name'] == container['name']), container)
            container['resources'] = wanted.get('resources') or {}
            path = 'spec.containers[%d]' % index
            admission.check_resources(container['resources'], path, name)
            self._check_limits(old['spec']['containers'][index], container,
                               path, name)
        if admission.qos_class(spec) != old['status']['qosClass']:
            raise errors.invalid(
                'Pod', name, 'spec', 'Invalid value: "%s": Pod QOS Class '
                'may not change as a result of resizing'
                % admission.qos_class(spec))
        self._check_capacity(old, spec)
        changed = copy.deepcopy(old)
        changed['spec'] = spec
        if spec != old['spec']:
            changed['metadata']['generation'] += 1
        return self.store.update(resources.PODS, changed)

    @staticmethod
    def _check_limits(old: dict[str, Any], new: dict[str, Any], path: str,
                      name: str) -> None:
        before = (old.get('resources') or {}).get('limits') or {}
        after = new['resources'].get('limits') or {}
        for key in before:
            if key not in after:
                raise errors.invalid(
                    'Pod', name, path + '.resources.limits', 'Forbidden: '
                    'resource limits cannot be removed',
                    'FieldValueForbidden')

    def _check_capacity(self, pod: dict[str, Any], spec: dict[str, Any]
                        ) -> None:
        node = self.store.find(resources.NODES, '',
                               pod['spec'].get('nodeName', ''))
        if node is None:
            return
        for key in ('cpu', 'memory'):
            read = quantity.milli if key == 'cpu' else quantity.whole
            wanted = sum(read(((c.get('resources') or {}).get('requests') or
                               {}).get(key, 0)) for c in spec['containers'])
            have = read(node['status']['allocatable'][key])
            if wanted > have:
                raise errors.forbidden(
                    'pods', pod['metadata']['name'], "node didn't have "
                    'enough allocatable resources: %s, requested: %d, '
                    'allocatable: %d' % (key, wanted, have),
                    [{'reason': 'NodeCapacity'}])

    def _object(self, resource: resources.ResourceType, namespace: str,
                body: Any) -> dict[str, Any]:
        if not isinstance(body, dict) or not isinstance(
                body.get('metadata') or {}, dict):
            raise errors.bad_request(
                '%s in version "%s" cannot be handled as a %s: not an '
                'object' % (resource.kind, resource.version, resource.kind))
        if body.get('kind', resource.kind) != resource.kind:
            raise errors.bad_request(
                '%s in version "%s" cannot be handled as a %s: no kind '
                'match' % (body['kind'], resource.version, resource.kind))
        obj = _without_null(body)
        meta = obj.setdefault('metadata', {})
        meta.pop('managedFields', None)
        if resource.namespaced:
            if meta.get('namespace', namespace) != namespace:
                raise errors.bad_request(
                    'the namespace of the provided object does not match '
                    'the namespace sent on the request')
            meta['namespace'] = namespace
        else:
            meta.pop('namespace', None)
        obj['kind'], obj['apiVersion'] = resource.kind, resource.api_version
        return obj

    def _replace(self, resource: resources.ResourceType,
                 old: dict[str, Any], new: dict[str, Any],
                 subresource: str) -> dict[str, Any]:
        meta = old['metadata']
        version = new['metadata'].get('resourceVersion')
        if version not in (*_NO_PRECONDITION, meta['resourceVersion']):
            raise errors.conflict(
                resource.plural, meta['name'], 'the object has been '
                'modified; please apply your changes to the latest version '
                'and try again', resource.group)
        new = _without_null(new)
        if subresource == 'resize':
            return self.resize(meta['namespace'], meta['name'], new)
        if subresource == 'status':
            changed = copy.deepcopy(old)
            changed['status'] = new.get('status') or {}
        elif subresource == 'finalize':
            changed = copy.deepcopy(old)
            changed['spec'] = new.get('spec') or {}
        else:
            changed = new
            admission.on_update(self.store, resource, old, changed)
        changed['metadata']['resourceVersion'] = meta['resourceVersion']
        return self.store.update(resource, changed)


def selection(resource: resources.ResourceType, query: Mapping[str, str]
              ) -> selectors.Predicate:
    """The test that ``labelSelector`` and ``fieldSelector`` ask for."""
    by_label = selectors.labels(query.get('labelSelector', ''))
    by_field = selectors.fields(query.get('fieldSelector', ''),
                                resource.kind)
    return lambda obj: by_label(obj) and by_field(obj)


def _check_preconditions(resource: resources.ResourceType,
                         obj: dict[str, Any], wanted: Any) -> None:
    meta = obj['metadata']
    wanted = wanted or {}
    uid, version = wanted.get('uid'), wanted.get('resourceVersion')
    if uid and uid != meta['uid']:
        raise _precondition(
            resource, meta['name'], 'the UID in the precondition (%s) does '
            'not match the UID in record (%s). The object might have been '
            'deleted and then recreated' % (uid, meta['uid']))
    if version and version != meta['resourceVersion']:
        raise _precondition(
            resource, meta['name'], 'the ResourceVersion in the '
            'precondition (%s) does not match the ResourceVersion in record '
            '(%s). The object might have been modified' % (
                version, meta['resourceVersion']))


def _precondition(resource: resources.ResourceType, name: str, why: str
                  ) -> errors.ApiError:
    return errors.ApiError(
        409, 'Conflict', 'Operation cannot be fulfilled on %s "%s": %s' % (
            resource.kind, name, why),
        {'name': name, 'kind': resource.kind})


def _terminating(resource: resources.ResourceType, name: str,
                 namespace: str) -> errors.ApiError:
    return errors.forbidden(
        resource.plural, name, 'unable to create new content in namespace '
        '%s because it is being terminated' % namespace,
        [{'reason': 'NamespaceTerminating',
          'message': 'namespace %s is being terminated' % namespace,
          'field': 'metadata.namespace'}])


def _without_null(value: Any) -> Any:
    """A deep copy without null members, which the API drops."""
    if isinstance(value, dict):
        return {k: _without_null(v) for k, v in value.items()
                if v is not None}
    if isinstance(value, list):
        return [_without_null(v) for v in value]
    return value


def _position(obj: dict[str, Any]) -> list[str]:
    return [obj['metadata'].get('namespace', ''), obj['metadata']['name']]


def _continue(token: str) -> list[str]:
    if not token:
        return []
    try:
        position = json.loads(base64.urlsafe_b64decode(token))
    except ValueError:
        raise errors.bad_request('continue key is not valid') from None
    return [str(part) for part in position]
