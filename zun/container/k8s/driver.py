# SPDX-License-Identifier: Apache-2.0
"""The driver that runs containers and capsules as Pods.

Its parts are in the modules beside it: Pods and Secrets in
:mod:`.generations`, signals in :mod:`.power`, logs, exec and files in
:mod:`.inspection`. What a Pod looks like, and what it says about its
containers, are the pure modules :mod:`.pod` and :mod:`.status`.
"""

from collections.abc import Callable
import time

from oslo_log import log as logging
from oslo_utils import timeutils

from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.common.k8s import client
from zun.common.k8s import errors as k8s_errors
from zun.common.k8s import watch
import zun.conf
from zun.container import driver
from zun.container.k8s import capsules
from zun.container.k8s import commits
from zun.container.k8s import inspection
from zun.container.k8s import names
from zun.container.k8s import namespaces
from zun.container.k8s import observer
from zun.container.k8s import pod
from zun.container.k8s import power
from zun.container.k8s import resources
from zun.container.k8s import status

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

# Never 0: it would remove a Pod before its network is unplugged.
_LEAST_GRACE = 1
_RESIZE_SECONDS = 10.0


class KubernetesDriver(power.Power, inspection.Inspection, commits.Commits,
                       capsules.Capsules, driver.ContainerDriver,
                       driver.CapsuleDriver):
    """Containers and capsules on one Kubernetes cluster."""

    def create(self, context, container, plan: driver.Plan) -> dict:
        return self._make(container, self.surroundings(container, 1, plan),
                          plan)

    def recreate(self, context, container, plan: driver.Plan | None = None,
                 restarts: str | None = None) -> dict:
        generation = self._next_generation(container)
        if plan is not None:
            return self._make(container, self.surroundings(
                container, generation, plan, restarts), plan)
        former = self.get_pod(container)
        around = self.inherited(former, generation, restarts)
        made = self.make_pod(
            pod.container_pod(container, around, self.settings()),
            container.project_id)
        self.share_secrets(made)
        return row_values(made)

    def hold_back(self, context, container) -> dict | None:
        found = self.get_pod(container)
        seen = status.observe(found, self.place(container).container)
        if status.is_over(found) or status.is_gated(found) or seen.running:
            return None
        values = self.recreate(context, container)
        self._delete(found, _LEAST_GRACE)
        return values

    def _make(self, container, around, plan):
        made = self.make_pod(
            pod.container_pod(container, around, self.settings()),
            container.project_id)
        self.make_secrets(made, container, plan.images[container.uuid],
                          plan.mounts.get(container.uuid, ()))
        return row_values(made)

    def _next_generation(self, container):
        if not container.container_id:
            return 1
        return self.place(container).generation + 1

    def remove(self, context, container, force: bool = False) -> None:
        pods = self.pods_of(container)
        leaving = [self._delete(found, _LEAST_GRACE if force else None)
                   for found in pods]
        deadline = time.monotonic() + CONF.kubernetes.delete_timeout
        for found in filter(None, leaving):
            self._await_gone(found, max(0.1, deadline - time.monotonic()))
        self.remove_secrets(pods)

    def _delete(self, found, grace):
        """Ask for a Pod's removal.

        :returns: the Pod, or None if it went at once.
        """
        meta = found['metadata']
        try:
            leaving = self.cluster.delete(
                client.PODS, meta['name'], meta['namespace'], grace=grace,
                uid=meta['uid'])
        except (k8s_errors.NotFound, k8s_errors.Conflict):
            LOG.debug('Pod %s was gone', meta['name'])
            return None
        after = leaving.get('metadata') or {}
        if after.get('deletionGracePeriodSeconds') and leaving.get(
                'kind') == 'Pod':
            return leaving
        return leaving if after.get('finalizers') else None

    def _await_gone(self, found, timeout):
        """Wait for a Pod to go; one on a dead node goes without it."""
        meta, spec = found['metadata'], found['spec']
        if watch.wait_for(
                self.cluster, client.PODS, meta['name'], meta['namespace'],
                lambda seen: seen is None or
                seen['metadata']['uid'] != meta['uid'],
                timeout, known=found):
            return
        if not self._node_is_lost(found):
            raise k8s_errors.Unavailable(
                _('Pod %(pod)s is still on node %(node)s')
                % {'pod': meta['name'], 'node': spec.get('nodeName')})
        LOG.warning('Removing Pod %(pod)s without its node %(node)s, '
                    'which is lost',
                    {'pod': meta['name'], 'node': spec.get('nodeName')})
        self._delete(found, 0)

    def _node_is_lost(self, found):
        name = found['spec'].get('nodeName')
        node = self.cluster.find(client.NODES, name) if name else None
        if node is None:
            return True
        return not any(condition['type'] == 'Ready' and
                       condition['status'] == 'True'
                       for condition in node['status'].get(
                           'conditions') or ())

    def tidy(self, context, project_id: str,
             empty: Callable[[], bool]) -> None:
        namespaces.remove_if_empty(self.cluster, project_id, empty)

    def observer(self) -> observer.Observer:
        return observer.Observer(self.cluster)

    def show(self, context, container, force: bool = False) -> dict:
        found = self.get_pod(container)
        seen = status.observe(
            found, self.place(container).container,
            paused=container.status == consts.PAUSED)
        values = status.row_values(
            container.status, container.task_state, seen,
            timeutils.utcnow(), detail=container.status_detail, force=force)
        values.update(ports=ports_of(found), runtime=runtime_of(found))
        if not container.hostname:
            values['hostname'] = found['spec'].get('hostname')
        return values

    def update(self, context, container) -> dict:
        found = self.get_pod(container)
        if status.is_over(found):
            # Its next Pod is made from the row.
            return {}
        if status.is_gated(found):
            values = self.recreate(context, container)
            self._delete(found, _LEAST_GRACE)
            return values
        self._resize(container, found)
        return {}

    def _resize(self, container, found):
        name = self.place(container).container
        current = next(item for item in found['spec']['containers']
                       if item['name'] == name).get('resources') or {}
        wanted = resources.quantities(
            container.cpu, container.memory, container.disk,
            container.cpu_policy, self.settings().ratios)
        if wanted == current:
            return
        try:
            changed = self._patch_resources(found, name, wanted)
        except (k8s_errors.Forbidden, k8s_errors.Invalid) as exc:
            raise exception.Conflict(
                _('The container cannot be resized: %s') % exc)
        if not self._await_resize(changed, name):
            self._patch_resources(found, name, current)
            raise exception.Conflict(_(
                'The container cannot be resized now: its node has no room '
                'for it, or more memory is in use than it would have.'))

    def _patch_resources(self, found, name, amounts):
        meta = found['metadata']
        return self.cluster.patch(
            client.PODS, meta['name'],
            {'spec': {'containers': [{'name': name,
                                      'resources': amounts}]}},
            meta['namespace'], content_type=client.STRATEGIC_PATCH,
            subresource='resize')

    def _await_resize(self, changed, name):
        meta = changed['metadata']

        def resized(seen):
            if seen is None or status.is_over(seen):
                return True
            return _is_resized(seen, name, meta.get('generation'))

        return watch.wait_for(self.cluster, client.PODS, meta['name'],
                              meta['namespace'], resized, _RESIZE_SECONDS)


def _is_resized(found, name, generation):
    state = found['status']
    if (state.get('observedGeneration') or 0) < (generation or 0):
        return False
    if any(condition['type'].startswith('PodResize') and
           condition['status'] == 'True'
           for condition in state.get('conditions') or ()):
        return False
    wanted = next(item for item in found['spec']['containers']
                  if item['name'] == name).get('resources')
    return any(seen['name'] == name and seen.get('resources') == wanted
               for seen in state.get('containerStatuses') or ())


def row_values(made: dict) -> dict:
    """Columns of a container that was just made."""
    return {'container_id': made['metadata']['name'],
            'hostname': made['spec'].get('hostname'),
            'runtime': runtime_of(made), 'ports': ports_of(made)}


def runtime_of(found: dict) -> str | None:
    return found['spec'].get('runtimeClassName')


def ports_of(found: dict, name: str = names.MAIN) -> list[int]:
    """Numbers of the exposed ports of a container in a Pod."""
    return [port['containerPort']
            for item in found['spec']['containers'] if item['name'] == name
            for port in item.get('ports') or ()]
