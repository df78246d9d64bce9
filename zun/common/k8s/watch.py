# SPDX-License-Identifier: Apache-2.0
"""Following objects as they change."""

from collections.abc import Callable
from collections.abc import Iterator
import json
import threading
import time
import typing

from oslo_log import log as logging

from zun.common.k8s import client
from zun.common.k8s import errors
from zun import conf

LOG = logging.getLogger(__name__)

CONF = conf.CONF

# Seconds between two attempts while the API server is away.
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 5.0


class Event(typing.NamedTuple):
    """One change: ADDED, MODIFIED or DELETED, and the object after it."""

    type: str
    object: dict


class Stop:
    """Ends a watch, also while it waits for the next event."""

    def __init__(self):
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._response = None

    def set(self) -> None:
        self._event.set()
        with self._lock:
            if self._response is not None:
                self._response.shutdown()

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, timeout: float) -> bool:
        return self._event.wait(timeout)

    def watches(self, response) -> None:
        """Name the answer that is being read, or None when it is not."""
        with self._lock:
            self._response = response
            if response is not None and self._event.is_set():
                response.shutdown()


def events(cluster: client.Cluster, resource: client.Resource,
           version: str, *, namespace: str | None = None,
           labels: str | None = None, fields: str | None = None,
           timeout: float | None = None, stop: Stop | None = None
           ) -> Iterator[Event]:
    """Changes after a resourceVersion, bookmarks included.

    Ends when the server ends the watch, which it does after ``timeout``.

    :raises Expired: the version is too old: list again.
    :raises Unavailable: the connection was lost.
    """
    seconds = max(1, int(timeout or CONF.kubernetes.watch_timeout))
    query = [('watch', 'true'), ('allowWatchBookmarks', 'true'),
             ('resourceVersion', version),
             ('timeoutSeconds', str(seconds))]
    query += [pair for pair in (('labelSelector', labels),
                                ('fieldSelector', fields)) if pair[1]]
    response = cluster.open(resource.path(namespace), query,
                            timeout=seconds + 10)
    stop = stop or Stop()
    stop.watches(response)
    try:
        for line in _lines(response):
            yield _event(json.loads(line))
    except errors.TRANSPORT_ERRORS as exc:
        if not stop.is_set():
            raise errors.from_exception(exc)
    finally:
        stop.watches(None)
        response.close()


def _lines(response):
    rest = b''
    for chunk in response.stream(amt=None, decode_content=True):
        *lines, rest = (rest + chunk).split(b'\n')
        yield from filter(None, lines)


def _event(document):
    if document['type'] == 'ERROR':
        status = document['object']
        raise errors.from_response(status.get('code', 500),
                                   json.dumps(status))
    return Event(document['type'], document['object'])


def wait_for(cluster: client.Cluster, resource: client.Resource, name: str,
             namespace: str | None, condition: Callable[[dict | None], object],
             timeout: float, known: dict | None = None):
    """Watch one object until ``condition`` of it is true.

    :param condition: called with each state of the object, None when it
        does not exist.
    :param known: the object as the caller has just seen it; saves asking
        for it.
    :returns: what the condition returned; its last, false value when the
        time, in seconds, is over.
    """
    deadline = time.monotonic() + timeout
    fields = 'metadata.name=%s' % name
    while True:
        if known is not None:
            found, version = known, known['metadata']['resourceVersion']
            known = None
        else:
            items, version = cluster.list(resource, namespace,
                                          fields=fields)
            found = items[0] if items else None
        value = condition(found)
        if value or time.monotonic() >= deadline:
            return value
        try:
            value = _watch_one(cluster, resource, namespace, fields, version,
                               condition, deadline)
        except errors.Expired:
            continue
        if value or time.monotonic() >= deadline:
            return value


def _watch_one(cluster, resource, namespace, fields, version, condition,
               deadline):
    value = None
    left = deadline - time.monotonic()
    stop = Stop()
    # The server counts whole seconds; the end of the time is ours to see.
    timer = threading.Timer(max(left, 0), stop.set)
    timer.daemon = True
    timer.start()
    try:
        for event in events(cluster, resource, version, namespace=namespace,
                            fields=fields, timeout=left + 1, stop=stop):
            if event.type == 'BOOKMARK':
                continue
            value = condition(
                None if event.type == 'DELETED' else event.object)
            if value:
                return value
    finally:
        timer.cancel()
    return value


class Handler(typing.Protocol):
    """Whoever wants to know about a kind of object."""

    def replace(self, objects: list[dict]) -> None:
        """These, and no others, exist now."""

    def update(self, event: Event) -> None:
        """One object changed."""


class Watcher:
    """Keeps a handler informed for as long as it is not stopped.

    Lists once, watches from there, resumes from the version last seen
    when a connection is lost, and lists again only when the server no
    longer knows that version.
    """

    def __init__(self, cluster: client.Cluster, resource: client.Resource,
                 handler: Handler, *, namespace: str | None = None,
                 labels: str | None = None, fields: str | None = None):
        self._cluster = cluster
        self._resource = resource
        self._handler = handler
        self._where = {'namespace': namespace, 'labels': labels,
                       'fields': fields}
        self._version = None
        self._stop = Stop()
        self._pause = _FIRST_PAUSE

    def stop(self) -> None:
        self._stop.set()

    def run(self) -> None:
        """Watch until stopped; never raises for the API's failures."""
        while not self._stop.is_set():
            try:
                self._follow()
                self._pause = _FIRST_PAUSE
            except errors.Expired:
                LOG.info('Version %(version)s of %(plural)s is gone; '
                         'listing them again',
                         {'version': self._version,
                          'plural': self._resource.plural})
                self._version = None
            except errors.KubernetesError as exc:
                LOG.warning('Watch of %(plural)s failed: %(error)s',
                            {'plural': self._resource.plural, 'error': exc})
                self._stop.wait(exc.retry_after or self._pause)
                self._pause = min(self._pause * 2, _LONGEST_PAUSE)

    def _follow(self):
        if self._version is None:
            objects, version = self._cluster.list(self._resource,
                                                  **self._where)
            self._handler.replace(objects)
            self._version = version
        for event in events(self._cluster, self._resource, self._version,
                            stop=self._stop, **self._where):
            self._pause = _FIRST_PAUSE
            if event.type != 'BOOKMARK':
                self._handler.update(event)
            self._version = event.object['metadata']['resourceVersion']
            if self._stop.is_set():
                return
