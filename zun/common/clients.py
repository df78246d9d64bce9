# SPDX-License-Identifier: Apache-2.0
"""Clients of the peers: one loader for all of them.

Identity and catalogue are keystoneauth's; the group's ``endpoint_type``,
``region_name``, ``ca_file``, ``insecure``, certificate and a time limit are
obeyed for every peer alike.  The requests themselves go straight through
``requests``: creating a container asks five times, and keystoneauth's way
costs as much again as the request.  Every failure of a peer is one of two
exceptions, so that no caller needs to know a peer's library.

Identities: with the caller's token unless ``admin`` is asked for or the
context has no token (tasks, periodic work).
"""

import typing

from keystoneauth1 import exceptions as ks_exc
from keystoneauth1 import plugin
from keystoneauth1 import service_token
from oslo_log import log as logging
import requests

from zun.common import exception
from zun.common import keystone
import zun.conf

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)


class Peer(typing.NamedTuple):
    """Where a peer is found in the catalogue and which options rule it."""
    title: str
    service_type: str
    group: str


PEERS = {
    'cinder': Peer('Cinder', 'block-storage', 'cinder_client'),
    'container': Peer('Zun', 'container', 'zun_client'),
    'glance': Peer('Glance', 'image', 'glance_client'),
    'neutron': Peer('Neutron', 'network', 'neutron_client'),
    'placement': Peer('Placement', 'placement', 'placement_client'),
}

# What a client is told when there is no answer; the first that fits.
UNANSWERED = (
    (ks_exc.ConnectTimeout, 'it does not answer'),
    (requests.Timeout, 'it does not answer'),
    (ks_exc.ConnectionError, 'it cannot be reached'),
    (ks_exc.CatalogException, 'it is not in the catalogue'),
    (ks_exc.EndpointNotFound, 'it is not in the catalogue'),
    (Exception, 'it cannot be used'),
)

# What a client is told when a peer refuses: the peer's own answer where it
# is about the request, else that the service cannot be used now.
PASSED_ON = (400, 401, 403, 404, 409, 413)


class PeerError(exception.ZunException):
    """A request to a peer failed.

    ``title`` names the peer; ``status`` is the peer's HTTP status or None
    when there was no answer; ``text`` the peer's own words or None.
    """
    message = "%(peer)s request failed: %(reason)s"
    code = 503

    def __init__(self, peer: str, reason: str, status: int | None = None,
                 text: str | None = None):
        self.title, self.status, self.text = peer, status, text
        super().__init__(peer=peer, reason=reason)


class PeerUnavailable(PeerError):
    """No usable answer: not reachable, not in the catalogue, no token for
    it, or an error of its own (5xx, 429).
    """
    message = "%(peer)s is not available: %(reason)s"


class PeerRefused(PeerError):
    """The peer said no (4xx) to this very request."""
    message = "%(peer)s refused the request: %(reason)s"

    def __init__(self, peer, reason, status=None, text=None):
        super().__init__(peer, reason, status, text)
        self.code = status if status in PASSED_ON else 400


class Client:
    """Requests to one peer as one identity.

    The verbs return the answer (``requests.Response``) of a 2xx or 3xx
    and raise :class:`PeerRefused` or :class:`PeerUnavailable` otherwise.

    :param auth: a keystoneauth plugin.
    :param request_id: passed on, so that the peer's log can be matched.
    """

    def __init__(self, peer: Peer, auth: plugin.BaseAuthPlugin,
                 request_id: str | None = None):
        self.peer = peer
        self._auth = auth
        self._session = keystone.session(**keystone.tls(peer.group))
        self._transport = keystone.transport(**keystone.tls(peer.group))
        self._headers = {'Accept': 'application/json', 'User-Agent': 'zun'}
        if request_id:
            self._headers['X-OpenStack-Request-ID'] = request_id
        self._endpoint: str | None = None

    def request(self, url: str, method: str, *, microversion=None,
                headers=None, **kwargs) -> requests.Response:
        """Send a request.

        :param url: path below the endpoint, with a query or not.
        :param microversion: of the peer's API, for this request alone.
        :param kwargs: ``params``, ``json``, ``data``, ``stream``: as in
            ``requests``.
        """
        headers = dict(self._headers, **headers or {})
        if microversion:
            headers['OpenStack-API-Version'] = '%s %s' % (
                self.peer.service_type, microversion)
        try:
            answer = self._send(method, url, headers, **kwargs)
            # A token may have been revoked before its time: once more
            # with a new one.
            if answer.status_code == 401 and self._auth.invalidate():
                answer = self._send(method, url, headers, **kwargs)
        except (ks_exc.ClientException, requests.RequestException,
                OSError) as exc:
            raise self._unanswered(exc) from exc
        if answer.status_code >= 400:
            raise self._refused(answer)
        return answer

    def _send(self, method: str, url: str, headers: dict,
              **kwargs) -> requests.Response:
        token = self._auth.get_headers(self._session)
        if not token:
            raise ks_exc.AuthorizationFailure('There is no token.')
        return self._transport.request(
            method, self._url_of_peer() + url, dict(headers, **token),
            **kwargs)

    def _url_of_peer(self) -> str:
        if self._endpoint is None:
            options = CONF[self.peer.group]
            found = self._auth.get_endpoint(
                self._session, service_type=self.peer.service_type,
                interface=options.endpoint_type.removesuffix('URL'),
                region_name=options.region_name)
            if not found:
                raise ks_exc.EndpointNotFound()
            self._endpoint = found.rstrip('/')
        return self._endpoint

    def get(self, url: str, params=None, **kwargs) -> requests.Response:
        """GET; ``params``: a dict or a list of pairs for the query."""
        return self.request(url, 'GET', params=params, **kwargs)

    def post(self, url: str, json=None, **kwargs) -> requests.Response:
        """POST with ``json`` as body."""
        return self.request(url, 'POST', json=json, **kwargs)

    def put(self, url: str, json=None, **kwargs) -> requests.Response:
        """PUT with ``json`` as body."""
        return self.request(url, 'PUT', json=json, **kwargs)

    def patch(self, url: str, json=None, **kwargs) -> requests.Response:
        """PATCH with ``json`` as body."""
        return self.request(url, 'PATCH', json=json, **kwargs)

    def delete(self, url: str, **kwargs) -> requests.Response:
        """DELETE."""
        return self.request(url, 'DELETE', **kwargs)

    def _unanswered(self, exc: Exception) -> PeerError:
        # Addresses of the deployment's inside are for the log alone.
        LOG.error('%(peer)s cannot be used: %(error)s',
                  {'peer': self.peer.title, 'error': exc})
        if getattr(exc, 'http_status', None) == 401:
            return PeerRefused(self.peer.title,
                               'the token is not accepted', 401)
        return PeerUnavailable(self.peer.title, next(
            reason for kind, reason in UNANSWERED if isinstance(exc, kind)))

    def _refused(self, answer: requests.Response) -> PeerError:
        status, text = answer.status_code, error_text(answer)
        if status >= 500 or status == 429:
            LOG.error('%(peer)s answered %(status)d: %(text)s',
                      {'peer': self.peer.title, 'status': status,
                       'text': text})
            return PeerUnavailable(self.peer.title, 'HTTP %d' % status,
                                   status, text)
        return PeerRefused(self.peer.title, '%s (HTTP %d)' % (
            text or answer.reason or 'no reason', status), status, text)


def error_text(answer: requests.Response) -> str | None:
    """The reason in an error body: Neutron's and Cinder's
    ``{"kind": {"message": ...}}``, Placement's ``{"errors": [{"detail":
    ...}]}`` or a flat ``{"message": ...}``; None when there is none.
    """
    try:
        body = answer.json()
    except ValueError:
        return None
    if not isinstance(body, dict):
        return None
    if isinstance(body.get('message'), str):
        return body['message']
    for value in body.values():
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, dict):
            text = value.get('message') or value.get('detail')
            if isinstance(text, str):
                return text
    return None


class OpenStackClients:
    """The clients of one context, made when first asked for."""

    def __init__(self, context):
        self.context = context
        self._clients: dict = {}

    def client(self, name: str, admin: bool = False) -> Client:
        """The client of a peer (a key of :data:`PEERS`).

        :param admin: use the service account though the caller has a token.
        """
        admin = admin or not getattr(self.context, 'auth_token', None)
        key = (name, admin)
        if key not in self._clients:
            self._clients[key] = Client(
                PEERS[name],
                _authentication(PEERS[name], None if admin else self.context),
                getattr(self.context, 'global_id', None))
        return self._clients[key]

    def cinder(self, admin: bool = False) -> Client:
        """Block storage, v3; paths start with ``/volumes``."""
        return self.client('cinder', admin)

    def glance(self, admin: bool = False) -> Client:
        """Images; paths start with ``/v2``."""
        return self.client('glance', admin)

    def neutron(self, admin: bool = False) -> Client:
        """Networks; paths start with ``/v2.0``."""
        return self.client('neutron', admin)

    def placement(self) -> Client:
        """Placement, always as the service."""
        return self.client('placement', True)

    def zun(self, admin: bool = False) -> Client:
        """The container service itself."""
        return self.client('container', admin)


def _authentication(peer: Peer, context) -> plugin.BaseAuthPlugin:
    """``context``: the caller, or None for the service account."""
    try:
        if context is not None:
            return keystone.caller_auth(context)
        service = keystone.service_auth()
    except ks_exc.ClientException as exc:
        raise PeerUnavailable(peer.title, str(exc)) from exc
    if peer.service_type == 'block-storage':
        # Cinder lets nobody but a service delete the attachment of a
        # volume in use: it looks at the service token.
        return service_token.ServiceTokenAuthWrapper(service, service)
    return service
