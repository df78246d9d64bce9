# SPDX-License-Identifier: Apache-2.0
"""Images of the Image service.

They are archives. The agent of a node imports them into its runtime; where
``[kubernetes] image_registry`` is set they are pushed there, and the nodes
pull them as any other image.
"""

from oslo_utils import uuidutils

from zun.common import exception
from zun.common.i18n import _
from zun.common import image_reference
from zun.common import once
import zun.conf
from zun.container import driver as container_driver
from zun.container.runtime import base as runtime_base
from zun.image.docker import driver as docker
from zun.image import driver
from zun.image.glance import images
from zun.image.oci import archive
from zun.image.oci import registry as registries

CONF = zun.conf.CONF

# Labels of an imported image: what its archive called it.
_REPO, _TAG = 'zun.local/archive-repo', 'zun.local/archive-tag'
_TAG_DIGITS = 40
_once = once.Once()


class GlanceDriver(driver.ImageDriver):
    """The driver ``glance``."""

    def resolve(self, context, container, fetch=None
                ) -> container_driver.Image:
        """See the interface.

        :raises Invalid: the node has not got it, and is not to get it.
        """
        image = images.find(context, name_of(container.image))
        if CONF.kubernetes.image_registry:
            return _pushed(context, image)
        never = container.image_pull_policy == 'never'
        found = fetch(image, never) if fetch else None
        if found is None:
            raise exception.Invalid(
                _('Image %s not present with pull policy of Never')
                % name_of(container.image))
        return container_driver.Image(found.reference, 'never')

    def search(self, context, image, exact_match, registry) -> list[dict]:
        return images.matching(context, name_of(image), exact_match)

    def pull(self, context, runtime, repo, tag) -> driver.OnNode | None:
        try:
            image = images.find(context, repo)
        except exception.ImageNotFound:
            return None
        return fetch(context, runtime, image)


def is_meant(repo: str) -> bool:
    """Whether an image to be pulled comes from here: ids are Glance's."""
    return uuidutils.is_uuid_like(repo) or (
        CONF.default_image_driver == 'glance')


def name_of(image: str) -> str:
    """What an image is called in Glance, where a tag means nothing."""
    try:
        return image_reference.parse(image).name
    except exception.InvalidReference:
        # Glance's names may be any text.
        return image


def reference_of(image: dict) -> str:
    """The name of an image on a node; it holds what its bytes are."""
    digits = images.checksum(image)[1]
    return '%s%s:%s' % (runtime_base.IMPORTED, image['id'],
                        digits[:_TAG_DIGITS])


def fetch(context, runtime: runtime_base.Runtime, image: dict,
          only_look: bool = False) -> driver.OnNode | None:
    """Have an image on this node; however many ask, it is got once.

    :param only_look: None: it is not there.
    :raises ArchiveInvalid: it is no archive of one image.
    """
    name = reference_of(image)
    there = runtime.usable(name)
    if there is None and not only_look:
        there = _once.do(name, lambda: (
            runtime.usable(name) or _import(context, runtime, image, name)))
    if there is None:
        return None
    known = runtime.image(name)
    labels = known.labels if known else {}
    return driver.OnNode(name, there.digest, there.size, labels.get(_REPO),
                         labels.get(_TAG))


def _import(context, runtime, image, name):
    limit = CONF.kubernetes.max_image_size
    with images.downloaded(context, image, limit) as path:
        contents = archive.inspect(path, limit)
        repo, tag = _name_in(contents)
        labels = {_REPO: repo}
        if tag:
            labels[_TAG] = tag
        with open(path, 'rb') as source:
            return runtime.import_archive(source, name, labels)


def _name_in(contents) -> tuple[str, str | None]:
    """What an archive calls its image; without a name its id."""
    if not contents.name:
        return contents.config.partition(':')[2], None
    repo, colon, tag = contents.name.rpartition(':')
    if not colon or '/' in tag:
        return contents.name, None
    return repo, tag


def _pushed(context, image) -> container_driver.Image:
    """The image in the deployment's own registry."""
    place, path = own_registry()
    repository = '%sglance/%s' % (path, image['id'])
    tag = images.checksum(image)[1][:_TAG_DIGITS]

    def push():
        found = place.manifest(repository, tag)
        if found is not None:
            return found.digest
        limit = CONF.kubernetes.max_image_size
        with images.downloaded(context, image, limit) as file, (
                open(file, 'rb')) as source, (
                archive.Archive(source, limit)) as opened:
            return archive.push(opened, place, repository, tag)

    name = '%s/%s@%s' % (place.domain, repository,
                         _once.do((repository, tag), push))
    return container_driver.Image(name, 'ifnotpresent',
                                  docker.credentials(name, None))


def own_registry() -> tuple[registries.Registry, str]:
    """``[kubernetes] image_registry``, and the path in it."""
    domain, __, path = CONF.kubernetes.image_registry.partition('/')
    known = docker.credentials(domain + '/', None)
    return registries.Registry(
        domain, known[1:] if known else None,
        docker.registry_settings()), path + '/' if path else ''
