# SPDX-License-Identifier: Apache-2.0
"""Any host that is up."""

import random

from zun.scheduler import driver
from zun.scheduler.filters import compute_filter
from zun.scheduler import host_state


class ChanceScheduler(driver.Scheduler):
    """Draws lots among the living hosts that Placement offers."""

    def __init__(self):
        self._alive = compute_filter.ComputeFilter()

    def select_hosts(self, context, container, extra_spec,
                     alloc_reqs_by_rp_uuid):
        offered = host_state.host_states(context, alloc_reqs_by_rp_uuid)
        hosts = [host for host in offered
                 if self._alive.host_passes(host, container, extra_spec)]
        random.shuffle(hosts)
        return hosts
