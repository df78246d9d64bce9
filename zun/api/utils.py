# SPDX-License-Identifier: Apache-2.0
"""Query parameters and lookups that several resources share."""

from oslo_utils import strutils
from oslo_utils import uuidutils
import pecan
from webob import exc

from zun.api import http_error
from zun.api import microversions
from zun.common import exception
from zun.common.i18n import _
from zun.common import policy
import zun.conf

CONF = zun.conf.CONF

BOOLEAN_TEXTS = ', '.join(
    sorted(strutils.TRUE_STRINGS, key=('1', 't', 'true', 'on', 'y',
                                       'yes').index) +
    sorted(strutils.FALSE_STRINGS, key=('0', 'f', 'false', 'off', 'n',
                                        'no').index))


# Default of an argument that a request has to give; see :func:`required`.
MISSING = object()


def required(value, name: str):
    """An argument that a request has to give.

    :param value: what was given, or ``MISSING``.
    :raises InvalidParameterValue: 400.
    """
    if value is MISSING:
        raise exception.InvalidParameterValue(
            err=_("The parameter '%s' is required.") % name)
    return value


def validate_limit(limit) -> int:
    """The size of a page: at most [api] max_limit, which is the default.

    :raises InvalidValue: unless it is a positive integer.
    """
    if limit is None:
        return CONF.api.max_limit
    try:
        number = int(limit)
    except (TypeError, ValueError):
        number = 0
    if number <= 0:
        raise exception.InvalidValue(_('Limit must be positive integer'))
    return min(number, CONF.api.max_limit)


def validate_sort_dir(sort_dir: str) -> str:
    """'asc' or 'desc'.

    :raises InvalidValue: for anything else.
    """
    if sort_dir not in ('asc', 'desc'):
        raise exception.InvalidValue(
            _("Invalid sort direction: %s. Acceptable values are 'asc' or "
              "'desc'") % sort_dir)
    return sort_dir


def strict_bool(value, parameter: str) -> bool:
    """The truth of a query parameter.

    :raises InvalidValue: for a text that is neither true nor false.
    """
    if not value:
        return False
    try:
        return strutils.bool_from_string(value, strict=True)
    except ValueError:
        raise exception.InvalidValue(
            _('Valid %(parameter)s values are: %(values)s') %
            {'parameter': parameter, 'values': BOOLEAN_TEXTS})


def is_all_projects(search_opts: dict) -> bool:
    """Whether `all_projects` of a query is true.

    :raises InvalidValue: for a text that is neither true nor false.
    """
    return strict_bool(search_opts.get('all_projects'), 'all_projects')


def string_or_none(value):
    """A query parameter for which the text 'None' means none."""
    return None if value == 'None' else value


def single(value, parameter: str):
    """A query parameter that may be given once only.

    :raises InvalidValue: for a parameter that was repeated.
    """
    if isinstance(value, list):
        raise exception.InvalidValue(
            _("The parameter '%s' was given more than once.") % parameter)
    return value


class Paging:
    """The paging parameters of a list, checked.

    limit, marker (a uuid or name, or None), sort_key (a list if it was
    repeated, which the database's layer refuses), sort_dir.
    """

    def __init__(self, params: dict, sort_key: str = 'id') -> None:
        """Take the paging parameters out of `params`.

        :param sort_key: the default order.
        :raises InvalidValue: for a parameter that can't be used.
        """
        self.limit = validate_limit(single(params.pop('limit', None),
                                           'limit'))
        self.sort_dir = validate_sort_dir(params.pop('sort_dir', 'asc'))
        self.marker = single(params.pop('marker', None), 'marker')
        # Checked when rows are sorted: a marker that is gone comes first.
        self.sort_key = params.pop('sort_key', sort_key)


def require_version(param: str, first: str) -> None:
    """Refuse a parameter that the request's version doesn't have.

    :param first: the version that brought it, e.g. '1.9'.
    :raises InvalidParamInVersion: 400.
    """
    version = pecan.request.version
    if version < microversions.version(first):
        raise exception.InvalidParamInVersion(
            param=param, req_version=version, min_version=first)


def require_token(context) -> None:
    """Refuse a request that peers can't be asked on behalf of.

    Without the caller's token the service's own would be used, which may
    see more than the caller.

    :raises HTTPUnauthorized: 401.
    """
    if not context.auth_token:
        raise http_error.explained(exc.HTTPUnauthorized(
            _('This needs a token, for the requests to other services.')))


def visible_keys(context, prefix: str,
                 keys: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of a document that a caller may see.

    A key is hidden when a policy `prefix` + key is defined, here or in the
    operator's file, and does not allow it.  The rights don't depend on the
    row, so this is asked once for an answer.
    """
    rules = policy.init()
    rules.load_rules()
    return tuple(
        key for key in keys if prefix + key not in rules.rules or
        policy.enforce(context, prefix + key, do_raise=False))


def is_uuid_like(ident: str) -> bool:
    """Whether an identifier is looked up as a uuid rather than a name."""
    return uuidutils.is_uuid_like(ident)
