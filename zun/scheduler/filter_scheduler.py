# SPDX-License-Identifier: Apache-2.0
"""The hosts that pass all filters."""

import zun.conf
from zun.scheduler import driver
from zun.scheduler import filters
from zun.scheduler import host_state

CONF = zun.conf.CONF


class FilterScheduler(driver.Scheduler):
    """Placement has checked the amounts; filters check the rest."""

    def __init__(self):
        self._filters = filters.load_filters(
            CONF.scheduler.available_filters,
            CONF.scheduler.enabled_filters)

    def select_hosts(self, context, container, extra_spec,
                     alloc_reqs_by_rp_uuid):
        offered = host_state.host_states(context, alloc_reqs_by_rp_uuid)
        return [host for host in offered
                if all(host_filter.host_passes(host, container, extra_spec)
                       for host_filter in self._filters)]
