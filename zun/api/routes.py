# SPDX-License-Identifier: Apache-2.0
"""The route table, read off the controllers.

What the API serves is written once, in the controllers; descriptions of the
API (OpenAPI, the check of the API reference) go by this table.
"""

from collections.abc import Callable
from collections.abc import Iterator
import importlib
import inspect
from typing import NamedTuple

from zun.api.controllers import base
from zun.api.controllers import v1
from zun.api import microversions

# Method of a controller -> HTTP method.
METHODS = {
    'get_all': 'GET', 'get_one': 'GET', 'get': 'GET', 'post': 'POST',
    'put': 'PUT', 'patch': 'PATCH', 'delete': 'DELETE',
}


class Handler(NamedTuple):
    """What serves a route in a range of microversions, ends included."""

    first: microversions.Version
    last: microversions.Version
    function: Callable


class Route(NamedTuple):
    """A method on a path, e.g. GET /v1/hosts/{host_ident}.

    `name` is unique, e.g. 'containers start'; `resource` is the first part
    of the path below /v1.
    """

    method: str
    path: str
    name: str
    resource: str
    handlers: tuple[Handler, ...]

    @property
    def arguments(self) -> list[str]:
        """Names of the parts of the path that vary."""
        return [part[1:-1] for part in self.path.split('/')
                if part.startswith('{')]


def routes() -> list[Route]:
    """All routes below /v1, sorted by path."""
    found = []
    for resource, (module, name) in v1.RESOURCES.items():
        loaded = importlib.import_module('%s.%s' % (v1.__name__, module))
        found += _routes_of(getattr(loaded, name), resource,
                            '/v1/' + resource)
    return sorted(found, key=lambda route: (route.path, route.method))


def _routes_of(controller: type, resource: str,
               path: str) -> Iterator[Route]:
    actions = getattr(controller, '_custom_actions', {})
    for name, method in inspect.getmembers(controller):
        if not isinstance(method, base.VersionedMethod):
            continue
        arguments = _path_arguments(method)
        where = path + ''.join('/{%s}' % part for part in arguments)
        if name in actions:
            where += '/' + name
        elif name not in METHODS:
            continue
        for http_method in actions.get(name) or [METHODS[name]]:
            yield Route(http_method, where, '%s %s' % (resource, name),
                        resource, tuple(
                            Handler(*entry) for entry in method.handlers))
    for name, child in controller.sub_controllers.items():
        yield from _children(type(child), resource, path, name)


def _children(controller: type, resource: str, path: str,
              name: str) -> Iterator[Route]:
    """The routes of a controller below an element of another one."""
    for route in _routes_of(controller, resource, path):
        parent, *own = route.arguments
        where = '%s/{%s}/%s' % (path, parent, name)
        where += ''.join('/{%s}' % part for part in own)
        yield route._replace(path=where, name='%s %s' % (
            resource, name if not own else name + ' show'))


def _path_arguments(method: base.VersionedMethod) -> list[str]:
    """The arguments that a path gives: those without a default."""
    return base.required_arguments(method.handlers[0][2])
