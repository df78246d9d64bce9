# SPDX-License-Identifier: Apache-2.0
"""Where images come from."""

import abc
import functools

import stevedore
import stevedore.exception

from zun.common import exception
from zun.common.i18n import _
import zun.conf
from zun.container import driver as container_driver

CONF = zun.conf.CONF


class ImageDriver(abc.ABC):
    """A source of images."""

    @abc.abstractmethod
    def resolve(self, context, container) -> container_driver.Image:
        """What a container's image is to the runtime of its node.

        :param container: an object with ``image``, ``image_pull_policy``
            and ``registry``.
        :raises ImageNotFound: there is no such image.
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
