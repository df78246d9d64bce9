# SPDX-License-Identifier: Apache-2.0
"""Label and field selectors."""

import re
from typing import Any
from typing import Callable

from zun.standalone.cluster import errors

Predicate = Callable[[dict[str, Any]], bool]

_SET = re.compile(r'^(?P<key>[^\s!=,()]+)\s+(?P<op>in|notin)\s*'
                  r'\((?P<values>[^()]*)\)$')
_EQUAL = re.compile(r'^(?P<key>[^\s!=,()]+)\s*(?P<op>==|=|!=)\s*'
                    r'(?P<value>[^\s!=,()]*)$')
_EXISTS = re.compile(r'^(?P<not>!?)\s*(?P<key>[^\s!=,()]+)$')

#: Fields that each kind can be selected by (as the API server offers).
FIELDS = {
    'Pod': ('spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName',
            'spec.serviceAccountName', 'spec.hostNetwork', 'status.phase',
            'status.podIP', 'status.nominatedNodeName'),
    'Node': ('spec.unschedulable',),
    'Namespace': ('status.phase',),
    'Secret': ('type',),
    'Event': ('involvedObject.kind', 'involvedObject.namespace',
              'involvedObject.name', 'involvedObject.uid',
              'involvedObject.apiVersion', 'involvedObject.resourceVersion',
              'involvedObject.fieldPath', 'reason', 'reportingComponent',
              'source', 'type'),
}
_COMMON_FIELDS = ('metadata.name', 'metadata.namespace')


def labels(text: str) -> Predicate:
    """A test of an object's labels, from e.g. ``a=b,c in (d,e),!f``.

    :raises ApiError: 400 for text that cannot be parsed.
    """
    tests = [_requirement(part) for part in _split(text)]

    def matches(obj: dict[str, Any]) -> bool:
        have = obj['metadata'].get('labels') or {}
        return all(test(have) for test in tests)
    return matches


def fields(text: str, kind: str) -> Predicate:
    """A test of an object's fields, from e.g. ``status.phase!=Running``.

    :raises ApiError: 400 for a field that ``kind`` cannot be selected by.
    """
    known = _COMMON_FIELDS + FIELDS.get(kind, ())
    tests = []
    for part in filter(None, (p.strip() for p in text.split(','))):
        found = re.match(r'^([^!=]+)(==|=|!=)(.*)$', part)
        if not found:
            raise errors.bad_request(
                'invalid selector: \'%s\'; can\'t understand \'%s\'' % (
                    text, part))
        path, op, value = found.groups()
        if path not in known:
            raise errors.bad_request('field label not supported: %s' % path)
        tests.append((path.split('.'), op != '!=', value))

    def matches(obj: dict[str, Any]) -> bool:
        return all((_field(obj, path) == value) is wanted
                   for path, wanted, value in tests)
    return matches


def expression(have: dict[str, str], term: dict[str, Any]) -> bool:
    """One ``matchExpressions`` or ``matchFields`` entry."""
    value = have.get(term['key'])
    wanted = term.get('values') or []
    operator = term['operator']
    if operator == 'In':
        return value in wanted
    if operator == 'NotIn':
        return value not in wanted
    if operator == 'Exists':
        return value is not None
    if operator == 'DoesNotExist':
        return value is None
    if value is None or not re.fullmatch(r'-?\d+', value):
        return False
    if operator == 'Gt':
        return int(value) > int(wanted[0])
    return int(value) < int(wanted[0])


def _field(obj: Any, path: list[str]) -> str:
    for step in path:
        obj = obj.get(step) if isinstance(obj, dict) else None
    if obj is None:
        return ''
    if isinstance(obj, bool):
        return str(obj).lower()
    return str(obj)


def _split(text: str) -> list[str]:
    parts, depth, current = [], 0, ''
    for char in text:
        depth += (char == '(') - (char == ')')
        if char == ',' and depth == 0:
            parts.append(current)
            current = ''
        else:
            current += char
    parts.append(current)
    return [part.strip() for part in parts if part.strip()]


def _requirement(part: str) -> Callable[[dict[str, str]], bool]:
    found = _SET.match(part)
    if found:
        key = found['key']
        values = {v.strip() for v in found['values'].split(',')}
        if found['op'] == 'in':
            return lambda have: have.get(key) in values
        return lambda have: have.get(key) not in values
    found = _EQUAL.match(part)
    if found:
        key, value = found['key'], found['value']
        if found['op'] == '!=':
            return lambda have: have.get(key) != value
        return lambda have: have.get(key) == value
    found = _EXISTS.match(part)
    if found:
        key = found['key']
        if found['not']:
            return lambda have: key not in have
        return lambda have: key in have
    raise errors.bad_request(
        'unable to parse requirement: %s' % part)
