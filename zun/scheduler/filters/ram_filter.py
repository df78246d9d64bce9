# SPDX-License-Identifier: Apache-2.0
"""Hosts with enough memory that is not promised."""

from zun.scheduler.filters import base


class RamFilter(base.BaseHostFilter):
    """Counts MiB: no overcommitment."""

    def host_passes(self, host_state, container, extra_spec):
        if not container.memory:
            return True
        free = host_state.mem_total - host_state.mem_used
        if int(container.memory) > free:
            return False
        host_state.limits['memory'] = host_state.mem_total
        return True
