# SPDX-License-Identifier: Apache-2.0
"""The Pods of a container, one after another.

A Pod runs once. Whatever makes a container run again (start, restart
policy, rebuild) makes a Pod of the next generation. The former one has
ended; it stays for its log until it is one too many.
"""

import json

from oslo_log import log as logging

from zun.common.i18n import _
from zun.common.k8s import client
from zun.common.k8s import errors as k8s_errors
import zun.conf
from zun.container import driver
from zun.container.k8s import base
from zun.container.k8s import layers
from zun.container.k8s import names
from zun.container.k8s import namespaces
from zun.container.k8s import pod
from zun.container.k8s import secrets
from zun.container.k8s import status
from zun.container.k8s import streams
from zun.container.k8s import volumes
from zun.container.runtime import kept

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF


class Generations(base.KubernetesBase):
    """Making Pods, and telling them apart."""

    def make_pod(self, manifest: dict, project_id: str) -> dict:
        """Make a Pod in its project's namespace, or find it there.

        :raises Unavailable: a Pod of this name is still being removed.
        """
        meta = manifest['metadata']
        namespaces.ensure(self.cluster, project_id)
        try:
            return self._create(manifest)
        except (k8s_errors.NotFound, k8s_errors.Terminating):
            # Removed between the two calls; the second try waits.
            namespaces.ensure(self.cluster, project_id)
            return self._create(manifest)
        except k8s_errors.AlreadyExists:
            found = self.cluster.get(client.PODS, meta['name'],
                                     meta['namespace'])
        if found['metadata'].get('deletionTimestamp'):
            raise k8s_errors.Unavailable(
                _('Pod %s is still being removed') % meta['name'])
        return found

    def _create(self, manifest):
        return self.cluster.create(client.PODS, manifest,
                                   manifest['metadata']['namespace'])

    def make_secrets(self, made: dict, container, image: driver.Image,
                     mounts) -> None:
        """Make the Secrets that a container of a Pod refers to."""
        if image.credentials:
            self._put_secret(secrets.registry_secret(
                made, container.uuid, *image.credentials))
        for mount in mounts:
            if mount.contents is not None:
                self._put_secret(secrets.file_secret(
                    made, container.uuid, mount.key, mount.contents))

    def _put_secret(self, secret):
        meta = secret['metadata']
        try:
            self.cluster.create(client.SECRETS, secret, meta['namespace'])
        except k8s_errors.AlreadyExists:
            self.cluster.patch(
                client.SECRETS, meta['name'], secret, meta['namespace'],
                content_type=client.STRATEGIC_PATCH)

    def share_secrets(self, made: dict) -> None:
        """Let the Secrets of former generations live as long as a Pod."""
        meta = made['metadata']
        for name in secrets.used_by(made):
            self.cluster.patch(
                client.SECRETS, name,
                {'metadata': {'ownerReferences': [secrets.owner(made)]}},
                meta['namespace'], content_type=client.STRATEGIC_PATCH)

    def remove_secrets(self, pods: list[dict]) -> None:
        """Remove the Secrets of Pods that are gone.

        The cluster would do so by itself, but at its leisure.
        """
        named = {(found['metadata']['namespace'], name)
                 for found in pods for name in secrets.used_by(found)}
        for namespace, name in sorted(named):
            try:
                self.cluster.delete(client.SECRETS, name, namespace)
            except k8s_errors.NotFound:
                LOG.debug('Secret %s was gone', name)

    def surroundings(self, container, generation: int, plan: driver.Plan,
                     restarts: str | None = None) -> pod.Surroundings:
        """What a container's first Pod, or one made afresh, is made of."""
        image = plan.images[container.uuid]
        mounts = volumes.pod_mounts(container.uuid,
                                    plan.mounts.get(container.uuid, ()))
        return pod.Surroundings(
            namespace=namespaces.name_of(container.project_id),
            generation=generation, images={names.MAIN: image},
            pull_secret=secrets.registry_name(container.uuid)
            if image.credentials else None,
            vifs=plan.network.vifs, nameservers=plan.network.nameservers,
            mounts={names.MAIN: mounts}, restarts=restarts)

    @staticmethod
    def inherited(former: dict, generation: int, restarts: str | None
                  ) -> pod.Surroundings:
        """What the next Pod takes over from the former one."""
        spec = former['spec']
        network = network_of(former)
        pull_secrets = spec.get('imagePullSecrets') or [{}]
        images, origins = layers.next_images(former, {
            item['name']: image_of(former, item)
            for item in spec['containers']})
        return pod.Surroundings(
            namespace=former['metadata']['namespace'],
            generation=generation,
            images=images, origins=origins,
            pull_secret=pull_secrets[0].get('name'), vifs=network.vifs,
            nameservers=network.nameservers,
            mounts=volumes.mounts_of(former), restarts=restarts)

    def prune(self, context, container) -> None:
        """Remove the ended Pods that are one too many, the oldest first.

        Where agents are asked for logs, those whose log was saved go.
        """
        current = self.place(container).generation
        saved = streams.is_configured()
        if current <= (0 if saved else CONF.kubernetes.kept_generations) + 1:
            return
        former = [found for found in self.pods_of(container)
                  if names.generation_of(found) < current]
        left = [found for found in former if not (
            saved and layers.is_logged(found))]
        surplus = len(left) - CONF.kubernetes.kept_generations
        for found in [*(found for found in former if found not in left),
                      *left[:max(0, surplus)]]:
            meta = found['metadata']
            LOG.debug('Removing former Pod %s', meta['name'])
            try:
                self.cluster.delete(client.PODS, meta['name'],
                                    meta['namespace'], uid=meta['uid'])
            except k8s_errors.NotFound:
                LOG.debug('Pod %s was gone', meta['name'])


def network_of(found: dict) -> driver.Network:
    """What a Pod is plugged into."""
    vifs = names.annotations_of(found).get(names.VIFS)
    dns = found['spec'].get('dnsConfig') or {}
    return driver.Network(json.loads(vifs) if vifs else (),
                          dns.get('nameservers') or ())


def vifs_text(network: driver.Network) -> str | None:
    """The annotation for a network; None removes it."""
    return pod.json_text(list(network.vifs))


def image_of(found: dict, spec: dict) -> driver.Image:
    """The image that a container of a Pod was made from.

    A container that starts again gets the very image it had, also where
    its tag has moved since, and is not made to wait for the registry.
    """
    if kept.parse(spec['image']):
        return driver.Image(spec['image'], 'never')
    for seen in found['status'].get('containerStatuses') or ():
        digest = seen.get('imageID', '').partition('@')[2]
        if seen['name'] == spec['name'] and digest:
            # The runtime names any repository that has the same content.
            return driver.Image('%s@%s' % (
                status.repository(spec['image']), digest), _again(spec))
    return driver.Image(spec['image'], spec['imagePullPolicy'].lower())


def _again(spec):
    return 'never' if spec['imagePullPolicy'] == 'Never' else 'ifnotpresent'
