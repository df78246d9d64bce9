# SPDX-License-Identifier: Apache-2.0
"""What all parts of the driver need: the cluster, and a row's Pod."""

import typing

from oslo_log import log as logging

from zun.common import exception
from zun.common.i18n import _
from zun.common.k8s import client
from zun.common.k8s import errors as k8s_errors
import zun.conf
from zun.container import errors
from zun.container.k8s import names
from zun.container.k8s import namespaces
from zun.container.k8s import pod
from zun.container.k8s import resources

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF


class Place(typing.NamedTuple):
    """Where a container is: its namespace, Pod, and name in the Pod."""

    namespace: str
    pod: str
    container: str
    generation: int


class KubernetesBase:
    """The cluster, reached when it is first needed.

    :param cluster: None is the one of the configuration.
    """

    def __init__(self, cluster: client.Cluster | None = None):
        self._cluster = cluster

    @property
    def cluster(self) -> client.Cluster:
        return self._cluster or client.get_cluster()

    @staticmethod
    def settings() -> pod.Settings:
        """What the configuration says about every Pod."""
        group, compute = CONF.kubernetes, CONF.compute
        ratios = resources.Ratios(
            compute.cpu_allocation_ratio or
            compute.initial_cpu_allocation_ratio,
            compute.ram_allocation_ratio or
            compute.initial_ram_allocation_ratio,
            compute.disk_allocation_ratio or
            compute.initial_disk_allocation_ratio)
        return pod.Settings(
            runtime_class=group.runtime_class or '',
            privileged_runtime_classes=group.privileged_runtime_classes,
            grace=group.stop_timeout, ratios=ratios,
            multus_network=group.multus_network or '')

    @staticmethod
    def place(container) -> Place:
        """Where a container's row says that it is.

        :raises Invalid: it was never made.
        """
        if not container.container_id:
            raise exception.Invalid(
                _('Cannot operate an uncreated container.'))
        found = names.parse_container_id(container.container_id)
        return Place(namespaces.name_of(container.project_id), found.pod,
                     found.container, found.generation)

    def find_pod(self, container) -> dict | None:
        place = self.place(container)
        return self.cluster.find(client.PODS, place.pod, place.namespace)

    def get_pod(self, container) -> dict:
        """The container's Pod.

        :raises ContainerMissing: there is none, or it is on its way out
            without anything left running.
        """
        found = self.find_pod(container)
        if found is None:
            raise missing(container)
        return found

    def pods_of(self, container) -> list[dict]:
        """Pods of all generations, the oldest first."""
        found, __ = self.cluster.list(
            client.PODS, namespaces.name_of(container.project_id),
            labels=names.selector(container.uuid))
        return sorted(found, key=names.generation_of)

    def patch_pod(self, found: dict, body, **options) -> dict:
        """Change a Pod that was just seen, and no other of its name."""
        meta = found['metadata']
        body = {**body, 'metadata': {**body.get('metadata', {}),
                                     'uid': meta['uid']}}
        try:
            return self.cluster.patch(
                client.PODS, meta['name'], body, meta['namespace'],
                **options)
        except k8s_errors.NotFound:
            raise errors.ContainerMissing(container=meta['name'])


def missing(container) -> errors.ContainerMissing:
    return errors.ContainerMissing(
        container='%s in docker' % container.container_id)
