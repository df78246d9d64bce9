# SPDX-License-Identifier: Apache-2.0
"""Requests to the API server; objects go in and come out as plain JSON.

The official client brings kubeconfig files, TLS, proxies and tokens; its
models are left out, because reading five thousand Pods through them takes
longer than everything else that is done with them.
"""

import json
import os
import threading
import typing

import kubernetes.client
import kubernetes.config
from oslo_log import log as logging
import urllib3

from zun.common import exception
from zun.common.i18n import _
from zun.common.k8s import errors
from zun import conf

LOG = logging.getLogger(__name__)

CONF = conf.CONF

PAGE_SIZE = 500
MERGE_PATCH = 'application/merge-patch+json'
STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
JSON_PATCH = 'application/json-patch+json'


class Resource(typing.NamedTuple):
    """A kind of object: the path of its API group and its plural."""

    prefix: str
    plural: str
    namespaced: bool = True

    def path(self, namespace: str | None = None, name: str | None = None,
             subresource: str | None = None) -> str:
        parts = [self.prefix]
        if self.namespaced and namespace:
            parts += ['namespaces', namespace]
        parts.append(self.plural)
        parts += [part for part in (name, subresource) if part]
        return '/'.join(parts)


PODS = Resource('/api/v1', 'pods')
SECRETS = Resource('/api/v1', 'secrets')
CONFIG_MAPS = Resource('/api/v1', 'configmaps')
EVENTS = Resource('/api/v1', 'events')
RESOURCE_QUOTAS = Resource('/api/v1', 'resourcequotas')
CLAIMS = Resource('/api/v1', 'persistentvolumeclaims')
VOLUMES = Resource('/api/v1', 'persistentvolumes', namespaced=False)
NAMESPACES = Resource('/api/v1', 'namespaces', namespaced=False)
NODES = Resource('/api/v1', 'nodes', namespaced=False)
LEASES = Resource('/apis/coordination.k8s.io/v1', 'leases')
ROLE_BINDINGS = Resource('/apis/rbac.authorization.k8s.io/v1',
                         'rolebindings')
RUNTIME_CLASSES = Resource('/apis/node.k8s.io/v1', 'runtimeclasses',
                           namespaced=False)
ATTACHMENT_DEFINITIONS = Resource('/apis/k8s.cni.cncf.io/v1',
                                  'network-attachment-definitions')


class Cluster:
    """One API server and the identity this service has there.

    May be shared by threads. Every method raises
    :class:`zun.common.k8s.errors.KubernetesError` or a subclass of it.
    """

    def __init__(self, configuration: kubernetes.client.Configuration):
        configuration.retries = False
        configuration.keep_alive = True
        self.configuration = configuration
        self._api = kubernetes.client.ApiClient(configuration)
        self._api.user_agent = 'zun'

    def get(self, resource: Resource, name: str,
            namespace: str | None = None) -> dict:
        return self._json('GET', resource.path(namespace, name))

    def find(self, resource: Resource, name: str,
             namespace: str | None = None) -> dict | None:
        """The object, or None where there is no such."""
        try:
            return self.get(resource, name, namespace)
        except errors.NotFound:
            return None

    def list(self, resource: Resource, namespace: str | None = None,
             labels: str | None = None, fields: str | None = None
             ) -> tuple[list[dict], str]:
        """All objects, page by page.

        :param labels: label selector.
        :param fields: field selector.
        :returns: the objects, and the resourceVersion to watch from.
        """
        query = _selectors(labels, fields) + [('limit', str(PAGE_SIZE))]
        path = resource.path(namespace)
        items, page_query = [], query
        while True:
            page = self._json('GET', path, page_query)
            items += page.get('items') or []
            token = page['metadata'].get('continue')
            if not token:
                return items, page['metadata'].get('resourceVersion', '')
            page_query = query + [('continue', token)]

    def create(self, resource: Resource, body: dict,
               namespace: str | None = None) -> dict:
        return self._json('POST', resource.path(namespace), body=body)

    def replace(self, resource: Resource, name: str, body: dict,
                namespace: str | None = None) -> dict:
        return self._json('PUT', resource.path(namespace, name), body=body)

    def patch(self, resource: Resource, name: str, body,
              namespace: str | None = None, *,
              content_type: str = MERGE_PATCH,
              subresource: str | None = None) -> dict:
        return self._json('PATCH',
                          resource.path(namespace, name, subresource),
                          body=body, content_type=content_type)

    def delete(self, resource: Resource, name: str,
               namespace: str | None = None, *, grace: int | None = None,
               uid: str | None = None, version: str | None = None) -> dict:
        """Ask for an object's removal.

        :param grace: seconds that a Pod's processes have to end; None is
            what its spec says, 0 removes the object without its node.
        :param uid: remove only the object of this uid.
        :param version: remove it only at this resourceVersion.
        """
        options = {'apiVersion': 'v1', 'kind': 'DeleteOptions',
                   'propagationPolicy': 'Background'}
        if grace is not None:
            options['gracePeriodSeconds'] = grace
        preconditions = {key: value for key, value in (
            ('uid', uid), ('resourceVersion', version)) if value}
        if preconditions:
            options['preconditions'] = preconditions
        return self._json('DELETE', resource.path(namespace, name),
                          body=options)

    def read(self, path: str, query=()) -> bytes:
        """Body of any GET, for subresources that are no objects."""
        response = self.open(path, query)
        try:
            return response.read()
        except errors.TRANSPORT_ERRORS as exc:
            raise errors.from_exception(exc)
        finally:
            response.release_conn()

    def open(self, path: str, query=(), timeout=None):
        """A GET whose body is read piecemeal; close or release it.

        :param timeout: seconds between two pieces of the body.
        """
        return self._send('GET', path, query, timeout=timeout).response

    def websocket_target(self, path: str, query) -> tuple[str, dict]:
        """Address and headers with which to open a stream."""
        __, url, headers, __, __ = self._api.param_serialize(
            'GET', path, query_params=list(query),
            header_params={}, auth_settings=['BearerToken'])
        return url, headers

    def version(self) -> dict:
        return self._json('GET', '/version')

    def _json(self, method, path, query=(), body=None,
              content_type='application/json'):
        response = self._send(method, path, query, body, content_type)
        try:
            return json.loads(response.read())
        except errors.TRANSPORT_ERRORS as exc:
            raise errors.from_exception(exc)

    def _send(self, method, path, query=(), body=None,
              content_type='application/json', timeout=None):
        headers = {'Accept': 'application/json, */*'}
        if body is not None:
            headers['Content-Type'] = content_type
            body = json.dumps(body)
        timeout = (CONF.kubernetes.connect_timeout,
                   timeout or CONF.kubernetes.request_timeout)
        request = self._api.param_serialize(
            method, path, query_params=list(query), header_params=headers,
            auth_settings=['BearerToken'])
        method, url, headers, __, __ = request
        try:
            response = self._transmit(method, url, headers, body, timeout)
        except (kubernetes.client.ApiException,
                *errors.TRANSPORT_ERRORS) as exc:
            raise errors.from_exception(exc)
        if 200 <= response.status <= 299:
            return response
        raise errors.from_response(response.status, _body(response),
                                   response.headers)

    def _transmit(self, method, url, headers, body, timeout):
        """One request; a read over a connection gone stale is repeated."""
        pool = self._api.rest_client.pool_manager
        try:
            response = self._request(pool, method, url, headers, body,
                                     timeout)
        except errors.STALE_CONNECTION:
            if method != 'GET':
                raise
            response = self._request(pool, method, url, headers, body,
                                     timeout)
        return response

    @staticmethod
    def _request(pool, method, url, headers, body, timeout):
        return _Response(pool.request(
            method, url, body=body, headers=headers, preload_content=False,
            retries=False, redirect=False,
            timeout=urllib3.Timeout(connect=timeout[0], read=timeout[1])))


class _Response:
    """An answer whose body has not been read yet."""

    def __init__(self, response):
        self.response = response
        self.status = response.status
        self.headers = response.headers

    def read(self) -> bytes:
        try:
            return self.response.read()
        finally:
            self.response.release_conn()


def _body(response):
    try:
        return response.read()
    except errors.TRANSPORT_ERRORS as exc:
        LOG.debug('Body of a %s answer was lost: %s', response.status, exc)
        return None


def _selectors(labels, fields):
    return [pair for pair in (('labelSelector', labels),
                              ('fieldSelector', fields)) if pair[1]]


def load_configuration(options=None) -> kubernetes.client.Configuration:
    """How to reach the cluster, from the options in ``[kubernetes]``.

    :raises ConfigInvalid: nothing says where the cluster is, or a file
        it names cannot be read.
    """
    options = options or CONF.kubernetes
    configuration = kubernetes.client.Configuration()
    try:
        if options.kubeconfig:
            kubernetes.config.load_kube_config(
                config_file=os.path.expanduser(options.kubeconfig),
                context=options.context,
                client_configuration=configuration)
        elif options.api_server:
            configuration.host = options.api_server.rstrip('/')
        else:
            kubernetes.config.load_incluster_config(configuration)
    except (kubernetes.config.ConfigException, OSError) as exc:
        raise exception.ConfigInvalid(error_msg=_(
            'The Kubernetes cluster cannot be found: %s. Set [kubernetes] '
            'kubeconfig or api_server, or run as a Pod with a service '
            'account.') % exc)
    _apply_tls(configuration, options)
    configuration.connection_pool_maxsize = options.pool_size
    return configuration


def _apply_tls(configuration, options):
    for attribute, value in (('ssl_ca_cert', options.ca_file),
                             ('cert_file', options.cert_file),
                             ('key_file', options.key_file)):
        if value:
            setattr(configuration, attribute, value)
    if options.insecure:
        configuration.verify_ssl = False
    if options.token_file:
        configuration.api_key['BearerToken'] = ''
        configuration.refresh_api_key_hook = _token_reader(
            options.token_file)


def _token_reader(path):
    def read(configuration):
        try:
            with open(path) as file:
                token = file.read().strip()
        except OSError as exc:
            raise errors.Unavailable(
                _('token file %(path)s: %(error)s')
                % {'path': path, 'error': exc})
        configuration.api_key['BearerToken'] = 'Bearer ' + token

    return read


_shared: dict[int, Cluster] = {}
_shared_lock = threading.Lock()


def get_cluster() -> Cluster:
    """The cluster of this process' configuration, connected once.

    A process forked later gets its own: connections can't be shared.
    """
    pid = os.getpid()
    with _shared_lock:
        if pid not in _shared:
            _shared.clear()
            _shared[pid] = Cluster(load_configuration())
        return _shared[pid]


def reset() -> None:
    """Forget the shared connection, for a changed configuration."""
    with _shared_lock:
        _shared.clear()
