# SPDX-License-Identifier: Apache-2.0
"""Follows all Pods of Zun and knows which containers may have changed.

A watch feeds a copy of the Pods, without what nobody asks for. Who syncs
rows takes the uuids of what changed, in batches, at its own pace; a
container that changed ten times meanwhile is looked at once.
"""

import collections
import datetime
import threading
import time

from oslo_log import log as logging

from zun.common import consts
from zun.common.k8s import client
from zun.common.k8s import errors as k8s_errors
from zun.common.k8s import watch
from zun.container import driver
from zun.container.k8s import capsules
from zun.container.k8s import layers
from zun.container.k8s import names
from zun.container.k8s import namespaces
from zun.container.k8s import status

LOG = logging.getLogger(__name__)

# Pods that went, remembered for the reason they went for.
_REMEMBERED = 10000
_STOP_SECONDS = 5.0


class Observer:
    """The Pods in the namespaces of this deployment's projects."""

    def __init__(self, cluster: client.Cluster):
        self._cluster = cluster
        self._watcher = watch.Watcher(cluster, client.PODS, self,
                                      labels=names.MANAGED_SELECTOR)
        self._thread = threading.Thread(target=self._watcher.run,
                                        name='pod-watch', daemon=True)
        self._condition = threading.Condition()
        self._listed = False
        self._pods: dict[str, dict[str, dict]] = {}
        self._gone: collections.OrderedDict[str, dict] = (
            collections.OrderedDict())
        self._due: dict[str, float] = {}

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._watcher.stop()
        self._thread.join(_STOP_SECONDS)

    # -- fed by the watch ------------------------------------------------
    def replace(self, objects: list[dict]) -> None:
        pods: dict[str, dict[str, dict]] = {}
        for found in objects:
            if self._is_ours(found):
                pods.setdefault(_uuid(found), {})[_name(found)] = _slim(
                    found)
        with self._condition:
            before, self._pods = self._pods, pods
            self._listed = True
            self._mark(before.keys() | pods.keys(), time.monotonic())

    def update(self, event: watch.Event) -> None:
        found = event.object
        if not self._is_ours(found):
            return
        with self._condition:
            known = self._pods.setdefault(_uuid(found), {})
            if event.type == 'DELETED':
                known.pop(_name(found), None)
                self._remember(found)
                if not known:
                    del self._pods[_uuid(found)]
            else:
                known[_name(found)] = _slim(found)
            self._mark([_uuid(found)], time.monotonic())

    @staticmethod
    def _is_ours(found):
        """Not of another deployment, whose prefix may begin alike."""
        project = names.labels_of(found).get(names.PROJECT)
        return bool(_uuid(found) and project) and (
            found['metadata']['namespace'] == namespaces.name_of(project))

    def _remember(self, found):
        self._gone[_name(found)] = _slim(found)
        while len(self._gone) > _REMEMBERED:
            self._gone.popitem(last=False)

    def _mark(self, uuids, due):
        for uuid in uuids:
            self._due[uuid] = min(due, self._due.get(uuid, due))
        self._condition.notify_all()

    # -- asked by the sync -----------------------------------------------
    def changed(self, limit: int, timeout: float) -> list[str]:
        deadline = time.monotonic() + timeout
        with self._condition:
            while True:
                now = time.monotonic()
                due = [uuid for uuid, when in self._due.items()
                       if when <= now][:limit]
                if due and self._listed:
                    for uuid in due:
                        del self._due[uuid]
                    return due
                if now >= deadline:
                    return []
                next_due = min(self._due.values(), default=deadline)
                self._condition.wait(
                    max(0.01, min(next_due, deadline) - now))

    def look_again(self, uuids, delay: float) -> None:
        with self._condition:
            self._mark(uuids, time.monotonic() + delay)

    def look_at_all(self) -> None:
        with self._condition:
            self._mark(list(self._pods), time.monotonic())

    def look(self, container, now: datetime.datetime) -> driver.Sight:
        place = names.parse_container_id(container.container_id)
        found, gone = self._find(container.uuid, place.pod)
        if found is None:
            note = status.pod_note(gone) if gone is not None else None
            return driver.Sight(
                note=note, restarts=_restarts(gone) if gone else None)
        seen = status.observe(
            found, place.container, now=now,
            paused=container.status == consts.PAUSED)
        return driver.Sight(
            present=True, running=seen.running, ended=seen.ended,
            exit_code=seen.exit_code, ran=_ran(seen),
            unhealthy=seen.health == status.UNHEALTHY, note=seen.note,
            values=status.row_values(
                container.status, container.task_state, seen, now,
                detail=container.status_detail),
            restarts=_restarts(found),
            kept=layers.kept_of(found) is not None)

    def look_into(self, capsule, now: datetime.datetime
                  ) -> dict[str, dict] | None:
        place = names.parse_container_id(capsule.container_id)
        found, __ = self._find(capsule.uuid, place.pod)
        if found is None:
            return None
        return capsules.describe(
            found, capsule, [*(capsule.init_containers or ()),
                             *(capsule.containers or ())])

    def _find(self, uuid, name):
        with self._condition:
            return (self._pods.get(uuid, {}).get(name),
                    self._gone.get(name))

    def known(self) -> set[str]:
        with self._condition:
            return set(self._pods)

    def remove_unknown(self, uuids) -> None:
        for uuid in uuids:
            with self._condition:
                pods = list(self._pods.get(uuid, {}).values())
            for found in pods:
                self._remove(found)

    def _remove(self, found):
        meta = found['metadata']
        LOG.warning('Removing Pod %(name)s in %(namespace)s, whose '
                    'container is no more',
                    {'name': meta['name'], 'namespace': meta['namespace']})
        try:
            self._cluster.delete(client.PODS, meta['name'],
                                 meta['namespace'], uid=meta['uid'])
        except (k8s_errors.NotFound, k8s_errors.Conflict):
            LOG.debug('Pod %s was gone', meta['name'])

    def projects(self) -> list[str]:
        found, __ = self._cluster.list(client.NAMESPACES,
                                       labels=names.MANAGED_SELECTOR)
        projects = [names.annotations_of(namespace).get(names.PROJECT)
                    for namespace in found]
        return [project for project, namespace in zip(projects, found)
                if project and namespaces.name_of(project) ==
                namespace['metadata']['name']]


def _uuid(found):
    return names.labels_of(found).get(names.CONTAINER)


def _name(found):
    return found['metadata']['name']


def _restarts(found):
    return names.annotations_of(found).get(names.RESTARTS)


def _ran(seen):
    if seen.started_at is None or seen.finished_at is None:
        return 0.0
    return (seen.finished_at - seen.started_at).total_seconds()


def _slim(found):
    """A Pod without what takes up room and is never looked at."""
    meta, spec = found['metadata'], found['spec']
    annotations = {key: value
                   for key, value in names.annotations_of(found).items()
                   if key in (names.RESTARTS, names.KEPT)}
    return {
        'metadata': {'name': meta['name'], 'namespace': meta['namespace'],
                     'uid': meta['uid'], 'labels': meta.get('labels'),
                     'annotations': annotations,
                     'deletionTimestamp': meta.get('deletionTimestamp')},
        'spec': {
            'schedulingGates': spec.get('schedulingGates'),
            'nodeName': spec.get('nodeName'),
            **{key: [{name: item[name] for name in (
                'name', 'image', 'readinessProbe') if name in item}
                for item in spec.get(key) or ()]
               for key in ('containers', 'initContainers')}},
        'status': found.get('status') or {},
    }
