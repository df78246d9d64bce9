# SPDX-License-Identifier: Apache-2.0
"""Defaults and checks of objects as they come in.

Only what Zun's Pods can run into is checked; messages are the API server's.
"""

import base64
import copy
import re
from typing import Any

from zun.standalone.cluster import errors
from zun.standalone.cluster import quantity
from zun.standalone.cluster import resources
from zun.standalone.cluster import store as stores

_SUBDOMAIN = re.compile(
    r'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
_LABEL_NAME = re.compile(r'[a-z0-9]([-a-z0-9]*[a-z0-9])?')
_LABEL_VALUE = re.compile(r'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')
_QUALIFIED = re.compile(r'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')

SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
    "characters, '-' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'example.com', regex used for validation is "
    "'%s')" % _SUBDOMAIN.pattern)
LABEL_RULE = (
    "a valid label must be an empty string or consist of alphanumeric "
    "characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
    "regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')")
POD_UPDATE_RULE = (
    'Forbidden: pod updates may not change fields other than '
    '`spec.containers[*].image`,`spec.initContainers[*].image`,'
    '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to '
    'existing tolerations),`spec.terminationGracePeriodSeconds` (allow it '
    'to be set to 1 if it was previously negative)')
GATED = 'Scheduling is blocked due to non-empty scheduling gates'
RESTART_POLICIES = ('Always', 'OnFailure', 'Never')


def metadata(resource: resources.ResourceType, obj: dict[str, Any]) -> None:
    """Check name, labels and annotations.

    :raises ApiError: 422.
    """
    meta = obj['metadata']
    name = str(meta.get('name') or '')
    kind = resource.kind
    if not name and not meta.get('generateName'):
        raise errors.invalid(kind, '', 'metadata.name', 'Required value: '
                             'name or generateName is required',
                             'FieldValueRequired')
    rule = _LABEL_NAME if resource is resources.NAMESPACES else _SUBDOMAIN
    limit = 63 if resource is resources.NAMESPACES else 253
    if name and not (rule.fullmatch(name) and len(name) <= limit):
        raise errors.invalid(kind, name, 'metadata.name',
                             'Invalid value: "%s": %s' % (
                                 name, SUBDOMAIN_RULE))
    for key, value in (meta.get('labels') or {}).items():
        if not (_LABEL_VALUE.fullmatch(str(value)) and
                len(str(value)) <= 63):
            raise errors.invalid(kind, name, 'metadata.labels',
                                 'Invalid value: "%s": %s' % (
                                     value, LABEL_RULE))
        _qualified(kind, name, 'metadata.labels', key)
    for key in meta.get('annotations') or {}:
        _qualified(kind, name, 'metadata.annotations', key)


def _qualified(kind: str, name: str, field: str, key: str) -> None:
    prefix, slash, rest = key.rpartition('/')
    if not (_QUALIFIED.fullmatch(rest) and len(rest) <= 63) or (
            slash and not _SUBDOMAIN.fullmatch(prefix)):
        raise errors.invalid(kind, name, field,
                             'Invalid value: "%s": name part must consist '
                             'of alphanumeric characters, \'-\', \'_\' or '
                             '\'.\'' % key)


def on_create(store: stores.Store, resource: resources.ResourceType,
              obj: dict[str, Any]) -> None:
    """Fill in defaults and check a new object, in place.

    :raises ApiError: 403 or 422.
    """
    metadata(resource, obj)
    if resource.protection:
        finalizers = obj['metadata'].setdefault('finalizers', [])
        if resource.protection not in finalizers:
            finalizers.append(resource.protection)
    step = _CREATE.get(resource)
    if step:
        step(store, obj)


def on_update(store: stores.Store, resource: resources.ResourceType,
              old: dict[str, Any], new: dict[str, Any]) -> None:
    """Check a changed object; its status is put back, in place.

    :raises ApiError: 422.
    """
    metadata(resource, new)
    if new['metadata'].get('uid') != old['metadata']['uid']:
        raise errors.invalid(
            resource.kind, old['metadata']['name'], 'metadata.uid',
            'Invalid value: "%s": field is immutable' %
            new['metadata'].get('uid'))
    for field in ('creationTimestamp', 'deletionTimestamp',
                  'deletionGracePeriodSeconds', 'generation'):
        if field in old['metadata']:
            new['metadata'][field] = old['metadata'][field]
        else:
            new['metadata'].pop(field, None)
    if 'status' in resource.subresources:
        new['status'] = old.get('status', {})
    if resource is resources.PODS:
        _pod_update(old, new)
    elif resource is resources.SECRETS:
        _secret(store, new)
    elif resource is resources.RUNTIMECLASSES and (
            new.get('handler') != old.get('handler')):
        raise errors.invalid(
            'RuntimeClass', old['metadata']['name'], 'handler',
            'Invalid value: "%s": field is immutable' % new.get('handler'))


def _namespace(_store: stores.Store, obj: dict[str, Any]) -> None:
    meta = obj['metadata']
    meta.setdefault('labels', {})['kubernetes.io/metadata.name'] = (
        meta.get('name'))
    obj['spec'] = {'finalizers': ['kubernetes']}
    obj['status'] = {'phase': 'Active'}


def _secret(_store: stores.Store, obj: dict[str, Any]) -> None:
    obj.setdefault('type', 'Opaque')
    plain = obj.pop('stringData', None) or {}
    if plain:
        obj['data'] = dict(obj.get('data') or {}, **{
            k: base64.b64encode(v.encode()).decode()
            for k, v in plain.items()})
    name = obj['metadata'].get('name', '')
    for key, value in (obj.get('data') or {}).items():
        try:
            base64.b64decode(value or '', validate=True)
        except ValueError:
            raise errors.bad_request(
                'Secret in version "v1" cannot be handled as a Secret: '
                'illegal base64 data in data.%s' % key) from None
    if obj['type'] == 'kubernetes.io/dockerconfigjson' and (
            '.dockerconfigjson' not in (obj.get('data') or {})):
        raise errors.invalid('Secret', name, 'data[.dockerconfigjson]',
                             'Required value', 'FieldValueRequired')


def _volume(_store: stores.Store, obj: dict[str, Any]) -> None:
    spec = obj.setdefault('spec', {})
    spec.setdefault('persistentVolumeReclaimPolicy', 'Retain')
    spec.setdefault('volumeMode', 'Filesystem')
    obj['status'] = {'phase': 'Pending'}
    if not (spec.get('capacity') or {}).get('storage'):
        raise errors.invalid('PersistentVolume', obj['metadata']['name'],
                             'spec.capacity', 'Required value',
                             'FieldValueRequired')
    if not spec.get('accessModes'):
        raise errors.invalid('PersistentVolume', obj['metadata']['name'],
                             'spec.accessModes', 'Required value',
                             'FieldValueRequired')


def _claim(_store: stores.Store, obj: dict[str, Any]) -> None:
    spec = obj.setdefault('spec', {})
    spec.setdefault('volumeMode', 'Filesystem')
    obj['status'] = {'phase': 'Pending'}
    asked = (spec.get('resources') or {}).get('requests') or {}
    if not asked.get('storage'):
        raise errors.invalid('PersistentVolumeClaim',
                             obj['metadata'].get('name', ''),
                             'spec.resources[storage]', 'Required value',
                             'FieldValueRequired')


def _pod(store: stores.Store, obj: dict[str, Any]) -> None:
    spec = obj.get('spec')
    if not isinstance(spec, dict):
        raise errors.bad_request(
            'Pod in version "v1" cannot be handled as a Pod: json: cannot '
            'unmarshal %s into Go struct field Pod.spec of type v1.PodSpec'
            % type(spec).__name__)
    meta = obj['metadata']
    name = meta.get('name') or ''
    meta['generation'] = 1
    _pod_defaults(spec)
    _check_pod(obj, name)
    runtime_class = spec.get('runtimeClassName')
    if runtime_class and not store.find(resources.RUNTIMECLASSES, '',
                                        runtime_class):
        raise errors.forbidden(
            'pods', name, 'pod rejected: RuntimeClass "%s" not found'
            % runtime_class)
    account = spec['serviceAccountName']
    if not store.find(resources.SERVICEACCOUNTS, meta['namespace'], account):
        raise errors.forbidden(
            'pods', name, 'error looking up service account %s/%s: '
            'serviceaccount "%s" not found' % (meta['namespace'], account,
                                               account))
    obj['status'] = {'phase': 'Pending', 'qosClass': qos_class(spec)}
    if spec.get('schedulingGates'):
        obj['status']['conditions'] = [{
            'type': 'PodScheduled', 'status': 'False',
            'reason': 'SchedulingGated', 'lastTransitionTime': stores.now(),
            'message': GATED}]


def _pod_defaults(spec: dict[str, Any]) -> None:
    for key, value in (
            ('restartPolicy', 'Always'), ('dnsPolicy', 'ClusterFirst'),
            ('terminationGracePeriodSeconds', 30), ('securityContext', {}),
            ('schedulerName', 'default-scheduler'), ('priority', 0),
            ('enableServiceLinks', True),
            ('preemptionPolicy', 'PreemptLowerPriority'),
            ('serviceAccountName', 'default')):
        spec.setdefault(key, value)
    spec['serviceAccount'] = spec['serviceAccountName']
    tolerations = spec.setdefault('tolerations', [])
    for key in ('node.kubernetes.io/not-ready',
                'node.kubernetes.io/unreachable'):
        if not any(t.get('key') in (key, None) for t in tolerations):
            tolerations.append({'key': key, 'operator': 'Exists',
                                'effect': 'NoExecute',
                                'tolerationSeconds': 300})
    for container in all_containers(spec):
        container.setdefault('terminationMessagePath',
                             '/dev/termination-log')
        container.setdefault('terminationMessagePolicy', 'File')
        limits = container.setdefault('resources', {}).get('limits') or {}
        if limits:
            container['resources'].setdefault('requests', {})
            for key, value in limits.items():
                container['resources']['requests'].setdefault(key, value)
        image = str(container.get('image') or '')
        latest = '@' not in image and (
            image.endswith(':latest') or ':' not in image.split('/')[-1])
        container.setdefault('imagePullPolicy',
                             'Always' if latest else 'IfNotPresent')


def _check_pod(obj: dict[str, Any], name: str) -> None:
    spec = obj['spec']
    if not spec.get('containers'):
        raise errors.invalid('Pod', name, 'spec.containers',
                             'Required value', 'FieldValueRequired')
    if spec['restartPolicy'] not in RESTART_POLICIES:
        raise errors.invalid(
            'Pod', name, 'spec.restartPolicy', 'Unsupported value: "%s": '
            'supported values: "Always", "OnFailure", "Never"'
            % spec['restartPolicy'], 'FieldValueNotSupported')
    seen: set[str] = set()
    volumes = {v.get('name') for v in spec.get('volumes') or []}
    for field in ('initContainers', 'containers'):
        for index, container in enumerate(spec.get(field) or []):
            path = 'spec.%s[%d]' % (field, index)
            _check_container(container, path, name, volumes, seen)
    hostname = spec.get('hostname')
    if hostname and not (_LABEL_NAME.fullmatch(hostname) and
                         len(hostname) <= 63):
        raise errors.invalid('Pod', name, 'spec.hostname',
                             'Invalid value: "%s": a lowercase RFC 1123 '
                             'label must consist of lower case alphanumeric '
                             'characters or \'-\'' % hostname)


def _check_container(container: dict[str, Any], path: str, pod: str,
                     volumes: set[Any], seen: set[str]) -> None:
    name = container.get('name') or ''
    if not name:
        raise errors.invalid('Pod', pod, path + '.name', 'Required value',
                             'FieldValueRequired')
    if not (_LABEL_NAME.fullmatch(name) and len(name) <= 63):
        raise errors.invalid('Pod', pod, path + '.name',
                             'Invalid value: "%s": a lowercase RFC 1123 '
                             'label must consist of lower case alphanumeric '
                             'characters or \'-\'' % name)
    if name in seen:
        raise errors.invalid('Pod', pod, path + '.name',
                             'Duplicate value: "%s"' % name,
                             'FieldValueDuplicate')
    seen.add(name)
    if not container.get('image'):
        raise errors.invalid('Pod', pod, path + '.image', 'Required value',
                             'FieldValueRequired')
    for index, mount in enumerate(container.get('volumeMounts') or []):
        if mount.get('name') not in volumes:
            raise errors.invalid(
                'Pod', pod, '%s.volumeMounts[%d].name' % (path, index),
                'Not found: "%s"' % mount.get('name'), 'FieldValueNotFound')
    _check_env(container, path, pod)
    check_resources(container.get('resources') or {}, path, pod)


def _check_env(container: dict[str, Any], path: str, pod: str) -> None:
    for index, env in enumerate(container.get('env') or []):
        field = '%s.env[%d].' % (path, index)
        if not env.get('name'):
            raise errors.invalid('Pod', pod, field + 'name',
                                 'Required value', 'FieldValueRequired')
        if not isinstance(env.get('value', ''), str):
            raise errors.bad_request(
                'Pod in version "v1" cannot be handled as a Pod: json: '
                'cannot unmarshal value of %s into Go struct field '
                'EnvVar.spec.containers.env.value of type string'
                % env['name'])


def check_resources(wanted: dict[str, Any], path: str, pod: str) -> None:
    """Check that quantities parse and requests are within the limits.

    :raises ApiError: 422 (400 for text that is no quantity).
    """
    parsed: dict[str, dict[str, Any]] = {}
    for part in ('requests', 'limits'):
        parsed[part] = {}
        for key, value in (wanted.get(part) or {}).items():
            try:
                parsed[part][key] = quantity.parse(value)
            except ValueError:
                raise errors.bad_request(
                    'Pod in version "v1" cannot be handled as a Pod: '
                    'quantities must match the regular expression '
                    '\'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\''
                ) from None
    for key, value in parsed['requests'].items():
        if key in parsed['limits'] and value > parsed['limits'][key]:
            raise errors.invalid(
                'Pod', pod, path + '.resources.requests',
                'Invalid value: "%s": must be less than or equal to %s '
                'limit of %s' % (wanted['requests'][key], key,
                                 wanted['limits'][key]))


def _pod_update(old: dict[str, Any], new: dict[str, Any]) -> None:
    name = old['metadata']['name']
    before, after = old['spec'], new.get('spec') or {}
    _check_deadline(name, before, after)
    allowed = copy.deepcopy(after)
    _check_gates(name, before, after)
    keys = ['activeDeadlineSeconds', 'tolerations', 'schedulingGates']
    if before.get('schedulingGates'):
        keys += ['nodeSelector', 'affinity']
    for key in keys:
        allowed.pop(key, None)
        if key in before:
            allowed[key] = before[key]
    for mine, theirs in zip(all_containers(allowed),
                            all_containers(before)):
        mine['image'] = theirs['image']
    if allowed != before:
        raise errors.invalid('Pod', name, 'spec', POD_UPDATE_RULE,
                             'FieldValueForbidden')
    if after != before:
        new['metadata']['generation'] = old['metadata'].get(
            'generation', 1) + 1


def _check_gates(name: str, before: dict[str, Any], after: dict[str, Any]
                 ) -> None:
    had = before.get('schedulingGates') or []
    for index, gate in enumerate(after.get('schedulingGates') or []):
        if gate not in had:
            raise errors.invalid(
                'Pod', name, 'spec.schedulingGates[%d].name' % index,
                'Forbidden: only deletion is allowed, but found new '
                'scheduling gate \'%s\'' % gate.get('name'),
                'FieldValueForbidden')
    if not after.get('schedulingGates'):
        after.pop('schedulingGates', None)


def _check_deadline(name: str, before: dict[str, Any],
                    after: dict[str, Any]) -> None:
    was = before.get('activeDeadlineSeconds')
    wanted = after.get('activeDeadlineSeconds')
    field = 'spec.activeDeadlineSeconds'
    if was is not None and wanted is None:
        raise errors.invalid('Pod', name, field, 'Invalid value: null: must '
                             'not update from a positive integer to nil '
                             'value')
    if wanted is not None and wanted < 0:
        raise errors.invalid('Pod', name, field, 'Invalid value: %d: must '
                             'be between 0 and 2147483647, inclusive'
                             % wanted)
    if was is not None and wanted > was:
        raise errors.invalid('Pod', name, field, 'Invalid value: %d: must '
                             'be less than or equal to previous value'
                             % wanted)


def all_containers(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Init containers, then containers."""
    return (spec.get('initContainers') or []) + (
        spec.get('containers') or [])


def qos_class(spec: dict[str, Any]) -> str:
    """Guaranteed, Burstable or BestEffort."""
    guaranteed, anything = True, False
    for container in all_containers(spec):
        wanted = container.get('resources') or {}
        limits, requests = wanted.get('limits'), wanted.get('requests')
        for key in ('cpu', 'memory'):
            limit = (limits or {}).get(key)
            request = (requests or {}).get(key)
            anything = anything or bool(limit or request)
            if not limit or quantity.parse(request or limit) != (
                    quantity.parse(limit)):
                guaranteed = False
    if not anything:
        return 'BestEffort'
    return 'Guaranteed' if guaranteed else 'Burstable'


_CREATE = {resources.NAMESPACES: _namespace, resources.SECRETS: _secret,
           resources.PVS: _volume, resources.PVCS: _claim,
           resources.PODS: _pod}
