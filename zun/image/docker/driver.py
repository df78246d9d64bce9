# SPDX-License-Identifier: Apache-2.0
"""Images of registries, which the runtimes of the nodes pull themselves."""

from zun.common import exception
from zun.common.i18n import _
from zun.common import image_reference
import zun.conf
from zun.container import driver as container_driver
from zun.container.runtime import base as runtime_base
from zun.image import driver
from zun.image.oci import registry as registries

CONF = zun.conf.CONF

_LATEST = 'latest'
_LIBRARY = 'library/'


class DockerDriver(driver.ImageDriver):
    """The driver ``docker``."""

    def resolve(self, context, container, fetch=None
                ) -> container_driver.Image:
        registry = container.registry
        name = full_name(container.image,
                         registry.domain if registry else None)
        return container_driver.Image(
            name, driver.get_pull_policy(container.image_pull_policy),
            credentials(name, registry))

    def search(self, context, image, exact_match, registry) -> list[dict]:
        reference = image_reference.parse(full_name(
            image, registry.domain if registry else None))
        known = credentials(reference.name, registry)
        place = registries.Registry(reference.domain,
                                    known[1:] if known else None,
                                    registry_settings())
        path = reference.name.removeprefix(reference.domain).lstrip('/')
        found = place.search(path)
        if found is None:
            return _look_through(place, path, reference, exact_match)
        shown = [_shown(_with_domain(reference, item.get('name') or ''),
                        item) for item in found]
        if not exact_match:
            return shown
        shown = [item for item in shown if item['name'] == reference.name]
        try:
            # What a search finds need not be all that there is.
            return shown or _look_through(place, path, reference, True)
        except registries.RegistryAway:
            return []

    def pull(self, context, runtime, repo, tag) -> driver.OnNode | None:
        tag = tag or _LATEST
        name = reference(repo, tag)
        try:
            made = runtime.pull(name, credentials(name, None))
        except runtime_base.ObjectMissing:
            return None
        except runtime_base.RuntimeUnavailable:
            raise
        except runtime_base.RuntimeError as exc:
            raise exception.ZunException(
                _('Cannot download image from docker: Error on pulling '
                  'image: %(name)s: %(why)s') % {'name': name, 'why': exc})
        return driver.OnNode(name, made.digest, made.size, tag=tag)


def registry_settings() -> registries.Settings:
    """How registries are reached, from the configuration."""
    group = CONF.kubernetes
    return registries.Settings(
        tuple(group.insecure_registries), group.registry_mirrors,
        group.registry_ca_file, CONF.docker.default_timeout)


def _look_through(place, path, reference, exact_match):
    """Search a registry that has no search of its own."""
    if exact_match:
        found = place.manifest(_path_at(place, path), reference.digest or
                               reference.tag or _LATEST)
        return [_shown(reference.name)] if found else []
    known = place.catalogue()
    if known is None:
        known = [path] if place.tags(_path_at(place, path)) else []
    names = (name.removeprefix(_LIBRARY) if place.domain == registries.HUB
             else name for name in known)
    return [_shown(_with_domain(reference, name))
            for name in names if path in name]


def _path_at(place, path):
    """Docker Hub keeps images without an owner in a place of their own."""
    if place.domain == registries.HUB and '/' not in path:
        return _LIBRARY + path
    return path


def _with_domain(reference, name):
    if reference.domain and not domain_of(name):
        return '%s/%s' % (reference.domain, name)
    return name


def _shown(name: str, item: dict | None = None) -> dict:
    """A result of a search as the API has it."""
    item = item or {'is_official': False, 'star_count': 0}
    shown = {key: item[key] for key in ('description', 'is_automated')
             if key in item}
    return {'name': name, **shown, 'metadata': {
        key: item[key] for key in ('is_official', 'star_count')
        if key in item}}


def full_name(image: str, domain: str | None) -> str:
    """An image's name with its registry.

    :param domain: of the container's registry; goes before names that
        hold none. Next comes ``[docker] default_registry``.

    >>> full_name('team/app:1', 'r.test')
    'r.test/team/app:1'
    >>> full_name('quay.test/app', 'r.test')
    'quay.test/app'
    """
    domain = domain or CONF.docker.default_registry
    if not domain or domain_of(image):
        return image
    return '%s/%s' % (domain, image)


def reference(repo: str, tag: str | None) -> str:
    """What a node pulls for a row of an image."""
    return '%s:%s' % (full_name(repo, None), tag or _LATEST)


def domain_of(image: str) -> str:
    """The registry in an image's name; empty where it holds none."""
    first, slash, __ = image.partition('/')
    if slash and (first == 'localhost' or '.' in first or ':' in first):
        return first
    return ''


def credentials(name: str, registry) -> tuple[str, str, str] | None:
    """(server, user, password) for pulling an image, or None.

    A container's own registry counts whatever the image's domain is; the
    default registry's credentials go to that registry alone.
    """
    if registry is not None and registry.username:
        return (domain_of(name), registry.username,
                registry.password or '')
    options = CONF.docker
    if (options.default_registry and options.default_registry_username and
            domain_of(name) == options.default_registry):
        return (options.default_registry,
                options.default_registry_username,
                options.default_registry_password or '')
    return None
