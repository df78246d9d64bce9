# SPDX-License-Identifier: Apache-2.0
"""The description of the API for programs: an OpenAPI 3.1 document.

It is made of the route table (:mod:`zun.api.routes`), the schemas that
requests are checked with, and the keys of the views.  Write it with::

    python -m zun.api.openapi [FILE]

Operations and schemas that exist in some microversions only carry
``x-openstack``: ``min-ver`` and ``max-ver``, ends included.
"""

import copy
import inspect
import json
import sys

from zun.api import microversions
from zun.api import openapi_tables as tables
from zun.api import routes
from zun.api import validation

OPENAPI_VERSION = '3.1.0'
JSON = 'application/json'

_VERSIONS = [microversions.version(text)
             for text, _change in microversions.HISTORY]


def document() -> dict:
    """The whole document."""
    components = {'schemas': tables.schemas(),
                  'parameters': dict(tables.HEADERS),
                  'responses': {'Error': tables.ERROR_RESPONSE},
                  'securitySchemes': tables.SECURITY}
    paths: dict[str, dict] = {}
    for path, operation in tables.VERSION_DOCUMENTS.items():
        paths[path] = {'get': operation}
    for route in routes.routes():
        operation = _operation(route, components['schemas'])
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    return {
        'openapi': OPENAPI_VERSION,
        'info': {'title': 'Containers Service API',
                 'description': tables.DESCRIPTION,
                 'version': str(microversions.MAX_VERSION),
                 'license': {'name': 'Apache 2.0',
                             'identifier': 'Apache-2.0'}},
        'servers': [{'url': '/'}],
        'security': [{'token': []}],
        'paths': paths,
        'components': components,
    }


def _operation(route: routes.Route, schemas: dict) -> dict:
    first = min(handler.first for handler in route.handlers)
    last = max(handler.last for handler in route.handlers)
    operation = {
        'operationId': route.name.replace(' ', '_'),
        'summary': _summary(route),
        'tags': [route.resource],
        'parameters': _parameters(route),
        'responses': _responses(route),
    }
    operation.update(_range(first, last))
    body = _body(route, schemas)
    if body is not None:
        operation['requestBody'] = body
    return operation


def _summary(route: routes.Route) -> str:
    text = inspect.getdoc(route.handlers[-1].function) or route.name
    return text.partition('\n')[0].rstrip('.')


def _range(first, last) -> dict:
    limits = {}
    if first > microversions.MIN_VERSION:
        limits['min-ver'] = str(first)
    if last < microversions.MAX_VERSION:
        limits['max-ver'] = str(last)
    return {'x-openstack': limits} if limits else {}


# -- requests --------------------------------------------------------------
def _checks(route: routes.Route, where: str) -> list[validation.Check]:
    return [check for check in
            validation.checks(route.handlers[-1].function)
            if check.where == where]


def _parameters(route: routes.Route) -> list[dict]:
    found = [{'name': name, 'in': 'path', 'required': True,
              'schema': {'type': 'string'}} for name in route.arguments]
    query = dict(tables.QUERY.get(route.name, {}))
    required = set(tables.REQUIRED.get(route.name, ()))
    newest = route.handlers[-1].last
    for check in _checks(route, 'query'):
        schema = plain(_schema_of(check, newest))
        query.update(schema.get('properties', {}))
        required.update(schema.get('required', ()))
    if route.name in tables.BODY_AS_QUERY:
        for check in _checks(route, 'body'):
            query.update(plain(_schema_of(check, newest))['properties'])
    found += [{'name': name, 'in': 'query', 'required': name in required,
               'schema': schema} for name, schema in query.items()]
    return found + [{'$ref': '#/components/parameters/' + name}
                    for name in tables.HEADERS]


def _schema_of(check: validation.Check, version) -> dict:
    schema = check.schema_of(version)
    return schema() if callable(schema) else schema


def _body(route: routes.Route, schemas: dict) -> dict | None:
    """The body of a route, its schemas added to the components."""
    if route.name in tables.BODIES:
        return {'required': False, 'content': {
            JSON: {'schema': tables.BODIES[route.name]}}}
    checks = _checks(route, 'body')
    if not checks or route.name in tables.BODY_AS_QUERY:
        return None
    names = _add_schemas(route, checks[-1], schemas)
    references = [{'$ref': '#/components/schemas/' + name} for name in names]
    schema = references[0] if len(names) == 1 else {'anyOf': references}
    return {'required': True, 'content': {JSON: {'schema': schema}}}


def _add_schemas(route, check, schemas: dict) -> list[str]:
    """Add a schema for each range of versions in which it is the same."""
    ranges: list[list] = []
    for version in _VERSIONS:
        schema = plain(_schema_of(check, version))
        if ranges and ranges[-1][2] == schema:
            ranges[-1][1] = version
        else:
            ranges.append([version, version, schema])
    names = []
    for first, last, schema in ranges:
        name = _title(route.name)
        if len(ranges) > 1:
            name += '_' + str(first).replace('.', '_')
        schemas[name] = dict(schema, **_range(first, last))
        names.append(name)
    return names


def _title(name: str) -> str:
    return ''.join(word.title() for word in name.replace('_', ' ').split())


def plain(schema):
    """A schema of draft 4 as one of OpenAPI 3.1 (JSON Schema 2020-12).

    Types that only the reference knows are left out.
    """
    schema = copy.deepcopy(schema)
    _plain(schema)
    return schema


def _plain(node) -> None:
    if isinstance(node, list):
        for item in node:
            _plain(item)
    if not isinstance(node, dict):
        return
    types = node.get('type')
    if isinstance(types, list):
        node['type'] = [kind for kind in types if kind != 'unicode']
    for value in node.values():
        _plain(value)


# -- answers ---------------------------------------------------------------
def _responses(route: routes.Route) -> dict:
    status, schema = tables.ANSWERS[route.name]
    answer = {'description': tables.STATUS[status]}
    if schema is not None:
        answer['content'] = {JSON: {'schema': schema}}
    return {str(status): answer,
            'default': {'$ref': '#/components/responses/Error'}}


def main(arguments: list[str] | None = None) -> int:
    """Write the document to a file, or to the standard output."""
    arguments = sys.argv[1:] if arguments is None else arguments
    text = json.dumps(document(), indent=1) + '\n'
    if arguments:
        with open(arguments[0], 'w', encoding='utf-8') as file:
            file.write(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == '__main__':
    sys.exit(main())
