# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Keystone v3: a few users and projects, tokens, catalogue."""

import dataclasses
import datetime
import hmac
import secrets
from typing import Any
import uuid

from zun.standalone.peers import service

#: How long a token made by a login is good.
LIFETIME = datetime.timedelta(hours=24)
_DOMAIN = {'id': 'default', 'name': 'Default'}


@dataclasses.dataclass(frozen=True)
class User:
    """A user with a password and, if wanted, a static token.

    ``projects``: name of a project → roles there; the first is the default.
    """

    name: str
    password: str
    projects: dict[str, tuple[str, ...]]
    token: str = ''

    @property
    def id(self) -> str:
        """Always the same id for a name."""
        return uuid.uuid5(uuid.NAMESPACE_DNS, 'user.' + self.name).hex


def project_id(name: str) -> str:
    """Always the same id for a project's name."""
    return uuid.uuid5(uuid.NAMESPACE_DNS, 'project.' + name).hex


@dataclasses.dataclass(frozen=True)
class Token:
    """A token's holder, scope (project's name or '') and end."""

    user: User
    project: str
    expires: datetime.datetime
    issued: datetime.datetime


class Identity(service.Service):
    """Tokens, their validation, and the catalogue.

    :param catalog: type of a service → (name, URL); ``%(project_id)s`` in
        the URL is filled in.
    """

    ROUTES = (
        ('GET', '', 'versions'), ('GET', '/', 'versions'),
        ('GET', '/v3', 'version'),
        ('POST', '/v3/auth/tokens', 'login'),
        ('GET', '/v3/auth/tokens', 'validate'),
        ('HEAD', '/v3/auth/tokens', 'validate'),
        ('DELETE', '/v3/auth/tokens', 'revoke'),
        ('GET', '/v3/auth/catalog', 'show_catalog'),
        ('GET', '/v3/auth/projects', 'own_projects'),
        ('GET', '/v3/projects', 'list_projects'),
        ('GET', '/v3/projects/{name}', 'show_project'),
        ('GET', '/v3/users', 'list_users'),
        ('GET', '/v3/users/{name}', 'show_user'),
        ('GET', '/v3/services', 'list_services'),
    )
    PUBLIC = ('/', '', '/v3', '/v3/')

    def __init__(self, users: list[User], catalog: dict[str, tuple[str, str]],
                 region: str = 'RegionOne') -> None:
        super().__init__()
        self.users = users
        self.catalog = catalog
        self.region = region
        self.tokens: dict[str, Token] = {}
        now = _now()
        for user in users:
            if user.token:
                self.tokens[user.token] = Token(
                    user, next(iter(user.projects)),
                    now + datetime.timedelta(days=3650), now)

    def authorize(self, request: service.Request) -> None:
        if (request.method, request.path.rstrip('/')) != (
                'POST', '/v3/auth/tokens'):
            request.who  # raises

    def find(self, text: str) -> Token | None:
        """The valid token that reads ``text``."""
        found = None
        for known, token in self.tokens.items():
            if hmac.compare_digest(known.encode(), text.encode()):
                found = token
        if found is None or found.expires < _now():
            return None
        return found

    def caller(self, text: str) -> service.Caller | None:
        """Who a token stands for."""
        token = self.find(text) if text else None
        if token is None:
            return None
        return service.Caller(
            token.user.id, project_id(token.project) if token.project
            else '', token.user.projects.get(token.project, ()))

    # requests

    def versions(self, request: service.Request) -> service.Reply:
        """The versions that there are."""
        return service.reply(300, {'versions': {
            'values': [_version(request.base)]}})

    def version(self, request: service.Request) -> service.Reply:
        """The one version that there is."""
        return service.reply(200, {'version': _version(request.base)})

    def login(self, request: service.Request) -> service.Reply:
        """Make a token from a password or another token."""
        auth = request.json().get('auth') or {}
        identity = auth.get('identity') or {}
        user = self._authenticate(identity)
        project = self._scope(user, auth.get('scope'))
        text = secrets.token_urlsafe(32)
        now = _now()
        self._forget_expired(now)
        self.tokens[text] = Token(user, project, now + LIFETIME, now)
        return self._document(text, 201, identity.get('methods') or [])

    def validate(self, request: service.Request) -> service.Reply:
        """Show the token named by X-Subject-Token."""
        text = request.headers.get('x-subject-token', '')
        if self.find(text) is None:
            raise service.Refused(404, 'Could not find token.', 'Not Found')
        return self._document(text, 200, ['password'])

    def revoke(self, request: service.Request) -> service.Reply:
        """Forget a token."""
        self.tokens.pop(request.headers.get('x-subject-token', ''), None)
        return service.reply(204)

    def show_catalog(self, request: service.Request) -> service.Reply:
        """The catalogue for the caller's project."""
        return service.reply(200, {'catalog': self._catalog(
            request.who.project_id), 'links': {}})

    def own_projects(self, request: service.Request) -> service.Reply:
        """The caller's projects."""
        user = next(u for u in self.users if u.id == request.who.user_id)
        return service.reply(200, {'projects': [
            _project(p) for p in user.projects], 'links': {}})

    def list_projects(self, request: service.Request) -> service.Reply:
        """All projects, filtered by name."""
        names = sorted({p for u in self.users for p in u.projects})
        wanted = request.first('name')
        return service.reply(200, {'projects': [
            _project(n) for n in names if wanted in ('', n)], 'links': {}})

    def show_project(self, request: service.Request, name: str
                     ) -> service.Reply:
        """A project by id."""
        for user in self.users:
            for project in user.projects:
                if project_id(project) == name:
                    return service.reply(200, {'project': _project(project)})
        raise service.Refused(404, 'Could not find project: %s.' % name,
                              'Not Found')

    def list_users(self, request: service.Request) -> service.Reply:
        """All users, filtered by name."""
        wanted = request.first('name')
        return service.reply(200, {'users': [
            _user(u) for u in self.users if wanted in ('', u.name)],
            'links': {}})

    def show_user(self, request: service.Request, name: str
                  ) -> service.Reply:
        """A user by id."""
        for user in self.users:
            if user.id == name:
                return service.reply(200, {'user': _user(user)})
        raise service.Refused(404, 'Could not find user: %s.' % name,
                              'Not Found')

    def list_services(self, request: service.Request) -> service.Reply:
        """The services of the catalogue."""
        return service.reply(200, {'services': [
            {'id': kind, 'type': kind, 'name': name, 'enabled': True}
            for kind, (name, _) in self.catalog.items()], 'links': {}})

    def error(self, refused: service.Refused) -> service.Reply:
        headers = {}
        if refused.status == 401:
            headers['WWW-Authenticate'] = 'Keystone uri="/identity"'
        return service.reply(refused.status, {'error': {
            'code': refused.status, 'title': refused.kind,
            'message': refused.message}}, headers)

    # parts

    def _authenticate(self, identity: dict[str, Any]) -> User:
        methods = identity.get('methods') or []
        if 'password' in methods:
            wanted = (identity.get('password') or {}).get('user') or {}
            for user in self.users:
                if wanted.get('id', user.id) == user.id and wanted.get(
                        'name', user.name) == user.name and (
                        'id' in wanted or 'name' in wanted):
                    if hmac.compare_digest(
                            str(wanted.get('password', '')).encode(),
                            user.password.encode()):
                        return user
        elif 'token' in methods:
            token = self.find((identity.get('token') or {}).get('id', ''))
            if token is not None:
                return token.user
        raise service.Refused(401, 'The request you have made requires '
                              'authentication.', 'Unauthorized')

    @staticmethod
    def _scope(user: User, scope: Any) -> str:
        if scope == 'unscoped':
            return ''
        wanted = (scope or {}).get('project') or {}
        if not wanted:
            return next(iter(user.projects))
        for project in user.projects:
            if wanted.get('id', project_id(project)) == project_id(
                    project) and wanted.get('name', project) == project:
                return project
        raise service.Refused(401, 'The request you have made requires '
                              'authentication.', 'Unauthorized')

    def _forget_expired(self, now: datetime.datetime) -> None:
        for text in [t for t, token in self.tokens.items()
                     if token.expires < now]:
            del self.tokens[text]

    def _document(self, text: str, status: int, methods: list[str]
                  ) -> service.Reply:
        token = self.tokens[text]
        document: dict[str, Any] = {
            'methods': methods, 'audit_ids': [secrets.token_urlsafe(16)],
            'issued_at': _stamp(token.issued),
            'expires_at': _stamp(token.expires),
            'user': {'id': token.user.id, 'name': token.user.name,
                     'domain': _DOMAIN,
                     'password_expires_at': None}}  # nosec B105
        if token.project:
            roles = token.user.projects[token.project]
            document.update(
                project=dict(_project(token.project), domain=_DOMAIN),
                roles=[{'id': r, 'name': r} for r in roles],
                is_domain=False,
                catalog=self._catalog(project_id(token.project)))
        return service.reply(status, {'token': document},
                             {'X-Subject-Token': text})

    def _catalog(self, project: str) -> list[dict[str, Any]]:
        return [
            {'type': kind, 'name': name, 'id': kind, 'endpoints': [
                {'id': '%s-%s' % (kind, interface), 'interface': interface,
                 'region': self.region, 'region_id': self.region,
                 'url': url % {'project_id': project}}
                for interface in ('public', 'internal', 'admin')]}
            for kind, (name, url) in self.catalog.items()]


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


def _stamp(moment: datetime.datetime) -> str:
    return moment.strftime('%Y-%m-%dT%H:%M:%S.%fZ')


def _project(name: str) -> dict[str, Any]:
    return {'id': project_id(name), 'name': name, 'domain_id': 'default',
            'enabled': True, 'description': '', 'is_domain': False,
            'parent_id': 'default', 'links': {}}


def _user(user: User) -> dict[str, Any]:
    return {'id': user.id, 'name': user.name, 'domain_id': 'default',
            'enabled': True, 'links': {}}


def _version(base: str) -> dict[str, Any]:
    return {'id': 'v3.14', 'status': 'stable',
            'updated': '2020-04-07T00:00:00Z', 'media-types': [],
            'links': [{'rel': 'self', 'href': base + '/v3/'}]}
