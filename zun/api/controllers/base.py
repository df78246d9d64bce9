# SPDX-License-Identifier: Apache-2.0
"""Base classes of the controllers: routing and dispatch by microversion.

A resource is one class derived from :class:`Controller`::

    class HostController(base.Controller):

        _custom_actions = {'search': ['GET']}      # /hosts/{id}/search

        @base.Controller.api_version('1.4')
        @validation.validate_query_param(schema)
        def get_all(self, **kwargs):
            context = pecan.request.context
            policy.enforce(context, 'host:get_all', action='host:get_all')
            ...
            return {...}                 # rendered as JSON, status 200

Methods: ``get_all``, ``get_one`` (or ``get``), ``post``, ``put``, ``patch``,
``delete`` and the custom actions.  Positional arguments are the parts of the
path; keyword arguments are the query and the members of a JSON body, merged.
A method may be defined several times with different ranges of versions; the
request's version chooses, and where none fits the answer is 406.  Arguments
without a default are parts of the path: a request without them is answered
with 404 or 405.  Others that a request has to give default to
:data:`zun.api.utils.MISSING` and are checked after the policy.

Errors: raise classes of :mod:`zun.common.exception`; nothing else is needed,
:mod:`zun.api.http_error` maps them.  ``pecan.response.status = 202`` sets
another status.
"""

import functools
import inspect

import pecan
from pecan import rest
from pecan import routing
from webob import exc

from zun.api import microversions
from zun.common.i18n import _


class VersionedMethod:
    """A controller's method with one handler for each range of versions."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.handlers = []

    def add(self, first, last, handler) -> None:
        """Add a handler.

        :raises ValueError: when its range overlaps another one's.
        """
        for other_first, other_last, _handler in self.handlers:
            if first <= other_last and other_first <= last:
                raise ValueError('%s: versions %s to %s have two handlers' %
                                 (self.name, first, last))
        self.handlers.append((first, last, handler))
        self.handlers.sort(key=lambda entry: entry[0])

    def resolve(self, version):
        """The handler for a version, or None."""
        for first, last, handler in self.handlers:
            if first <= version <= last:
                return handler
        return None


class _Namespace(dict):
    """A class body where methods of one name add up to one."""

    def __setitem__(self, name, value):
        earlier = self.get(name)
        if isinstance(value, VersionedMethod) and \
                isinstance(earlier, VersionedMethod):
            for entry in value.handlers:
                earlier.add(*entry)
            return
        super().__setitem__(name, value)


class _ControllerType(type):

    @classmethod
    def __prepare__(mcs, name, bases, **kwargs):
        return _Namespace()

    def __new__(mcs, name, bases, namespace, **kwargs):
        return super().__new__(mcs, name, bases, dict(namespace), **kwargs)


@functools.cache
def _argument_names(function) -> list[str]:
    """Names of the arguments of a method, less `self`.

    Pecan looks through its decorators for them, several times a request.
    """
    return pecan.util.getargspec(function).args[1:]


class RestController(rest.RestController):
    """Pecan's REST routing that never leaves the declared resources.

    Only exposed methods and the entries of ``sub_controllers`` can be named
    by a path; other attributes of a controller can't.
    """

    sub_controllers: dict[str, rest.RestController] = {}

    def _get_args_for_controller(self, controller):
        return _argument_names(getattr(controller, '__func__', controller))

    def _lookup_child(self, name):
        child = self.sub_controllers.get(name)
        if child is not None:
            return child
        if not name or not name.isidentifier():
            return None
        child = getattr(self, name, None)
        return child if pecan.util.iscontroller(child) else None

    def _find_sub_controllers(self, remainder, request):
        reader = self._find_controller('get_one', 'get')
        if reader is None:
            return None
        fixed = (len(self._get_args_for_controller(reader)) -
                 len(request.pecan.get('routing_args', [])))
        if not 0 <= fixed < len(remainder):
            return None
        child = self.sub_controllers.get(remainder[fixed])
        if child is None:
            return None
        self._set_routing_args(request, remainder[:fixed])
        return routing.lookup_controller(child, remainder[fixed + 1:],
                                         request)


class Controller(RestController, metaclass=_ControllerType):
    """Base of all controllers below /v1."""

    @staticmethod
    def api_version(min_ver: str, max_ver: str | None = None):
        """Expose a method for a range of versions, both ends included.

        The outermost decorator of a method.

        :param min_ver: e.g. '1.1'.
        :param max_ver: the newest version when left out.
        """
        first = microversions.version(min_ver)
        last = microversions.version(max_ver) if max_ver else \
            microversions.MAX_VERSION

        def decorate(func):
            method = VersionedMethod(func.__name__)
            method.add(first, last, pecan.expose('json')(func))
            return method
        return decorate

    def _lookup_child(self, name):
        method = getattr(type(self), name, None) if name and \
            name.isidentifier() else None
        if not isinstance(method, VersionedMethod):
            return super()._lookup_child(name)
        handler = method.resolve(pecan.request.version)
        if handler is None:
            verbs = self._custom_actions.get(name)
            if verbs is not None and pecan.request.method not in verbs:
                # The name means no operation here, so it is looked up.
                return None
            raise exc.HTTPNotAcceptable(
                _('Version %s was requested but the requested API is not '
                  'supported for this version.') % (pecan.request.version,))
        return handler.__get__(self)


def required_arguments(controller) -> list[str]:
    """Names of the arguments that a controller's method can't do without."""
    return _required_names(getattr(controller, '__func__', controller))


@functools.cache
def _required_names(function) -> list[str]:
    spec = inspect.getfullargspec(inspect.unwrap(function))
    names = spec.args[1:] if spec.args[:1] == ['self'] else spec.args
    return names[:len(names) - len(spec.defaults or ())]
