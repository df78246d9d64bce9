# SPDX-License-Identifier: Apache-2.0
"""Images of registries, which the runtimes of the nodes pull themselves."""

import zun.conf
from zun.container import driver as container_driver
from zun.image import driver

CONF = zun.conf.CONF


class DockerDriver(driver.ImageDriver):
    """The driver ``docker``."""

    def resolve(self, context, container) -> container_driver.Image:
        registry = container.registry
        name = full_name(container.image,
                         registry.domain if registry else None)
        return container_driver.Image(
            name, driver.get_pull_policy(container.image_pull_policy),
            credentials(name, registry))


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
