# SPDX-License-Identifier: Apache-2.0
"""A registry, spoken to by the OCI distribution API.

https://github.com/opencontainers/distribution-spec/blob/v1.1.0/spec.md and,
for tokens, https://distribution.github.io/distribution/spec/auth/token/.
Searching is not a part of it: Docker Hub and some others have ``/v1/search``,
others list their catalogue to those who may see it.
"""

import base64
from collections.abc import Iterator
import hashlib
import json
import re
import time
import typing
from urllib import parse

from oslo_log import log as logging
import requests

from zun.common import exception
from zun.common.i18n import _
from zun.image.oci import transport

LOG = logging.getLogger(__name__)

HUB = 'docker.io'
_HUB_API = 'registry-1.docker.io'
_HUB_SEARCH = 'https://index.docker.io'

INDEX_TYPES = ('application/vnd.oci.image.index.v1+json',
               'application/vnd.docker.distribution.manifest.list.v2+json')
MANIFEST_TYPES = ('application/vnd.oci.image.manifest.v1+json',
                  'application/vnd.docker.distribution.manifest.v2+json')
_ACCEPT = ', '.join(MANIFEST_TYPES + INDEX_TYPES)

# Bytes of a document, of all that is read of one answer.
MAX_DOCUMENT = 8 << 20
# Names of a catalogue or tags that are looked through at most.
MAX_NAMES = 10000
_PAGE = 1000
_REDIRECTS = 5
_CHALLENGE = re.compile(r'(\w+)="([^"]*)"')


class RegistryError(exception.ZunException):
    """A registry refused.

    :ivar status: of its answer.
    """

    message = _('Registry %(registry)s: %(reason)s')
    code = 409

    def __init__(self, registry: str, reason: str, status: int | None):
        super().__init__(registry=registry, reason=reason)
        self.status = status


class RegistryAway(RegistryError):
    """A registry does not answer, or with an error of its own."""

    message = _('Registry %(registry)s is not available: %(reason)s')
    code = 503


class Settings(typing.NamedTuple):
    """How registries are reached.

    :ivar insecure: ``host[:port]`` asked without TLS, or without looking
        at the certificate.
    :ivar mirrors: host of a registry -> ``host[:port]`` asked in its place.
    :ivar ca_file: certificates that sign those of registries; None: the
        system's.
    :ivar timeout: seconds.
    """

    insecure: tuple[str, ...] = ()
    mirrors: dict[str, str] = {}
    ca_file: str | None = None
    timeout: float = 60


class Manifest(typing.NamedTuple):
    """A manifest or index as it lies in a registry."""

    digest: str
    media_type: str
    document: dict


class Registry:
    """One registry as one user.

    :param domain: as in the names of images; empty is Docker Hub.
    :param credentials: (user, password) or None.
    """

    def __init__(self, domain: str,
                 credentials: tuple[str, str] | None = None,
                 settings: Settings = Settings()) -> None:
        self.domain = domain or HUB
        self._credentials = credentials
        self._settings = settings
        place = settings.mirrors.get(self.domain)
        self._place = place or (
            _HUB_API if self.domain == HUB else self.domain)
        insecure = self._place in settings.insecure
        bases = tuple('%s://%s' % (scheme, self._place) for scheme in
                      (('https', 'http') if insecure else ('https',)))
        self._session = transport.Session(
            bases if insecure or place else (),
            False if insecure else settings.ca_file or True,
            settings.timeout)
        self._bases = list(bases)
        self._tokens: dict[str, str] = {}

    # -- Reading ---------------------------------------------------------
    def manifest(self, repository: str, reference: str) -> Manifest | None:
        """A manifest or index by tag or digest; None: there is none.

        Docker Hub does not tell what is not there from what may not be
        seen, and so neither does this.
        """
        answer = self._ask(
            'GET', '/v2/%s/manifests/%s' % (repository, reference),
            _pull(repository), headers={'Accept': _ACCEPT})
        if answer.status_code in (401, 403, 404):
            return None
        raw = self._read(answer)
        digest = 'sha256:' + hashlib.sha256(raw).hexdigest()
        if reference.startswith('sha256:') and digest != reference:
            raise self._error(_('%(name)s is not what its digest says')
                              % {'name': reference}, None)
        document = self._document(raw)
        kind = document.get('mediaType') or answer.headers.get(
            'Content-Type', '').partition(';')[0]
        return Manifest(digest, kind, document)

    def for_platform(self, repository: str, found: Manifest,
                     architecture: str, system: str = 'linux'
                     ) -> Manifest | None:
        """The manifest of an index for a platform; others are their own."""
        if found.media_type not in INDEX_TYPES:
            return found
        for item in found.document.get('manifests') or ():
            platform = item.get('platform') or {}
            if (platform.get('os'), platform.get('architecture')) == (
                    system, architecture):
                return self.manifest(repository, item['digest'])
        return None

    def tags(self, repository: str) -> list[str] | None:
        """The tags of a repository; None: there is no such repository."""
        found: list[str] = []
        for page in self._pages('/v2/%s/tags/list' % repository,
                                _pull(repository)):
            if page is None:
                return None
            found += page.get('tags') or ()
        return found

    def catalogue(self) -> list[str] | None:
        """Its repositories; None: it does not tell."""
        found: list[str] = []
        for page in self._pages('/v2/_catalog', 'registry:catalog:*'):
            if page is None:
                return None
            found += page.get('repositories') or ()
        return found

    def search(self, term: str, limit: int = 100) -> list[dict] | None:
        """What its search finds; None: it has none.

        :returns: documents with ``name`` and, if known, ``description``,
            ``is_official``, ``is_automated``, ``star_count``.
        """
        query = '/v1/search?' + parse.urlencode({'q': term, 'n': limit})
        if self.domain == HUB and HUB not in self._settings.mirrors:
            answer = self._send('GET', _HUB_SEARCH + query)
        else:
            answer = self._ask('GET', query, None)
        if answer.status_code >= 400:
            if answer.status_code >= 500 or answer.status_code == 429:
                raise self._away('HTTP %d' % answer.status_code)
            return None
        results = self._document(self._read(answer)).get('results')
        return results if isinstance(results, list) else None

    def _pages(self, path, scope) -> Iterator[dict | None]:
        path += '?n=%d' % _PAGE
        for __ in range(MAX_NAMES // _PAGE):
            answer = self._ask('GET', path, scope)
            if answer.status_code in (401, 403, 404, 405):
                yield None
                return
            yield self._document(self._read(answer))
            following = answer.links.get('next', {}).get('url')
            if not following:
                return
            # Where it says to go on, but never elsewhere.
            target = parse.urlsplit(following)
            path = '%s?%s' % (target.path, target.query)

    # -- Writing ---------------------------------------------------------
    def has_blob(self, repository: str, digest: str) -> bool:
        answer = self._ask('HEAD', '/v2/%s/blobs/%s' % (repository, digest),
                           _push(repository))
        return answer.status_code == 200

    def put_blob(self, repository: str, digest: str, size: int,
                 source: typing.BinaryIO) -> None:
        """Upload a blob, unless it is there.

        :param source: read from where it stands.
        """
        if self.has_blob(repository, digest):
            return
        answer = self._ask('POST', '/v2/%s/blobs/uploads/' % repository,
                           _push(repository))
        self._require(answer, 202)
        place = parse.urljoin(answer.url, answer.headers['Location'])
        place += ('&' if '?' in place else '?') + parse.urlencode(
            {'digest': digest})
        self._require(self._send(
            'PUT', place, data=source, headers={
                'Content-Length': str(size),
                'Content-Type': 'application/octet-stream',
                **self._authorization(_push(repository), place)}), 201)

    def put_manifest(self, repository: str, reference: str, raw: bytes,
                     media_type: str) -> str:
        """Store a manifest under a tag; returns its digest."""
        self._require(self._ask(
            'PUT', '/v2/%s/manifests/%s' % (repository, reference),
            _push(repository), data=raw,
            headers={'Content-Type': media_type}), 201)
        return 'sha256:' + hashlib.sha256(raw).hexdigest()

    def delete_manifest(self, repository: str, digest: str) -> bool:
        """Remove a manifest; False: the registry does not do so."""
        answer = self._ask('DELETE', '/v2/%s/manifests/%s'
                           % (repository, digest), _push(repository))
        return answer.status_code in (200, 202, 404)

    # -- Requests --------------------------------------------------------
    def _ask(self, method, path, scope, headers=None, **kwargs):
        """Send a request to the registry, with a token if it wants one."""
        answer = None
        for base in list(self._bases):
            try:
                answer = self._send(method, base + path, headers={
                    **(headers or {}), **self._authorization(scope, base)},
                    **kwargs)
            except RegistryAway:
                if base is self._bases[-1]:
                    raise
                # One that is insecure may not speak TLS at all.
                continue
            self._bases = [base]
            break
        if answer.status_code == 401 and self._authenticate(answer, scope):
            base = self._bases[0]
            answer = self._send(method, base + path, headers={
                **(headers or {}), **self._authorization(scope, base)},
                **kwargs)
        if answer.status_code >= 500 or answer.status_code == 429:
            raise self._away('HTTP %d' % answer.status_code)
        return answer

    def _authorization(self, scope, url):
        """The header for one's own registry, and for it alone."""
        value = self._tokens.get(scope or '')
        if value is None or parse.urlsplit(url).netloc != self._place:
            return {}
        return {'Authorization': value}

    def _authenticate(self, answer, scope) -> bool:
        """Do what an answer 401 asks for; False: it can't be done."""
        scheme, __, rest = answer.headers.get(
            'WWW-Authenticate', '').partition(' ')
        challenge = dict(_CHALLENGE.findall(rest))
        if (scope or '') in self._tokens:
            return False
        if scheme.lower() == 'basic' and self._credentials:
            self._tokens[scope or ''] = 'Basic ' + base64.b64encode(
                ':'.join(self._credentials).encode()).decode()
            return True
        if scheme.lower() != 'bearer' or 'realm' not in challenge:
            return False
        token = self._fetch_token(challenge, scope)
        if token:
            self._tokens[scope or ''] = 'Bearer ' + token
        return bool(token)

    def _fetch_token(self, challenge, scope):
        realm = challenge['realm']
        if not realm.startswith('https://') and (
                self._bases[0].startswith('https://')):
            raise self._error(_('it wants credentials to be sent without '
                                'TLS, to %s') % realm, None)
        query = {name: value for name, value in (
            ('service', challenge.get('service')),
            ('scope', challenge.get('scope') or scope)) if value}
        answer = self._send(
            'GET', realm + ('&' if '?' in realm else '?') +
            parse.urlencode(query),
            auth=self._credentials)
        if answer.status_code >= 500:
            raise self._away('HTTP %d' % answer.status_code)
        if answer.status_code != 200:
            return None
        document = self._document(self._read(answer))
        return document.get('token') or document.get('access_token')

    def _send(self, method, url, headers=None, auth=None, **kwargs):
        headers = {'User-Agent': 'zun', **(headers or {})}
        for __ in range(_REDIRECTS):
            try:
                answer = self._session.request(
                    method, url, headers=headers, auth=auth, stream=True,
                    **kwargs)
            except transport.Forbidden as exc:
                raise self._error(str(exc), None)
            except requests.RequestException as exc:
                LOG.warning('Registry %(registry)s cannot be used: '
                            '%(error)s',
                            {'registry': self.domain, 'error': exc})
                raise self._away(_reason(exc))
            if answer.status_code not in (301, 302, 303, 307, 308) or (
                    method not in ('GET', 'HEAD')):
                return answer
            following = parse.urljoin(url, answer.headers.get('Location',
                                                              ''))
            answer.close()
            if parse.urlsplit(following)[:2] != parse.urlsplit(url)[:2]:
                # What is elsewhere has its own way to know who asks.
                headers.pop('Authorization', None)
                auth = None
            url = following
        raise self._error(_('it redirects without end'), None)

    def _read(self, answer) -> bytes:
        """The body of an answer, within limits of size and time."""
        if answer.status_code >= 400:
            raise self._error('HTTP %d' % answer.status_code,
                              answer.status_code)
        deadline = time.monotonic() + self._settings.timeout
        data = bytearray()
        try:
            for piece in answer.iter_content(64 << 10):
                data += piece
                if len(data) > MAX_DOCUMENT:
                    raise self._error(
                        _('its answer is larger than %d bytes')
                        % MAX_DOCUMENT, None)
                if time.monotonic() > deadline:
                    raise self._away(_('its answer takes too long'))
        except requests.RequestException as exc:
            raise self._away(_reason(exc))
        finally:
            answer.close()
        return bytes(data)

    def _document(self, raw) -> dict:
        try:
            document = json.loads(raw)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise self._error(_('its answer is no JSON document'), None)
        return document

    def _require(self, answer, status):
        if answer.status_code != status:
            raise self._error(
                _('HTTP %(status)d in place of %(wanted)d')
                % {'status': answer.status_code, 'wanted': status},
                answer.status_code)

    def _error(self, reason, status) -> RegistryError:
        return RegistryError(self.domain, reason, status)

    def _away(self, reason) -> RegistryAway:
        return RegistryAway(self.domain, reason, None)


def _reason(exc: Exception) -> str:
    """What went wrong on the way, without addresses of the inside."""
    if isinstance(exc, requests.Timeout):
        return _('it does not answer')
    if isinstance(exc, requests.exceptions.SSLError):
        return _('its certificate is not trusted; see [kubernetes] '
                 'registry_ca_file')
    return _('it cannot be reached')


def _pull(repository):
    return 'repository:%s:pull' % repository


def _push(repository):
    return 'repository:%s:pull,push' % repository
