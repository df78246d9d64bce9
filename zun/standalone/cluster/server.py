# SPDX-License-Identifier: Apache-2.0
"""The simulated API over HTTP: paths, watches and discovery."""

import asyncio
import hmac
import json
from typing import Any
from typing import Mapping

from aiohttp import web

from zun.standalone.cluster import errors
from zun.standalone.cluster import kubelet
from zun.standalone.cluster import resources
from zun.standalone.cluster import stats
from zun.standalone.cluster import store as stores
from zun.standalone.cluster import streams
from zun.standalone.cluster import verbs as verb_module
from zun.standalone import faults as fault_module

VERSION = {'major': '1', 'minor': '36', 'gitVersion': 'v1.36.3',
           'gitCommit': 'simulated', 'gitTreeState': 'clean',
           'buildDate': '1970-01-01T00:00:00Z', 'goVersion': 'none',
           'compiler': 'none', 'platform': 'linux/amd64'}
_REVIEWS = ('authorization.k8s.io', 'v1', 'selfsubjectaccessreviews')
#: Seconds between the bookmarks of a watch that asks for them.
BOOKMARK_EVERY = 1.0
_JSON = 'application/json'


class Server:
    """Answers requests; the owner of its listening socket is Cluster."""

    def __init__(self, store: stores.Store, verbs: verb_module.Verbs,
                 kubelets: dict[str, kubelet.Kubelet],
                 faults: fault_module.Faults, token: str) -> None:
        self.store = store
        self.verbs = verbs
        self.kubelets = kubelets
        self.faults = faults
        self.token = token
        self.requests: list[tuple[str, str]] = []
        self.record = False
        self.watches: set[asyncio.Task[Any]] = set()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """One request."""
        if self.record:
            self.requests.append((request.method, request.path))
        try:
            fault = self.faults.match(request.method, request.path)
            if fault is not None:
                return await self._faulty(request, fault)
            return await self._answer(request)
        except errors.ApiError as e:
            return _json(e.status(), e.code)

    async def _faulty(self, request: web.Request,
                      fault: fault_module.Fault) -> web.StreamResponse:
        await asyncio.sleep(fault.delay)
        if fault.status:
            raise errors.ApiError(fault.status, fault.reason, fault.message,
                                  {})
        if not fault.refuse:
            response = await self._answer(request)
            if not fault.lose:
                return response
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=500)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        parts = [p for p in request.path.split('/') if p]
        if parts[:1] in (['healthz'], ['readyz'], ['livez']):
            return web.Response(text='ok')
        given = request.headers.get('Authorization', '')
        if not hmac.compare_digest(given.encode(),
                                   ('Bearer ' + self.token).encode()):
            raise errors.ApiError(401, 'Unauthorized', 'Unauthorized')
        if parts == ['version']:
            return _json(VERSION)
        if parts[:1] == ['api']:
            if len(parts) == 1:
                return _json({'kind': 'APIVersions', 'versions': ['v1']})
            return await self._versioned(request, '', parts[1:])
        if parts[:1] == ['apis']:
            if len(parts) < 3:
                return _json(_groups(parts[1:]))
            return await self._versioned(request, parts[1], parts[2:])
        raise errors.unknown_resource()

    async def _versioned(self, request: web.Request, group: str,
                         parts: list[str]) -> web.StreamResponse:
        version, rest = parts[0], parts[1:]
        if not rest:
            return _json(_resource_list(group, version))
        if (group, version, rest[0]) == _REVIEWS:
            body = await _body(request)
            return _json(dict(body, kind='SelfSubjectAccessReview',
                              apiVersion='authorization.k8s.io/v1',
                              metadata={}, status={'allowed': True}), 201)
        namespace = ''
        if rest[0] == 'namespaces' and len(rest) > 2 and rest[2] not in (
                'status', 'finalize'):
            namespace, rest = rest[1], rest[2:]
        resource = resources.BY_PATH.get((group, version, rest[0]))
        if resource is None or (namespace and not resource.namespaced):
            raise errors.unknown_resource()
        if len(rest) == 1:
            return await self._collection(request, resource, namespace)
        if resource.namespaced and not namespace:
            raise errors.unknown_resource()
        if rest[2:]:
            return await self._subresource(request, resource, namespace,
                                           rest[1], rest[2:])
        return await self._item(request, resource, namespace, rest[1])

    async def _collection(self, request: web.Request,
                          resource: resources.ResourceType, namespace: str
                          ) -> web.StreamResponse:
        query = request.query
        if request.method == 'GET':
            if query.get('watch') in ('true', '1'):
                return await self._watch(request, resource, namespace)
            return _json(self.verbs.select(resource, namespace, query))
        if request.method == 'POST':
            if resource.namespaced and not namespace:
                raise errors.method_not_allowed()
            return _json(self.verbs.create(
                resource, namespace, await _body(request),
                query.get('dryRun') == 'All'), 201)
        if request.method == 'DELETE':
            return _json(self.verbs.delete_collection(
                resource, namespace, query, await _options(request)))
        raise errors.method_not_allowed()

    async def _item(self, request: web.Request,
                    resource: resources.ResourceType, namespace: str,
                    name: str) -> web.StreamResponse:
        if request.method == 'GET':
            if request.query.get('watch') in ('true', '1'):
                return await self._watch(request, resource, namespace, name)
            return _json(self.store.get(resource, namespace, name))
        if request.method == 'PUT':
            return _json(self.verbs.update(resource, namespace, name,
                                           await _body(request)))
        if request.method == 'PATCH':
            return _json(self.verbs.patch(
                resource, namespace, name, await _body(request),
                request.headers.get('Content-Type', '')))
        if request.method == 'DELETE':
            return _json(self.verbs.delete(resource, namespace, name,
                                           await _options(request)))
        raise errors.method_not_allowed()

    async def _subresource(self, request: web.Request,
                           resource: resources.ResourceType, namespace: str,
                           name: str, rest: list[str]
                           ) -> web.StreamResponse:
        if resource is resources.NODES and rest[0] == 'proxy':
            return self._node_proxy(name, rest[1:])
        if rest[0] not in resource.subresources or len(rest) > 1:
            raise errors.unknown_resource()
        if rest[0] in ('log', 'exec', 'attach'):
            return await self._stream(request, namespace, name, rest[0])
        if rest[0] == 'eviction':
            self.verbs.delete(resource, namespace, name, (
                await _body(request)).get('deleteOptions') or {})
            return _json({'kind': 'Status', 'apiVersion': 'v1',
                          'metadata': {}, 'status': 'Success',
                          'code': 201}, 201)
        if request.method == 'GET':
            return _json(self.store.get(resource, namespace, name))
        if request.method == 'PUT':
            return _json(self.verbs.update(resource, namespace, name,
                                           await _body(request), rest[0]))
        if request.method == 'PATCH':
            return _json(self.verbs.patch(
                resource, namespace, name, await _body(request),
                request.headers.get('Content-Type', ''), rest[0]))
        raise errors.method_not_allowed()

    def _node_proxy(self, name: str, rest: list[str]) -> web.Response:
        self.store.get(resources.NODES, '', name)
        node = self.kubelets.get(name)
        if node is None or node.gone:
            raise errors.ApiError(503, 'ServiceUnavailable',
                                  'node %s does not answer' % name)
        if rest != ['stats', 'summary']:
            raise errors.unknown_resource()
        return _json(stats.summary(node))

    async def _stream(self, request: web.Request, namespace: str, name: str,
                      kind: str) -> web.StreamResponse:
        pod = self.store.get(resources.PODS, namespace, name)
        container_name = streams.container_name(
            pod, request.query.get('container', ''))
        node = self.kubelets.get(pod['spec'].get('nodeName', ''))
        if kind == 'log':
            streams.log_options(name, request.query)
            if node is None:
                return web.Response(text='')
            run = streams.run_of_log(pod, container_name, request.query)
        elif not pod['spec'].get('nodeName'):
            raise errors.bad_request(
                'pod %s does not have a host assigned' % name)
        if node is None or node.gone:
            raise errors.ApiError(
                500, 'InternalError', 'Get "https://%s:10250/": dial tcp: '
                'connect: connection refused' % pod['spec']['nodeName'])
        if kind == 'log':
            return await streams.log(request, node, pod, container_name,
                                     run)
        container = node.container(pod['metadata']['uid'], container_name)
        if container is None or not container.running:
            return web.Response(
                status=500, text='container not found ("%s")'
                % container_name)
        if kind == 'exec':
            return await streams.execute(request, container)
        return await streams.attach(request, container)

    # watch

    async def _watch(self, request: web.Request,
                     resource: resources.ResourceType, namespace: str,
                     name: str = '') -> web.StreamResponse:
        query = request.query
        chosen = verb_module.selection(resource, query)

        def matches(obj: dict[str, Any]) -> bool:
            meta = obj['metadata']
            return (namespace in ('', meta.get('namespace', '')) and
                    name in ('', meta['name']) and chosen(obj))
        queue: asyncio.Queue[stores.Event] = asyncio.Queue()
        response = web.StreamResponse(headers={'Content-Type': _JSON})
        response.enable_chunked_encoding()
        await response.prepare(request)
        task = asyncio.current_task()
        if task is not None:
            self.watches.add(task)
        self.store.queues.add(queue)
        try:
            for line in self._first(resource, namespace, query, matches):
                await response.write(line)
            await self._follow(response, resource, queue, query, matches)
        except errors.ApiError as e:
            await response.write(_line('ERROR', e.status()))
        finally:
            self.store.queues.discard(queue)
            if task is not None:
                self.watches.discard(task)
        await response.write_eof()
        return response

    def _first(self, resource: resources.ResourceType, namespace: str,
               query: Mapping[str, str], matches: Any) -> list[bytes]:
        """What a watch starts with."""
        version = query.get('resourceVersion', '')
        initial = query.get('sendInitialEvents') == 'true'
        if version in ('', '0') or initial:
            lines = [_line('ADDED', obj)
                     for obj in self.store.select(resource, namespace)
                     if matches(obj)]
            if initial:
                lines.append(self._bookmark(resource, {
                    'k8s.io/initial-events-end': 'true'}))
            return lines
        if not version.isdigit():
            raise errors.bad_request('invalid resource version "%s"'
                                     % version)
        return [line for event in self.store.since(int(version))
                for line in _visible(event, resource, matches)]

    async def _follow(self, response: web.StreamResponse,
                      resource: resources.ResourceType,
                      queue: asyncio.Queue[stores.Event],
                      query: Mapping[str, str], matches: Any) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + float(query.get('timeoutSeconds') or 1800)
        bookmarks = query.get('allowWatchBookmarks') in ('true', '1')
        while True:
            left = end - loop.time()
            if left <= 0:
                return
            try:
                async with asyncio.timeout(min(left, BOOKMARK_EVERY)):
                    event = await queue.get()
            except TimeoutError:
                if bookmarks:
                    await response.write(self._bookmark(resource, {}))
                continue
            for line in _visible(event, resource, matches):
                await response.write(line)

    def _bookmark(self, resource: resources.ResourceType,
                  annotations: dict[str, str]) -> bytes:
        meta: dict[str, Any] = {
            'resourceVersion': str(self.store.version),
            'creationTimestamp': None}
        if annotations:
            meta['annotations'] = annotations
        return _line('BOOKMARK', {
            'kind': resource.kind, 'apiVersion': resource.api_version,
            'metadata': meta})


def _visible(event: stores.Event, resource: resources.ResourceType,
             matches: Any) -> list[bytes]:
    """A change as a watch with a selection sees it."""
    if event.resource is not resource:
        return []
    now = matches(event.obj)
    before = event.previous is not None and matches(event.previous)
    if event.kind == 'MODIFIED' and now != before:
        return [_line('ADDED' if now else 'DELETED', event.obj)]
    return [_line(event.kind, event.obj)] if now else []


def _line(kind: str, obj: dict[str, Any]) -> bytes:
    return json.dumps({'type': kind, 'object': obj}).encode() + b'\n'


def _json(document: Any, status: int = 200) -> web.Response:
    return web.Response(body=json.dumps(document).encode(), status=status,
                        content_type=_JSON)


async def _body(request: web.Request) -> Any:
    if 'protobuf' in request.headers.get('Content-Type', ''):
        raise errors.unsupported_media_type()  # clients go on with JSON
    raw = await request.read()
    try:
        return json.loads(raw or b'{}')
    except ValueError as e:
        raise errors.bad_request('the body is not JSON: %s' % e) from e


async def _options(request: web.Request) -> dict[str, Any]:
    """DeleteOptions, from the body or the query."""
    body = await _body(request)
    options = dict(body) if isinstance(body, dict) else {}
    for key in ('gracePeriodSeconds', 'propagationPolicy'):
        if key in request.query:
            options.setdefault(key, request.query[key])
    return options


def _groups(parts: list[str]) -> dict[str, Any]:
    groups = []
    for name in sorted({r.group for r in resources.RESOURCES if r.group} |
                       {_REVIEWS[0]}):
        version = {'groupVersion': name + '/v1', 'version': 'v1'}
        groups.append({'name': name, 'versions': [version],
                       'preferredVersion': version})
    if not parts:
        return {'kind': 'APIGroupList', 'apiVersion': 'v1',
                'groups': groups}
    for group in groups:
        if group['name'] == parts[0]:
            return dict(group, kind='APIGroup', apiVersion='v1')
    raise errors.unknown_resource()


def _resource_list(group: str, version: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    for item in resources.RESOURCES:
        if (item.group, item.version) != (group, version):
            continue
        found.append({'name': item.plural, 'kind': item.kind,
                      'singularName': item.kind.lower(),
                      'shortNames': list(item.short_names),
                      'namespaced': item.namespaced,
                      'verbs': resources.VERBS})
        for sub in item.subresources:
            found.append({'name': '%s/%s' % (item.plural, sub),
                          'kind': item.kind, 'singularName': '',
                          'namespaced': item.namespaced,
                          'verbs': ['get', 'patch', 'update']})
    if (group, version) == _REVIEWS[:2]:
        found.append({'name': _REVIEWS[2], 'singularName': '',
                      'kind': 'SelfSubjectAccessReview',
                      'namespaced': False, 'verbs': ['create']})
    if not found:
        raise errors.unknown_resource()
    full = '%s/%s' % (group, version) if group else version
    return {'kind': 'APIResourceList', 'apiVersion': 'v1',
            'groupVersion': full, 'resources': found}
