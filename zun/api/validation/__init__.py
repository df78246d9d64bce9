# SPDX-License-Identifier: Apache-2.0
"""Checks of a request against JSON Schema, as decorators.

Below ``api_version`` (first line outermost)::

    @base.Controller.api_version('1.1')
    @validation.enforce_content_types(('application/json',))
    @validation.validated_query(schema.query_create)
    @validation.validated(schema.create)
    def post(self, **body):

A schema is a dictionary, or a function without arguments that returns one
(for bounds that come from the configuration; called at the first request).
"""

from collections.abc import Callable
import functools
from typing import NamedTuple

import pecan
from webob import exc

from zun.api import http_error
from zun.api.validation import validators
from zun.common.i18n import _


class Check(NamedTuple):
    """What a decorator checks, for the description of the API.

    `where`: 'body' or 'query'; `schema_of`: the schema for a microversion.
    """

    where: str
    schema_of: Callable


def checks(func) -> list[Check]:
    """What is checked before a method runs, outermost first."""
    found = []
    while func is not None:
        check = vars(func).get('checked')
        if check and check not in found:
            found.append(check)
        func = getattr(func, '__wrapped__', None)
    return found


def run_checks(func, kwargs: dict) -> None:
    """Check a request for a method without calling it.

    :param kwargs: what the method would be given beyond its signature.
    :raises SchemaValidationError, HTTPUnsupportedMediaType: see the
        decorators.
    """
    while func is not None:
        check = vars(func).get('check')
        if check:
            check(kwargs)
        func = getattr(func, '__wrapped__', None)


class _Lazy:
    """A compiled schema, made when it is needed first."""

    def __init__(self, schema, field_template: str) -> None:
        self._schema = schema
        self._template = field_template

    @functools.cached_property
    def validate(self):
        schema = self._schema() if callable(self._schema) else self._schema
        return validators.SchemaValidator(schema, self._template).validate


def _checking(check: Callable[[dict], None], described: Check | None = None):
    """A decorator that runs `check` on the keyword arguments first."""
    # Pecan looks for a method's arguments among the functions that its
    # decorators refer to; a partial object isn't one.
    check = functools.partial(check)

    def decorate(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            check(kwargs)
            return func(*args, **kwargs)
        wrapper.check = check
        wrapper.checked = described
        return wrapper
    return decorate


def validated(schema):
    """Check the keyword arguments of a method: the body and the query.

    Positional arguments of the method, i.e. those in its signature, are not
    part of what is checked.

    :raises SchemaValidationError: (from the method) naming the field.
    """
    validator = _Lazy(schema, validators.FIELD)
    return _checking(lambda kwargs: validator.validate(kwargs),
                     Check('body', lambda version: schema))


def validated_query(schema):
    """Check the query (and the members of a form) of a request.

    :raises SchemaValidationError: (from the method) naming the parameter.
    """
    validator = _Lazy(schema, validators.QUERY_PARAMETER)
    return _checking(
        lambda kwargs: validator.validate(pecan.request.params.mixed()),
        Check('query', lambda version: schema))


def validated_by_version(schema_of):
    """Like :func:`validated`, with a schema for each microversion.

    :param schema_of: the schema for a version; called once for each.
    """
    validators_by_version = {}

    def check(kwargs):
        version = pecan.request.version
        validator = validators_by_version.get(version)
        if validator is None:
            validator = validators_by_version[version] = \
                validators.SchemaValidator(schema_of(version))
        validator.validate(kwargs)
    return _checking(check, Check('body', schema_of))


def enforce_content_types(content_types: tuple[str, ...]):
    """Refuse a body of another media type with 415.

    Parameters of the media type, as `charset`, don't matter; its case does.
    """
    def check(kwargs):
        given = pecan.request.content_type
        if given not in content_types:
            raise http_error.explained(exc.HTTPUnsupportedMediaType(
                _("Unexpected content type: '%(given)s'. Expected: "
                  "%(wanted)s") % {'given': given,
                                   'wanted': ', '.join(content_types)}))
    return _checking(check)
