# SPDX-License-Identifier: Apache-2.0
"""What is kept of a container that has ended: its layer and its log.

The agent of the node makes an image of all that the container has changed
over the image that it was first made from, saves the log, and notes both
down with the ended Pod. The container's next Pod is made from that image,
which no registry has, so only where it is.
"""

import json
import typing

from oslo_log import log as logging

from zun.common.i18n import _
from zun.common.k8s import errors as k8s_errors
import zun.conf
from zun.container import driver
from zun.container.k8s import base
from zun.container.k8s import names
from zun.container.k8s import status
from zun.container.runtime import base as runtime_base
from zun.container.runtime import kept as kept_names

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

LAYER_LOST = _('Stopped without zun-compute-agent on the node: what was '
               'written to the root file system is lost at the next start')
_NOT_KEPT = _('What was written to the root file system is lost at the '
              'next start: %s')


class Kept(typing.NamedTuple):
    """What is noted down with a Pod that ended.

    :ivar images: by name of the container in the Pod.
    :ivar note: what the user has to know, where something was not kept.
    :ivar logged: the log was saved too.
    """

    images: dict[str, str]
    note: str | None = None
    logged: bool = False

    def dump(self) -> str:
        return json.dumps(self._asdict(), sort_keys=True)


def kept_of(found: dict) -> Kept | None:
    """What was kept of a Pod; None: nobody has looked yet."""
    text = names.annotations_of(found).get(names.KEPT)
    return Kept(**json.loads(text)) if text else None


def is_logged(found: dict) -> bool:
    """Whether the log of a Pod that ended is safe without it."""
    kept = kept_of(found)
    return kept is not None and kept.logged


def origins_of(found: dict) -> dict[str, list[str]]:
    """What containers of a Pod were first made from.

    Those for which its spec says so are left out.
    """
    text = names.annotations_of(found).get(names.ORIGINS)
    return json.loads(text) if text else {}


def next_images(former: dict, current: dict[str, driver.Image]
                ) -> tuple[dict[str, driver.Image], dict[str, list[str]]]:
    """What the Pod after a former one is made from.

    :param current: what the former one was made from, by container.
    :returns: images, and what they go back to where they are kept layers.
    """
    kept = kept_of(former)
    before = origins_of(former)
    images, origins = {}, {}
    for name, image in current.items():
        origin = before.get(name) or [image.reference, image.pull_policy]
        layer = kept.images.get(name) if kept else None
        if layer is not None:
            images[name] = driver.Image(layer, 'never')
        elif kept is not None or status.has_run(former):
            images[name] = driver.Image(*origin)
        else:
            images[name] = image
        if images[name].reference != origin[0]:
            origins[name] = origin
    return images, origins


class Layers(base.KubernetesBase):
    """Keeping what a container leaves, in the agent of its node."""

    def is_kept(self, context, container) -> bool:
        """Whether there is nothing to keep, or it was done."""
        found = self.get_pod(container)
        return not status.has_ended(found) or kept_of(found) is not None

    def keep(self, context, container) -> str | None:
        """Keep layer and log of a container that has ended.

        May be repeated. Without a runtime nothing is done.

        :returns: what the user has to know.
        :raises Unavailable: the runtime does not answer.
        """
        found = self.get_pod(container)
        if not status.has_ended(found):
            return None
        return self._keep(container, found)

    def _keep(self, container, found):
        kept = kept_of(found)
        if kept is not None or self.runtime is None:
            return kept.note if kept else None
        return self._note_down(container, found,
                               self._save(container, found))

    def _note_down(self, container, found, kept):
        kept = kept._replace(logged=self._save_logs(container, found))
        self.patch_pod(found, {'metadata': {'annotations': {
            names.KEPT: kept.dump()}}})
        self._remove_older(container.uuid, names.generation_of(found),
                           kept.images.values())
        return kept.note

    def _save(self, container, found) -> Kept:
        """Make the images; nothing is noted down yet."""
        images, note = {}, None
        for item in found['spec']['containers']:
            try:
                image = self._save_one(container, found, item)
            except runtime_base.RuntimeUnavailable as exc:
                raise k8s_errors.Unavailable(
                    _('the runtime of the node does not answer: %s') % exc)
            except (runtime_base.RuntimeError, OSError) as exc:
                LOG.error('The layer of container %(uuid)s was not kept: '
                          '%(error)s',
                          {'uuid': container.uuid, 'error': exc})
                note = _NOT_KEPT % exc
                continue
            if image is not None:
                images[item['name']] = image
        return Kept(images, note)

    def _save_one(self, container, found, item):
        name = item['name']
        box = self.runtime.find(found['metadata']['uid'], name)
        if box is None and status.has_run(found):
            raise runtime_base.ObjectMissing(
                _('the node has removed the container'))
        if box is None:
            is_layer = kept_names.parse(item['image'])
            return item['image'] if is_layer else None
        generation = names.generation_of(found)
        return self.runtime.commit(
            box.id, kept_names.image_name(container.uuid, name, generation),
            {kept_names.OWNER: container.uuid, kept_names.DEPLOYMENT:
             CONF.kubernetes.namespace_prefix}).name

    def _save_logs(self, container, found):
        """Copy what a Pod's containers have said, all of it by now.

        :returns: whether that was done.
        """
        if self.runtime.logs is None:
            return False
        for item in found['spec']['containers']:
            name = item['name']
            try:
                box = self.runtime.find(found['metadata']['uid'], name)
                source = box and self.runtime.log_path(box.id)
                if source:
                    self.runtime.logs.save(
                        container.uuid, name, names.generation_of(found),
                        source)
            except (runtime_base.RuntimeError, OSError) as exc:
                # It can be read as long as its Pod is there.
                LOG.warning('The log of container %(uuid)s was not saved: '
                            '%(error)s',
                            {'uuid': container.uuid, 'error': exc})
                return False
        return True

    def images_in_use(self, container) -> tuple[set[str], bool] | None:
        """Kept layers that a container needs, and whether it is stopped.

        None: it has no Pod that would say so.
        """
        found = self.find_pod(container)
        if found is None:
            return None
        kept = kept_of(found)
        needed = {item['image'] for item in found['spec']['containers']}
        needed.update(kept.images.values() if kept else ())
        return needed, status.has_ended(found)

    def give_up_layer(self, container, image: str) -> str | None:
        """Let a stopped container go on without a kept layer.

        :returns: what the user has to know; None: it is needed after all.
        """
        found = self.find_pod(container)
        kept = kept_of(found) if found else None
        if kept is None or image not in kept.images.values():
            return None
        left = {name: one for name, one in kept.images.items()
                if one != image}
        note = _NOT_KEPT % _('the node has kept too much ([agent] '
                             'kept_layers_size)')
        self.patch_pod(found, {'metadata': {'annotations': {
            names.KEPT: Kept(left, note, kept.logged).dump()}}})
        return note

    def _remove_older(self, uuid, generation, needed):
        """A kept layer has all that the ones before had."""
        for image in self.runtime.list_images(
                '%s%s/' % (kept_names.PREFIX, uuid)):
            known = kept_names.parse(image.name)
            if known is not None and known[1] < generation and (
                    image.name not in needed):
                self.runtime.remove_image(image.name)
