# SPDX-License-Identifier: Apache-2.0
"""Capsules: one Pod each.

Members restart as their capsule's policy says, by the kubelet: a capsule
is only made and deleted, so there is no stopped member whose writable
layer would have to be kept.
"""

from oslo_utils import timeutils

from zun.common import exception
from zun.common.i18n import _
from zun.common.k8s import client
from zun.common.k8s import watch
from zun.container import driver
from zun.container import errors
from zun.container.k8s import capsule
from zun.container.k8s import generations
from zun.container.k8s import names
from zun.container.k8s import namespaces
from zun.container.k8s import pod
from zun.container.k8s import secrets
from zun.container.k8s import status
from zun.container.k8s import volumes


class Capsules(generations.Generations):
    """Making, starting and showing capsules."""

    def create_capsule(self, context, row, plan: driver.Plan) -> dict:
        members = list(row.init_containers) + list(row.containers)
        credentials = _one_registry(plan)
        around = pod.Surroundings(
            namespace=namespaces.name_of(row.project_id),
            images={capsule.member_name(member): plan.images[member.uuid]
                    for member in members},
            pull_secret=secrets.registry_name(row.uuid)
            if credentials else None,
            vifs=plan.network.vifs, nameservers=plan.network.nameservers,
            mounts={capsule.member_name(member): volumes.pod_mounts(
                row.uuid, plan.mounts.get(member.uuid, ()))
                for member in members})
        made = self.make_pod(
            capsule.capsule_pod(row, row.init_containers, row.containers,
                                around, self.settings()), row.project_id)
        self._make_secrets(made, row, members, credentials, plan)
        return _row_values(made, row, members)

    def _make_secrets(self, made, row, members, credentials, plan):
        image = driver.Image('', 'always', credentials)
        mounts = {mount.key: mount for member in members
                  for mount in plan.mounts.get(member.uuid, ())}
        self.make_secrets(made, row, image, mounts.values())

    def start_capsule(self, context, row) -> None:
        found = self.get_pod(row)
        if status.is_gated(found):
            self.patch_pod(found, {'spec': {'schedulingGates': []}})

    def await_capsule(self, context, row, timeout: float
                      ) -> driver.Started:
        place = self.place(row)
        last = [None]

        def started(found):
            if found is None:
                raise errors.ContainerMissing(container=place.pod)
            last[0] = found
            return _progress(found)

        done = watch.wait_for(self.cluster, client.PODS, place.pod,
                              place.namespace, started, timeout)
        if done:
            return done
        failure = _failure(last[0], passing=True)
        if failure is None:
            return driver.Started(False)
        return driver.Started(False, failure.reason, failure.text)

    def show_capsule(self, context, row) -> dict:
        return describe(self.get_pod(row), row, list(
            row.init_containers) + list(row.containers))


def _one_registry(plan):
    found = {image.credentials for image in plan.images.values()
             if image.credentials}
    if len(found) > 1:
        raise exception.Invalid(_(
            'The containers of a capsule can use one private registry.'))
    return found.pop() if found else None


def _progress(found):
    failure = _failure(found, passing=False)
    if failure is not None:
        raise errors.StartFailed(failure.text, failure.reason,
                                 before_run=True)
    seen = status.observe_sandbox(found)
    if seen.running or seen.ended:
        return driver.Started(True, started_at=seen.started_at)
    return None


def _failure(found, passing):
    """The first failure of a member that may, or may not, pass."""
    spec = found['spec']
    for item in spec.get('initContainers', []) + spec['containers']:
        failure = status.observe(found, item['name']).failure
        if failure is not None and failure.passing == passing:
            return failure
    return None


def _row_values(made, row, members):
    shared = {'hostname': made['spec'].get('hostname'),
              'runtime': made['spec'].get('runtimeClassName')}
    name = made['metadata']['name']
    values = {row.uuid: {'container_id': name, 'ports': [], **shared}}
    for member in members:
        values[member.uuid] = {
            'container_id': capsule.member_id(name, member), **shared,
            'ports': _ports(made, capsule.member_name(member))}
    return values


def _ports(found, name):
    return [port['containerPort']
            for item in found['spec']['containers'] if item['name'] == name
            for port in item.get('ports') or ()]


def describe(found: dict, row, members) -> dict:
    """By uuid of capsule and members: status columns as the Pod says."""
    now = timeutils.utcnow()
    values = {row.uuid: status.row_values(
        row.status, row.task_state, status.observe_sandbox(found), now,
        detail=row.status_detail)}
    for member in members:
        values[member.uuid] = status.row_values(
            member.status, member.task_state,
            status.observe(found, capsule.member_name(member)), now,
            detail=member.status_detail)
    return values


def of_kind(found: dict) -> bool:
    """Whether a Pod is a capsule's."""
    return names.labels_of(found).get(names.KIND) == capsule.KIND
