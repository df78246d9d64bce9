# SPDX-License-Identifier: Apache-2.0
"""JSON patch, JSON merge patch and strategic merge patch."""

import copy
from typing import Any

import jsonpatch
import jsonpointer

from zun.standalone.cluster import errors

#: Key by which a strategic merge patch joins the items of a list, by the
#: name of the list (patchMergeKey in the Kubernetes API's documentation).
MERGE_KEYS = {
    'containers': 'name', 'initContainers': 'name',
    'ephemeralContainers': 'name', 'env': 'name', 'volumes': 'name',
    'volumeMounts': 'mountPath', 'volumeDevices': 'devicePath',
    'imagePullSecrets': 'name', 'conditions': 'type', 'addresses': 'type',
    'ownerReferences': 'uid', 'hostAliases': 'ip', 'secrets': 'name',
    'ports': 'containerPort',
}
#: Lists of plain values that a strategic merge patch adds to.
MERGED_VALUES = ('finalizers',)


def apply(obj: dict[str, Any], patch: Any, content_type: str
          ) -> dict[str, Any]:
    """A new object: ``obj`` changed by ``patch``.

    :raises ApiError: 415 for an unknown type, 422 or 400 for a patch that
        cannot be applied.
    """
    kind = content_type.split(';')[0].strip()
    if kind == 'application/json-patch+json':
        return _json_patch(obj, patch)
    if kind not in ('application/merge-patch+json',
                    'application/strategic-merge-patch+json'):
        raise errors.unsupported_media_type()
    if not isinstance(patch, dict):
        raise errors.bad_request('error decoding patch: not an object')
    if kind == 'application/merge-patch+json':
        return merge(obj, patch)
    return strategic(obj, patch)


def merge(obj: Any, patch: Any) -> Any:
    """RFC 7396."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(obj) if isinstance(obj, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


def strategic(obj: Any, patch: dict[str, Any]) -> dict[str, Any]:
    """Kubernetes' merge patch that joins lists by a key."""
    if patch.get('$patch') == 'replace':
        return {k: v for k, v in copy.deepcopy(patch).items()
                if k != '$patch'}
    result = copy.deepcopy(obj) if isinstance(obj, dict) else {}
    for key, value in patch.items():
        if key.startswith('$deleteFromPrimitiveList/'):
            name = key.partition('/')[2]
            result[name] = [v for v in result.get(name) or []
                            if v not in value]
        elif key.startswith('$'):
            continue
        elif value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            result[key] = strategic(result.get(key), value)
        elif isinstance(value, list):
            result[key] = _strategic_list(key, result.get(key) or [], value)
        else:
            result[key] = value
    return result


def _strategic_list(name: str, have: list[Any], patch: list[Any]
                    ) -> list[Any]:
    if name in MERGED_VALUES:
        return have + [v for v in patch if v not in have]
    merge_key = MERGE_KEYS.get(name)
    if merge_key is None or not all(isinstance(p, dict) for p in patch):
        return copy.deepcopy(patch)
    if any(p == {'$patch': 'replace'} for p in patch):
        return [copy.deepcopy(p) for p in patch if '$patch' not in p]
    result = list(have)
    for item in patch:
        index = next((i for i, h in enumerate(result)
                      if h.get(merge_key) == item.get(merge_key)), None)
        if item.get('$patch') == 'delete':
            if index is not None:
                del result[index]
        elif index is None:
            result.append(copy.deepcopy(item))
        else:
            result[index] = strategic(result[index], item)
    return result


def _json_patch(obj: dict[str, Any], patch: Any) -> dict[str, Any]:
    try:
        return jsonpatch.apply_patch(obj, patch)
    except (jsonpatch.JsonPatchException,
            jsonpointer.JsonPointerException, TypeError, KeyError):
        raise errors.ApiError(
            422, 'Invalid', 'the server rejected our request due to an '
            'error in our request', {}) from None
