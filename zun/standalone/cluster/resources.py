# SPDX-License-Identifier: Apache-2.0
"""The resources that the simulated API serves, as one table."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class ResourceType:
    """One resource: where it is served and how deletion answers.

    ``returns_object``: DELETE answers the object, as for Pods, instead of a
    ``Status`` (measured on Kubernetes 1.36).
    ``protection``: finalizer that the server adds at creation.
    """

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True
    subresources: tuple[str, ...] = ()
    returns_object: bool = False
    protection: str = ''
    short_names: tuple[str, ...] = ()

    @property
    def api_version(self) -> str:
        """``v1`` or ``group/version``."""
        if self.group:
            return '%s/%s' % (self.group, self.version)
        return self.version


PODS = ResourceType(
    '', 'v1', 'pods', 'Pod', short_names=('po',), returns_object=True,
    subresources=('status', 'log', 'exec', 'attach', 'resize', 'eviction'))
NAMESPACES = ResourceType(
    '', 'v1', 'namespaces', 'Namespace', short_names=('ns',),
    namespaced=False, returns_object=True,
    subresources=('status', 'finalize'))
NODES = ResourceType('', 'v1', 'nodes', 'Node', short_names=('no',),
                     namespaced=False, subresources=('status',))
SECRETS = ResourceType('', 'v1', 'secrets', 'Secret')
CONFIGMAPS = ResourceType('', 'v1', 'configmaps', 'ConfigMap',
                          short_names=('cm',))
EVENTS = ResourceType('', 'v1', 'events', 'Event', short_names=('ev',))
SERVICEACCOUNTS = ResourceType('', 'v1', 'serviceaccounts', 'ServiceAccount')
PVS = ResourceType(
    '', 'v1', 'persistentvolumes', 'PersistentVolume', short_names=('pv',),
    namespaced=False, returns_object=True, subresources=('status',),
    protection='kubernetes.io/pv-protection')
PVCS = ResourceType(
    '', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim',
    short_names=('pvc',), returns_object=True, subresources=('status',),
    protection='kubernetes.io/pvc-protection')
LEASES = ResourceType('coordination.k8s.io', 'v1', 'leases', 'Lease')
RUNTIMECLASSES = ResourceType('node.k8s.io', 'v1', 'runtimeclasses',
                              'RuntimeClass', namespaced=False)

RESOURCES: tuple[ResourceType, ...] = (
    PODS, NAMESPACES, NODES, SECRETS, CONFIGMAPS, EVENTS, SERVICEACCOUNTS,
    PVS, PVCS, LEASES, RUNTIMECLASSES,
    ResourceType('', 'v1', 'resourcequotas', 'ResourceQuota',
                 subresources=('status',)),
    ResourceType('', 'v1', 'limitranges', 'LimitRange'),
    ResourceType('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass',
                 namespaced=False),
    ResourceType('scheduling.k8s.io', 'v1', 'priorityclasses',
                 'PriorityClass', namespaced=False),
    ResourceType('networking.k8s.io', 'v1', 'networkpolicies',
                 'NetworkPolicy'),
    ResourceType('policy', 'v1', 'poddisruptionbudgets',
                 'PodDisruptionBudget', subresources=('status',)),
    ResourceType('k8s.cni.cncf.io', 'v1', 'network-attachment-definitions',
                 'NetworkAttachmentDefinition'),
)

BY_PATH = {(r.group, r.version, r.plural): r for r in RESOURCES}
VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch',
         'update', 'watch']
