# SPDX-License-Identifier: Apache-2.0
"""Random requests, made from the OpenAPI document.

Most of a request fits the document, so that it gets past the first check;
the rest is what no client should send.
"""

import json
import re
from typing import Any
from typing import NamedTuple
from urllib import parse

from hypothesis import strategies as st

from zun.tests.functional.fuzz import rows

JSON = 'application/json'

ODD_TEXTS = (
    '', ' ', 'a', 'None', 'null', 'true', '-1', '0', '1e309', '9' * 40,
    '\x00', 'a\x00b', '\n', 'x\n', 'é', '\u202e', '\ud800', '%s%n', '{}',
    '[]', '../..', "'", '"', '\\', 'a' * 300, 'A:B@c', '--', '١٢',
    '5_0', ' 5', '1.5', '0x10', 'NaN', 'infinity')

# Texts that some schema asks for.
TEXTS = ('nginx', 'nginx:1.27', '1', '64', '512', '80', '/data', 'a' * 64,
         '2026-01-02 03:04:05,678', '10.0.0.9', 'fe80::1')

ODD_NUMBERS = (
    0, -1, 1, 2 ** 31, 2 ** 63 - 1, 2 ** 63, -2 ** 63 - 1, 10 ** 60, 0.1,
    -0.5, 1e308, float('nan'), float('inf'), float('-inf'))

ODD_BYTES = (b'', b'{', b'null', b'[]', b'"x"', b'5', b'\xff\xfe', b'\x00',
             b'{"a": 1', b'{"a": "\xff"}', b'{"a": 1, "a": 2}',
             b'[' * 20000, b'{"a":' * 5000, b'a=b&c=d', b' ' * 5000)

VERSIONS = (
    'container 1.1', 'container 1.40', 'container latest', None,
    'container 1.41', 'container 0.9', 'container 2.0', 'container',
    'compute 1.1', '1.1', '', 'container 1', 'container 1.', 'container a.b',
    'container -1.-1', 'container 1.' + '9' * 30, 'latest', 'x latest',
    'container 1.1, container 1.2', 'container 1.1 1.2', '\xff', 'a' * 5000)

CONTENT_TYPES = (
    JSON, JSON + '; charset=utf-8', None, '', 'text/plain',
    'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x',
    JSON + '; charset=utf-16', 'APPLICATION/JSON', '\xff', ';')

ACCEPTS = (None, '*/*', JSON, 'text/html', 'x', '', 'application/xml;q=0.1',
           '*/*;q=0', '\xff')


class Request(NamedTuple):
    """A request as a server would pass it on.

    ``path`` is quoted, ``query`` too; ``headers`` are as WSGI has them.
    """

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes


odd_texts = st.one_of(st.sampled_from(ODD_TEXTS), st.text(max_size=12))

scalars = st.one_of(
    st.none(), st.booleans(), st.sampled_from(ODD_NUMBERS), odd_texts)

junk = st.recursive(scalars, lambda inner: st.one_of(
    st.lists(inner, max_size=3),
    st.dictionaries(odd_texts, inner, max_size=3)), max_leaves=6)


def _deep(depth: int, kind: str) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value] if kind == 'list' else {'a': value}
    return value


# Nesting below what the standard library encodes.
deep = st.builds(_deep, st.sampled_from((50, 400)),
                 st.sampled_from(('list', 'dict')))


def _seldom(draw, one_in: int) -> bool:
    return draw(st.integers(0, one_in - 1)) == 0


class Like:
    """Values that fit a schema, but for a place here and there.

    :param components: schemas that references name
    :param care: one in how many places is wrong; 0: none
    """

    def __init__(self, draw, components: dict, care: int) -> None:
        self.draw = draw
        self.components = components
        self.care = care

    def _wrong(self) -> bool:
        return bool(self.care) and _seldom(self.draw, self.care)

    def value(self, schema: dict) -> Any:
        """A value for a schema."""
        if '$ref' in schema:
            schema = self.components[schema['$ref'].rpartition('/')[2]]
        if self._wrong():
            return self.draw(st.one_of(junk, deep))
        for key in ('anyOf', 'oneOf'):
            if key in schema and 'properties' not in schema:
                return self.value(self.draw(st.sampled_from(schema[key])))
        if 'enum' in schema:
            return self.draw(st.sampled_from(schema['enum']))
        return getattr(self, '_' + self._kind(schema))(schema)

    def _kind(self, schema: dict) -> str:
        kinds = schema.get('type', 'string')
        if isinstance(kinds, str):
            return kinds
        if 'object' in kinds and not self._wrong():
            return 'object'
        return self.draw(st.sampled_from(kinds))

    def _object(self, schema: dict) -> dict:
        properties = schema.get('properties') or {
            '80/tcp': {'type': 'object'}, 'app': {'type': 'string'}}
        required = set(schema.get('required', ()))
        for part in schema.get('allOf', ()):
            required.update(part.get('required', ()))
        value = {}
        for name, part in properties.items():
            if self._wrong() if name in required else \
                    not _seldom(self.draw, 4):
                continue
            value[name] = self.value(part)
        if self._wrong():
            value[self.draw(odd_texts)] = self.draw(junk)
        return value

    def _array(self, schema: dict) -> list:
        size = self.draw(st.integers(0 if self._wrong() else 1, 3))
        return [self.value(schema.get('items', {})) for _ in range(size)]

    def _string(self, schema: dict) -> str:
        if self._wrong():
            return self.draw(odd_texts)
        pattern = re.compile(schema.get('pattern', ''))
        low, high = schema.get('minLength', 0), schema.get('maxLength', 255)
        fitting = [text for text in rows.NAMES + rows.UUIDS + TEXTS
                   if low <= len(text) <= high and pattern.search(text)]
        return self.draw(st.sampled_from(fitting or list(TEXTS)))

    def _number(self, schema: dict) -> Any:
        if self._wrong():
            return self.draw(st.sampled_from(ODD_NUMBERS))
        low = int(schema.get('minimum', 0)) or 1
        return self.draw(st.integers(low, low + 10))

    _integer = _number

    def _boolean(self, schema: dict) -> bool:
        return self.draw(st.booleans())

    def _null(self, schema: dict) -> None:
        return None


# -- parts of a request ----------------------------------------------------
def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def _quote(draw, text: str) -> str:
    if _seldom(draw, 30):
        return draw(st.sampled_from(('%ff', '%00', '%', '%zz', '%2F', '%25',
                                     '+', '%C3%A9')))
    return parse.quote(text.encode('utf-8', 'surrogatepass'), safe='')


@st.composite
def paths(draw, template: str) -> str:
    """A path of a route: its parts known names, mostly."""
    parts = []
    for part in template.split('/'):
        if part.startswith('{'):
            name = draw(st.sampled_from(rows.IDENTS[part[1:-1]]))
            if _seldom(draw, 8):
                name = draw(st.one_of(st.sampled_from(
                    rows.NAMES + rows.UUIDS), odd_texts))
            part = _quote(draw, name)
        parts.append(part)
    path = '/'.join(parts)
    if _seldom(draw, 20):
        path += draw(st.sampled_from(('/', '//', '.json', '.xml', '/x',
                                      '/start', '/..', '%00')))
    if _seldom(draw, 40):
        path = draw(st.sampled_from((
            path.removeprefix('/v1'), '/' + path, '/v2' + path, '',
            path.upper())))
    return path


@st.composite
def queries(draw, parameters: list[dict], values: Like) -> str:
    """A query: parameters of the operation, repeated or odd ones."""
    pairs = []
    for parameter in parameters:
        if not (parameter.get('required') or _seldom(draw, 3)):
            continue
        if parameter.get('required') and _seldom(draw, 15):
            continue
        for _ in range(2 if _seldom(draw, 12) else 1):
            value = values.value(parameter.get('schema', {}))
            pairs.append('%s=%s' % (parse.quote(parameter['name']),
                                    _quote(draw, _as_text(value))))
    if _seldom(draw, 8):
        pairs.append(draw(st.sampled_from((
            'x=1', '=', '&', 'limit=1&limit=2', 'sort_key=id&sort_key=name',
            'marker=%ff', '%ff=%00', 'a', 'self=1', 'context=1', 'args=1',
            'kwargs=1', 'resource_url=x', 'sort_key=' + 'a' * 3000,
            'sort_key=pci_devices', 'sort_key=exec_instances',
            'sort_key=metadata', 'sort_key=%C3%A9', 'fields=uuid',
            'all_projects=1', 'all_projects=x'))))
    return '&'.join(pairs)


@st.composite
def bodies(draw, operation: dict, values: Like) -> bytes:
    """A body: JSON that fits, or bytes that do not."""
    content = operation.get('requestBody', {}).get('content', {})
    if _seldom(draw, 12) or (not content and not _seldom(draw, 4)):
        return draw(st.sampled_from(ODD_BYTES)) if _seldom(draw, 2) else b''
    if not content:
        value = draw(junk)
    else:
        value = values.value(content[JSON]['schema'])
    return json.dumps(value).encode()


def _pairs(document: dict) -> list[tuple[str, str]]:
    """Paths and methods; those with a body more often."""
    return [(path, method)
            for path, operations in sorted(document['paths'].items())
            for method, operation in sorted(operations.items())
            for _ in range(4 if 'requestBody' in operation else 1)]


@st.composite
def requests(draw, document: dict) -> Request:
    """A request for one of the operations of a document."""
    template, method = draw(st.sampled_from(_pairs(document)))
    operation = document['paths'][template][method]
    values = Like(draw, document['components']['schemas'],
                  draw(st.sampled_from((0, 100, 30, 10))))
    parameters = [parameter for parameter in
                  operation.get('parameters', ())
                  if parameter.get('in') == 'query']
    if _seldom(draw, 30):
        method = draw(st.sampled_from(('get', 'put', 'post', 'patch',
                                       'delete', 'head', 'options', 'x')))
    body = draw(bodies(operation, values))
    return Request(method.upper(), draw(paths(template)),
                   draw(queries(parameters, values)),
                   draw(_headers(operation)), body)


@st.composite
def _headers(draw, operation: dict) -> dict[str, str]:
    limits = operation.get('x-openstack', {})
    version = 'container ' + limits.get('max-ver', '1.40')
    if not _seldom(draw, 8):
        headers = {'OpenStack-API-Version': version}
    else:
        headers = {'OpenStack-API-Version': draw(st.one_of(
            st.sampled_from(VERSIONS), st.builds(
                'container 1.{}'.format, st.integers(1, 40))))}
    headers['Content-Type'] = draw(st.sampled_from(CONTENT_TYPES)) \
        if _seldom(draw, 10) else JSON
    headers['Accept'] = draw(st.sampled_from(ACCEPTS)) \
        if _seldom(draw, 15) else None
    headers.update(draw(st.sampled_from(rows.IDENTITIES)))
    return {name: value for name, value in headers.items()
            if value is not None}
