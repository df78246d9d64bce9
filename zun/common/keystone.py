# SPDX-License-Identifier: Apache-2.0
"""Who speaks to the peers: the caller or the service account.

Tokens and the catalogue always come over the identity service's own
session (its CA, its ``insecure``), whatever the TLS settings of the peer
that a token is for.
"""

import collections
import os
import threading
import time

from keystoneauth1 import access
from keystoneauth1 import exceptions as ks_exc
from keystoneauth1.identity import access as access_plugin
from keystoneauth1.identity import generic
from keystoneauth1 import loading
from keystoneauth1 import plugin
from keystoneauth1 import session as ks_session
from oslo_config import cfg
import requests
from requests import adapters

import zun.conf
from zun import version

CONF = zun.conf.CONF

GROUP = 'keystone_auth'
FALLBACK_GROUP = 'keystone_authtoken'
# Seconds a peer may stay silent unless [keystone_auth] timeout says
# otherwise, and how long a caller's catalogue is kept.
TIMEOUT = 60
CALLER_TTL = 300
MAX_CALLERS = 1000
ENDPOINT_TTL = 300
# Connections to one address that are kept open.
POOL_SIZE = 32

_lock = threading.Lock()
_sessions: dict = {}
_transports: dict = {}
_tls: dict = {}
_service: list = []
_callers: collections.OrderedDict = collections.OrderedDict()


def reset() -> None:
    """Forget every session, token and catalogue (after a change of options,
    and between recorded exchanges).
    """
    with _lock:
        _sessions.clear()
        _transports.clear()
        _tls.clear()
        _service.clear()
        _callers.clear()


def session(verify=True, cert=None) -> ks_session.Session:
    """The shared session of these TLS settings.

    :param verify: True, False or the path of a CA bundle.
    :param cert: None or (certificate file, key file).
    """
    key = (verify, cert)
    with _lock:
        if key not in _sessions:
            _sessions[key] = ks_session.Session(
                verify=verify, cert=cert,
                timeout=_option(GROUP, 'timeout') or TIMEOUT,
                app_name='zun',
                app_version=version.version_info.version_string())
        return _sessions[key]


class Transport:
    """Pooled connections to peers, for all threads.

    What the process's environment says about proxies and authorities counts,
    but is looked up once an address, not once a request.
    """

    def __init__(self, verify, cert, timeout: float):
        # Without a session of ``requests`` over it: that would follow
        # redirects and carry cookies from one caller to the next.
        self._adapter = adapters.HTTPAdapter(pool_maxsize=POOL_SIZE)
        if verify is True:
            verify = (os.environ.get('REQUESTS_CA_BUNDLE') or
                      os.environ.get('CURL_CA_BUNDLE') or True)
        self._how = {'verify': verify, 'cert': cert, 'timeout': timeout}
        self._proxies: dict[str, dict] = {}

    def request(self, method: str, url: str, headers: dict,
                stream: bool = False, **kwargs) -> requests.Response:
        """Send a request; redirects are answers.

        :param kwargs: ``params``, ``json``, ``data``: as in ``requests``.
        :raises requests.RequestException: there was no answer.
        """
        prepared = requests.Request(
            method, url, headers=headers, **kwargs).prepare()
        answer = self._adapter.send(
            prepared, stream=stream, proxies=self._proxies_of(url),
            **self._how)
        if not stream:
            answer.content
        return answer

    def _proxies_of(self, url: str) -> dict:
        address = url[:url.find('/', len('https://'))]
        if address not in self._proxies:
            self._proxies[address] = requests.utils.get_environ_proxies(
                address)
        return self._proxies[address]


def transport(verify=True, cert=None) -> Transport:
    """The shared transport of these TLS settings; see :func:`session`."""
    key = (verify, cert)
    with _lock:
        if key not in _transports:
            _transports[key] = Transport(
                verify, cert, _option(GROUP, 'timeout') or TIMEOUT)
        return _transports[key]


def _option(group: str, *names: str):
    """The first of these options that is registered and set, else None."""
    for name in names:
        try:
            value = CONF[group][name]
        except (cfg.NoSuchOptError, cfg.NoSuchGroupError):
            continue
        if value:
            return value
    return None


def tls(group: str) -> dict:
    """``verify`` and ``cert`` as the options of a group say; they are read
    once.
    """
    found = _tls.get(group)
    if found is None:
        found = _tls[group] = _read_tls(group)
    return found


def _read_tls(group: str) -> dict:
    cafile = _option(group, 'ca_file', 'cafile')
    certfile = _option(group, 'cert_file', 'certfile')
    keyfile = _option(group, 'key_file', 'keyfile')
    return {
        'verify': False if _option(group, 'insecure') else (cafile or True),
        'cert': (certfile, keyfile) if certfile and keyfile else certfile}


def identity_session() -> ks_session.Session:
    """The session that tokens are fetched over: TLS as
    ``[keystone_auth]`` says, else as ``[keystone_authtoken]``.
    """
    own = tls(GROUP)
    if own == {'verify': True, 'cert': None}:
        own = tls(FALLBACK_GROUP)
    return session(**own)


class IdentityAuth(plugin.BaseAuthPlugin):
    """A keystoneauth plugin that asks the identity service over
    :func:`identity_session`, not over the session of the peer.
    """

    def __init__(self, auth):
        super().__init__()
        self._auth = auth
        self._endpoints: dict[tuple, tuple[float, str | None]] = {}

    def get_token(self, session, **kwargs):
        return self._auth.get_token(identity_session(), **kwargs)

    def get_endpoint(self, session, **kwargs):
        key = tuple(sorted(kwargs.items()))
        until, endpoint = self._endpoints.get(key, (0, None))
        if until < time.monotonic():
            endpoint = self._auth.get_endpoint(identity_session(), **kwargs)
            self._endpoints[key] = (time.monotonic() + ENDPOINT_TTL,
                                    endpoint)
        return endpoint

    def get_project_id(self, session, **kwargs):
        return self._auth.get_project_id(identity_session(), **kwargs)

    def get_user_id(self, session, **kwargs):
        return self._auth.get_user_id(identity_session(), **kwargs)

    def get_access(self, session=None, **kwargs):
        return self._auth.get_access(identity_session(), **kwargs)

    def invalidate(self):
        self._endpoints.clear()
        return self._auth.invalidate()


def service_auth() -> plugin.BaseAuthPlugin:
    """The service account of ``[keystone_auth]``, else of
    ``[keystone_authtoken]``; one for all threads, renewed by itself.

    :raises keystoneauth1.exceptions.MissingAuthPlugin: neither is set.
    """
    with _lock:
        if not _service:
            _service.append(IdentityAuth(_load_service_auth()))
        return _service[0]


def _load_service_auth():
    for group in (GROUP, FALLBACK_GROUP):
        loading.register_auth_conf_options(CONF, group)
        auth = loading.load_auth_from_conf_options(CONF, group)
        if auth is not None:
            return auth
    raise ks_exc.MissingAuthPlugin(
        'No service account: set auth_type, auth_url and the credentials '
        'in [%s].' % GROUP)


def caller_auth(context) -> plugin.BaseAuthPlugin:
    """The identity of a request: the caller's token, with the catalogue
    passed by the token filter or, without one, scoped anew.
    """
    auth_ref = _passed_on(context)
    if auth_ref is not None:
        return access_plugin.AccessInfoPlugin(auth_ref)
    now = time.monotonic()
    with _lock:
        kept = _callers.get(context.auth_token)
        if kept and kept[0] > now:
            return kept[1]
    auth = IdentityAuth(generic.Token(
        auth_url(), token=context.auth_token, **_scope(context)))
    with _lock:
        _callers[context.auth_token] = (now + CALLER_TTL, auth)
        _callers.move_to_end(context.auth_token)
        while len(_callers) > MAX_CALLERS:
            _callers.popitem(last=False)
    return auth


def _passed_on(context) -> access.AccessInfo | None:
    """What the token filter learned about the caller's token, if that has
    a catalogue: the identity service need not be asked again then.
    """
    info = getattr(context, 'auth_token_info', None)
    if not info or not info.get('token', {}).get('catalog'):
        return None
    return access.create(body=info, auth_token=context.auth_token)


def _scope(context) -> dict:
    if context.project_id:
        return {'project_id': context.project_id}
    return {}


def auth_url() -> str:
    """Where tokens are made: the service account's ``auth_url``, else the
    address that ``[keystone_authtoken]`` shows to clients.
    """
    for group, names in ((GROUP, ('auth_url',)), (
            FALLBACK_GROUP, ('auth_url', 'www_authenticate_uri'))):
        loading.register_auth_conf_options(CONF, group)
        loading.load_auth_from_conf_options(CONF, group)
        value = _option(group, *names)
        if value:
            return value
    raise ks_exc.MissingAuthPlugin(
        'No identity service: set auth_url in [%s].' % GROUP)
