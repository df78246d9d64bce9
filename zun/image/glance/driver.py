# SPDX-License-Identifier: Apache-2.0
"""Images of the Image service."""

from zun.common import exception
from zun.common.i18n import _
from zun.container import driver as container_driver
from zun.image import driver


class GlanceDriver(driver.ImageDriver):
    """The driver ``glance``."""

    def resolve(self, context, container) -> container_driver.Image:
        """Refuse: nodes can only pull from registries.

        :raises Invalid: always.
        """
        raise exception.Invalid(_(
            'Image %s is in the Image service, from which the nodes of this '
            'cluster cannot take images; use the image driver docker.')
            % container.image)
