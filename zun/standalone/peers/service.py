# SPDX-License-Identifier: Apache-2.0
"""What the stand-ins have in common: requests, answers, routes, callers."""

import dataclasses
import json
import re
from typing import Any
from typing import Callable
from urllib import parse

Reply = tuple[int, dict[str, str], bytes]


class Refused(Exception):
    """A request that is answered with an error of the service's form."""

    def __init__(self, status: int, message: str, kind: str = '') -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind


@dataclasses.dataclass(frozen=True)
class Caller:
    """Who asks: made from a token."""

    user_id: str
    project_id: str
    roles: tuple[str, ...]

    @property
    def admin(self) -> bool:
        """Whether the caller may act for all projects."""
        return 'admin' in self.roles


@dataclasses.dataclass
class Request:
    """One request; ``path`` is below the service's prefix."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes
    base: str
    caller: Caller | None = None

    def json(self) -> Any:
        """The body as JSON.

        :raises Refused: 400.
        """
        try:
            return json.loads(self.body or b'{}')
        except ValueError:
            raise Refused(400, 'Malformed request body', 'BadRequest'
                          ) from None

    def first(self, key: str, default: str = '') -> str:
        """The first value of a query key."""
        return next((v for k, v in self.query if k == key), default)

    @property
    def who(self) -> Caller:
        """The caller.

        :raises Refused: 401 without a valid token.
        """
        if self.caller is None:
            raise Refused(401, 'The request you have made requires '
                          'authentication.', 'Unauthorized')
        return self.caller


Handler = Callable[..., Reply]


def reply(status: int, document: Any = None,
          headers: dict[str, str] | None = None) -> Reply:
    """An answer with a JSON body, or none."""
    if document is None:
        return status, dict(headers or {}), b''
    return status, {'Content-Type': 'application/json', **(headers or {})}, (
        json.dumps(document).encode())


class Service:
    """One stand-in. Subclasses fill ``ROUTES`` and ``error``.

    ``ROUTES``: (method, path pattern, name of the method that answers);
    ``{name}`` in a pattern is one path segment, passed as an argument.
    """

    ROUTES: tuple[tuple[str, str, str], ...] = ()
    #: Paths that need no token.
    PUBLIC = ('/', '')

    def __init__(self) -> None:
        self._routes = [
            (method, re.compile(re.sub(r'{(\w+)}', r'(?P<\1>[^/]+)',
                                       pattern) + r'/?'),
             getattr(self, name)) for method, pattern, name in self.ROUTES]

    def handle(self, request: Request) -> Reply:
        """Answer a request."""
        known = False
        try:
            if request.path not in self.PUBLIC:
                self.authorize(request)
            for method, pattern, handler in self._routes:
                found = pattern.fullmatch(request.path)
                known = known or bool(found)
                if found and method == request.method:
                    names = {k: parse.unquote(v)
                             for k, v in found.groupdict().items()}
                    return handler(request, **names)
            status = 405 if known else 404
            raise Refused(status, 'The resource could not be found.',
                          'HTTPNotFound')
        except Refused as e:
            return self.error(e)

    def authorize(self, request: Request) -> None:
        """Refuse a request without a valid token (401)."""
        request.who  # raises

    def error(self, refused: Refused) -> Reply:
        """The service's form of an error."""
        return reply(refused.status, {'error': {
            'code': refused.status, 'title': refused.kind,
            'message': refused.message}})

    def dump(self) -> Any:
        """The state as JSON can hold it."""
        return {}

    def load(self, state: Any) -> None:
        """Take up a state that :meth:`dump` gave."""


def matches(item: dict[str, Any], filters: dict[str, list[str]]) -> bool:
    """Whether an item has one of the wanted values for each key.

    ``tenant_id`` and ``project_id`` mean the same.
    """
    for key, wanted in filters.items():
        if key in ('tenant_id', 'project_id'):
            have = item.get('project_id', item.get('tenant_id'))
        else:
            have = item.get(key)
        if isinstance(have, bool):
            if str(have).lower() not in [w.lower() for w in wanted]:
                return False
        elif isinstance(have, list):
            if not set(map(str, have)) & set(wanted):
                return False
        elif ('' if have is None else str(have)) not in wanted:
            return False
    return True


def grouped(query: list[tuple[str, str]], leave_out: tuple[str, ...] = ()
            ) -> dict[str, list[str]]:
    """A query as key → values."""
    result: dict[str, list[str]] = {}
    for key, value in query:
        if key not in leave_out:
            result.setdefault(key, []).append(value)
    return result
