# SPDX-License-Identifier: Apache-2.0
"""Hosts of the wanted zone."""

import zun.conf
from zun.scheduler.filters import base

CONF = zun.conf.CONF


class AvailabilityZoneFilter(base.BaseHostFilter):
    """A service without a zone is in the default zone; no wish: any."""

    def host_passes(self, host_state, container, extra_spec):
        wanted = extra_spec.get('availability_zone')
        if not wanted:
            return True
        zone = host_state.service.availability_zone
        return wanted == (zone or CONF.default_availability_zone)
