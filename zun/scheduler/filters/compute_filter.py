# SPDX-License-Identifier: Apache-2.0
"""Hosts whose service is enabled and alive."""

from zun.scheduler.filters import base
from zun.servicegroup import api as servicegroup


class ComputeFilter(base.BaseHostFilter):
    """Leaves out disabled, forced-down and silent services."""

    def host_passes(self, host_state, container, extra_spec):
        service = host_state.service
        if service.disabled:
            return False
        return servicegroup.ServiceGroup().service_is_up(service)
