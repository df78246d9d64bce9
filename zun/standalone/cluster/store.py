# SPDX-License-Identifier: Apache-2.0
"""Objects with resourceVersions and the history that watches read.

All methods run in the cluster's thread. Stored objects are never changed in
place: a new version replaces the old one, so that events may share them.
"""

import asyncio
import collections
import copy
import datetime
from typing import Any
from typing import Callable
import uuid

from zun.standalone.cluster import errors
from zun.standalone.cluster import resources

Key = tuple[resources.ResourceType, str, str]
Listener = Callable[[str, resources.ResourceType, dict[str, Any]], None]


def now() -> str:
    """The time in the API's format (seconds)."""
    return datetime.datetime.now(datetime.timezone.utc).strftime(
        '%Y-%m-%dT%H:%M:%SZ')


class Event:
    """One change: ``kind`` is ADDED, MODIFIED or DELETED.

    ``previous`` is the version before it, so that a watch with a selector
    can tell an object that left the selection.
    """

    __slots__ = ('version', 'kind', 'resource', 'obj', 'previous')

    def __init__(self, version: int, kind: str,
                 resource: resources.ResourceType, obj: dict[str, Any],
                 previous: dict[str, Any] | None) -> None:
        self.version = version
        self.kind = kind
        self.resource = resource
        self.obj = obj
        self.previous = previous


class Store:
    """The cluster's objects; what etcd is to the API server."""

    def __init__(self, history: int = 4096) -> None:
        self.version = 100
        self.objects: dict[Key, dict[str, Any]] = {}
        self.history: collections.deque[Event] = collections.deque(
            maxlen=history)
        self.oldest = self.version
        self.listeners: list[Listener] = []
        self.queues: set[asyncio.Queue[Event]] = set()

    # reading

    def find(self, resource: resources.ResourceType, namespace: str,
             name: str) -> dict[str, Any] | None:
        """The object (not to be changed) or None."""
        return self.objects.get((resource, namespace, name))

    def get(self, resource: resources.ResourceType, namespace: str,
            name: str) -> dict[str, Any]:
        """The object (not to be changed).

        :raises ApiError: 404.
        """
        obj = self.find(resource, namespace, name)
        if obj is None:
            raise errors.not_found(resource.plural, name, resource.group)
        return obj

    def select(self, resource: resources.ResourceType, namespace: str = ''
               ) -> list[dict[str, Any]]:
        """Objects of a namespace ('' = all), sorted as etcd's keys are."""
        found = [(key[1], key[2], obj) for key, obj in self.objects.items()
                 if key[0] is resource and namespace in ('', key[1])]
        return [item[2] for item in sorted(found, key=lambda i: i[:2])]

    # writing

    def create(self, resource: resources.ResourceType, obj: dict[str, Any]
               ) -> dict[str, Any]:
        """Store a new object; fills in uid, times and version.

        :raises ApiError: 409 if the name is taken.
        """
        meta = obj.setdefault('metadata', {})
        if not meta.get('name') and meta.get('generateName'):
            meta['name'] = meta['generateName'] + uuid.uuid4().hex[:5]
        key = (resource, meta.get('namespace', ''), meta['name'])
        if key in self.objects:
            raise errors.already_exists(resource.plural, meta['name'],
                                        resource.group)
        for field in ('deletionTimestamp', 'deletionGracePeriodSeconds'):
            meta.pop(field, None)
        meta['uid'] = str(uuid.uuid4())
        meta['creationTimestamp'] = now()
        obj['apiVersion'] = resource.api_version
        obj['kind'] = resource.kind
        return self._write('ADDED', key, obj)

    def update(self, resource: resources.ResourceType, obj: dict[str, Any]
               ) -> dict[str, Any]:
        """Replace an object; nothing happens if nothing changed.

        An object that is being deleted and has no finalizer left goes.
        """
        meta = obj['metadata']
        key = (resource, meta.get('namespace', ''), meta['name'])
        before = self.objects[key]
        if before == obj:
            return before
        after = self._write('MODIFIED', key, obj)
        if self._may_go(resource, after):
            self.remove(resource, after)
        return after

    def change(self, resource: resources.ResourceType, namespace: str,
               name: str, edit: Callable[[dict[str, Any]], None]
               ) -> dict[str, Any] | None:
        """Edit a copy of an object and store it; None if it is gone."""
        obj = self.find(resource, namespace, name)
        if obj is None:
            return None
        obj = copy.deepcopy(obj)
        edit(obj)
        return self.update(resource, obj)

    def remove(self, resource: resources.ResourceType, obj: dict[str, Any]
               ) -> dict[str, Any]:
        """Take an object out, whatever its finalizers say."""
        meta = obj['metadata']
        key = (resource, meta.get('namespace', ''), meta['name'])
        last = copy.deepcopy(self.objects.pop(key))
        return self._record('DELETED', resource, last, None)

    # watching

    def since(self, version: int) -> list[Event]:
        """Events after ``version``.

        :raises ApiError: 410 when they are no longer kept.
        """
        if version < self.oldest:
            raise errors.expired(version, self.oldest)
        return [e for e in self.history if e.version > version]

    def compact(self) -> None:
        """Forget all events, so that older watches get a 410."""
        self.history.clear()
        self.oldest = self.version

    def _write(self, kind: str, key: Key, obj: dict[str, Any]
               ) -> dict[str, Any]:
        previous = self.objects.get(key)
        self.objects[key] = obj
        return self._record(kind, key[0], obj, previous)

    def _record(self, kind: str, resource: resources.ResourceType,
                obj: dict[str, Any], previous: dict[str, Any] | None
                ) -> dict[str, Any]:
        self.version += 1
        obj['metadata']['resourceVersion'] = str(self.version)
        event = Event(self.version, kind, resource, obj, previous)
        if len(self.history) == self.history.maxlen:
            self.oldest = self.history[0].version
        self.history.append(event)
        for queue in self.queues:
            queue.put_nowait(event)
        for listener in self.listeners:
            listener(kind, resource, obj)
        return obj

    @staticmethod
    def _may_go(resource: resources.ResourceType, obj: dict[str, Any]
                ) -> bool:
        meta = obj['metadata']
        if not meta.get('deletionTimestamp') or meta.get('finalizers'):
            return False
        if resource is resources.NAMESPACES:
            return not (obj.get('spec') or {}).get('finalizers')
        return not meta.get('deletionGracePeriodSeconds')
