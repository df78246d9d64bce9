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
import hashlib
import json
import time

from oslo_log import log as logging
from oslo_utils import uuidutils

from zun.common import exception
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
    if touched is not None and touched['metadata'].get('deletionTimestamp'):
        _await_removal(cluster, name)
        touched = None
    if touched is None:
        touched = _create(cluster, project_id)
    _furnish(cluster, touched)
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
    try:
        return cluster.create(client.NAMESPACES, manifest(project_id))
    except errors.AlreadyExists:
        return cluster.get(client.NAMESPACES, name_of(project_id))


def _furnish(cluster, namespace):
    """Put into a namespace what the configuration says, once.

    An annotation tells what is there; it is written last.
    """
    name = namespace['metadata']['name']
    wanted = _furniture(name)
    if not wanted:
        return
    text = json.dumps([body for __, body in wanted], sort_keys=True)
    mark = hashlib.sha256(text.encode()).hexdigest()[:16]
    if names.annotations_of(namespace).get(names.FURNISHED) == mark:
        return
    for resource, body in wanted:
        _put(cluster, resource, body, name)
    cluster.patch(client.NAMESPACES, name, {
        'metadata': {'annotations': {names.FURNISHED: mark}}})


def _furniture(namespace):
    """The objects that each namespace has, by the configuration.

    :raises ConfigInvalid: an option is not of its form.
    """
    options, found = CONF.kubernetes, []
    if options.namespace_quota:
        found.append((client.RESOURCE_QUOTAS, {
            'apiVersion': 'v1', 'kind': 'ResourceQuota',
            'metadata': {'name': _QUOTA_NAME, 'namespace': namespace},
            'spec': {'hard': dict(options.namespace_quota)}}))
    for role, account in sorted(options.namespace_role_bindings.items()):
        found.append((client.ROLE_BINDINGS,
                      _role_binding(namespace, role, account)))
    return found


def _role_binding(namespace, role, account):
    where, slash, name = account.partition('/')
    if not (where and name):
        raise exception.ConfigInvalid(error_msg=_(
            '[kubernetes] namespace_role_bindings = %(role)s:%(account)s: '
            'write the service account as NAMESPACE/NAME')
            % {'role': role, 'account': account})
    return {
        'apiVersion': 'rbac.authorization.k8s.io/v1', 'kind': 'RoleBinding',
        'metadata': {'name': role, 'namespace': namespace},
        'roleRef': {'apiGroup': 'rbac.authorization.k8s.io',
                    'kind': 'ClusterRole', 'name': role},
        'subjects': [{'kind': 'ServiceAccount', 'name': name,
                      'namespace': where}]}


def _put(cluster, resource, body, namespace):
    try:
        cluster.create(resource, body, namespace)
    except errors.AlreadyExists:
        cluster.patch(resource, body['metadata']['name'], body, namespace)


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
