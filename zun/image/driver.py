# SPDX-License-Identifier: Apache-2.0
"""Where images come from."""

import abc
from collections.abc import Callable
import functools
import typing

import stevedore
import stevedore.exception

from zun.common import exception
from zun.common.i18n import _
import zun.conf
from zun.container import driver as container_driver
from zun.container.runtime import base as runtime_base

CONF = zun.conf.CONF


class OnNode(typing.NamedTuple):
    """An image that a node has.

    :ivar reference: by which its runtime knows it.
    :ivar image_id: digest of its configuration.
    :ivar size: bytes.
    :ivar repo: what it is called, where it says so itself.
    :ivar tag: likewise.
    """

    reference: str
    image_id: str
    size: int
    repo: str | None = None
    tag: str | None = None


# Has an image of the Image service, given as its document there, on the
# node of a container; the second argument: only look whether it is there.
Fetch = Callable[[dict, bool], OnNode | None]


class ImageDriver(abc.ABC):
    """A source of images."""

    @abc.abstractmethod
    def resolve(self, context, container, fetch: Fetch | None = None
                ) -> container_driver.Image:
        """What a container's image is to the runtime of its node.

        :param container: an object with ``image``, ``image_pull_policy``
            and ``registry``.
        :param fetch: gets images to the container's node that it cannot
            pull itself.
        :raises ImageNotFound: there is no such image.
        """

    @abc.abstractmethod
    def search(self, context, image: str, exact_match: bool, registry
               ) -> list[dict]:
        """Images whose name holds a text, or is it.

        :param registry: an object with ``domain``, ``username`` and
            ``password``, or None.
        """

    @abc.abstractmethod
    def pull(self, context, runtime: runtime_base.Runtime, repo: str,
             tag: str | None) -> OnNode | None:
        """Get an image to this node; None: there is no such image.

        :raises RuntimeError: it cannot be had.
        """


@functools.cache
def load_image_driver(name: str) -> ImageDriver:
    """The driver of a name in ``[DEFAULT] image_driver_list``.

    :raises ConfigInvalid: it is not in the list, or not installed.
    """
    if name not in CONF.image_driver_list:
        raise exception.ConfigInvalid(error_msg=_(
            'image driver %(name)s is none of [DEFAULT] image_driver_list: '
            '%(all)s') % {'name': name,
                          'all': ', '.join(CONF.image_driver_list)})
    try:
        return stevedore.DriverManager('zun.image.driver', name,
                                       invoke_on_load=True).driver
    except stevedore.exception.NoMatches:
        raise exception.ConfigInvalid(error_msg=_(
            'image driver %s is not installed') % name)


def driver_name_of(container) -> str:
    """The image driver that a container names, or the default one."""
    return container.image_driver or CONF.default_image_driver


def get_pull_policy(policy: str | None) -> str:
    """The pull policy that counts where none is given: always."""
    return policy or 'always'
