# SPDX-License-Identifier: Apache-2.0
"""The namespace of a project: made with its first container, removed
with its last.

Both may happen at once in different processes. A namespace is removed
only at the version that was read *before* the database was asked whether
the project is empty; whoever makes a container in a project that may be
empty writes to the namespace *after* its row is in the database. So one of
the two always sees the other.
"""

from collections.abc import Callable
import time

from oslo_log import log as logging
from oslo_utils import uuidutils

from zun.common.i18n import _
from zun.common.k8s import client
from zun.common.k8s import errors
from zun.common.k8s import watch
import zun.conf
from zun.container.k8s import names

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

_REMOVAL_SECONDS = 20.0
_QUOTA_NAME = 'zun'


def name_of(project_id: str) -> str:
    return names.namespace(CONF.kubernetes.namespace_prefix, project_id)


def manifest(project_id: str) -> dict:
    """The Namespace of a project."""
    level = CONF.kubernetes.pod_security_level
    return {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {
        'name': name_of(project_id),
        'labels': {
            names.MANAGED: 'true',
            names.PROJECT: names.label_value(project_id),
            'pod-security.kubernetes.io/enforce': level},
        'annotations': {names.PROJECT: project_id}}}


def ensure(cluster: client.Cluster, project_id: str) -> str:
    """Make the namespace of a project, or keep it from being removed.

    :returns: its name.
    :raises Terminating: it was still being removed after a while.
    """
    name = name_of(project_id)
    try:
        touched = cluster.patch(client.NAMESPACES, name, {
            'metadata': {'annotations': {
                names.TOUCHED: uuidutils.generate_uuid()}}})
    except errors.Conflict:
        # Somebody else wrote to it while we tried, which is as good.
        touched = cluster.find(client.NAMESPACES, name)
    except errors.NotFound:
        touched = None
    if touched is None:
        return _create(cluster, project_id)
    if touched['metadata'].get('deletionTimestamp'):
        _await_removal(cluster, name)
        return _create(cluster, project_id)
    return name


def remove_if_empty(cluster: client.Cluster, project_id: str,
                    empty: Callable[[], bool]) -> bool:
    """Remove a project's namespace if it has no container any more.

    :param empty: asks the database; called after the namespace was read.
    :returns: whether the removal was asked for.
    """
    name = name_of(project_id)
    found = cluster.find(client.NAMESPACES, name)
    if (found is None or found['metadata'].get('deletionTimestamp') or
            names.labels_of(found).get(names.MANAGED) != 'true'):
        return False
    if not empty():
        return False
    try:
        cluster.delete(client.NAMESPACES, name,
                       uid=found['metadata']['uid'],
                       version=found['metadata']['resourceVersion'])
    except (errors.Conflict, errors.NotFound):
        return False
    LOG.info('Removed namespace %s with the last container of its project',
             name)
    return True


def _create(cluster, project_id):
    name = name_of(project_id)
    try:
        cluster.create(client.NAMESPACES, manifest(project_id))
    except errors.AlreadyExists:
        LOG.debug('Namespace %s was made meanwhile', name)
    if CONF.kubernetes.namespace_quota:
        _create_quota(cluster, name)
    return name


def _create_quota(cluster, name):
    try:
        cluster.create(client.RESOURCE_QUOTAS, {
            'apiVersion': 'v1', 'kind': 'ResourceQuota',
            'metadata': {'name': _QUOTA_NAME, 'namespace': name},
            'spec': {'hard': dict(CONF.kubernetes.namespace_quota)}}, name)
    except errors.AlreadyExists:
        LOG.debug('Quota of namespace %s was made meanwhile', name)


def _await_removal(cluster, name):
    deadline = time.monotonic() + _REMOVAL_SECONDS
    gone = watch.wait_for(
        cluster, client.NAMESPACES, name, None,
        lambda found: found is None or not found['metadata'].get(
            'deletionTimestamp'),
        max(0.0, deadline - time.monotonic()))
    if not gone:
        raise errors.Terminating(
            _('namespace %s is still being removed') % name)
