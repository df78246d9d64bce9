# SPDX-License-Identifier: Apache-2.0
"""Zun's Pods of this node, from a watch."""

from collections.abc import Callable
import threading
import typing

from oslo_log import log as logging

from zun.cni import spec
from zun.common.k8s import client
from zun.common.k8s import watch
import zun.conf
from zun.container.k8s import names

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)


class Pod(typing.NamedTuple):
    """What plugging has to know of a Pod.

    :ivar vifs: the annotation, not read yet.
    :ivar instance: uuid of the container or capsule.
    """

    namespace: str
    name: str
    uid: str
    vifs: str | None
    instance: str


def pod_of(document: dict) -> Pod:
    meta = document['metadata']
    return Pod(meta['namespace'], meta['name'], meta['uid'],
               names.annotations_of(document).get(names.VIFS),
               names.labels_of(document).get(names.CONTAINER) or
               meta['uid'])


def is_zuns(namespace: str) -> bool:
    """Whether Zun alone makes Pods in this namespace.

    Nobody else's annotations are believed: who writes one can claim any
    port that is bound to this node.
    """
    return (namespace.startswith(CONF.kubernetes.namespace_prefix) and
            namespace != CONF.kubernetes.service_namespace)


class Pods:
    """The handler of the watch.

    :param changed: called with each Pod that is new or was changed.
    """

    def __init__(self, changed: Callable[[Pod], None]):
        self._changed = changed
        self._known: dict[tuple[str, str], Pod] = {}
        self._news = threading.Condition()
        self._is_synced = False
        self._watcher: watch.Watcher | None = None

    def start(self) -> None:
        """Watch until stopped."""
        self._watcher = watch.Watcher(
            client.get_cluster(), client.PODS, self,
            fields='spec.nodeName=%s' % CONF.host)
        threading.Thread(target=self._watcher.run, name='pods',
                         daemon=True).start()

    def stop(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()

    @property
    def is_synced(self) -> bool:
        """Whether the Pods were listed once."""
        return self._is_synced

    def replace(self, objects: list[dict]) -> None:
        found = [pod_of(document) for document in objects
                 if is_zuns(document['metadata']['namespace'])]
        with self._news:
            self._known = {(pod.namespace, pod.name): pod for pod in found}
            self._is_synced = True
            self._news.notify_all()
        for pod in found:
            self._changed(pod)

    def update(self, event: watch.Event) -> None:
        pod = pod_of(event.object)
        if not is_zuns(pod.namespace):
            return
        key = (pod.namespace, pod.name)
        with self._news:
            before = self._known.pop(key, None)
            if event.type != 'DELETED':
                self._known[key] = pod
            elif before is not None and before.uid != pod.uid:
                self._known[key] = before
            self._news.notify_all()
        if event.type != 'DELETED' and pod != before:
            self._changed(pod)

    def find(self, key: spec.PodKey, timeout: float) -> Pod:
        """A Pod of this node; the runtime may know it a little sooner.

        :raises CNIError: it is not Zun's, or not known within that time.
        """
        if not is_zuns(key.namespace):
            raise spec.CNIError(
                spec.INVALID_CONFIGURATION,
                'Pod %s/%s is in no namespace of Zun (%s...)' % (
                    key.namespace, key.name,
                    CONF.kubernetes.namespace_prefix))
        with self._news:
            self._news.wait_for(lambda: self._lookup(key), timeout)
            found = self._lookup(key)
        if found is None:
            raise spec.CNIError(
                spec.TRY_AGAIN,
                'Pod %s/%s is not known on host %s%s' % (
                    key.namespace, key.name, CONF.host,
                    '' if self._is_synced else
                    ': its Pods could not be listed yet'))
        return found

    def _lookup(self, key):
        found = self._known.get((key.namespace, key.name))
        if found is None or key.uid and found.uid != key.uid:
            return None
        return found
