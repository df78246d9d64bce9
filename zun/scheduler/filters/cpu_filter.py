# SPDX-License-Identifier: Apache-2.0
"""Hosts with enough cpus that are not promised."""

from zun.scheduler.filters import base


class CPUFilter(base.BaseHostFilter):
    """Counts whole hosts: no overcommitment."""

    def host_passes(self, host_state, container, extra_spec):
        if not container.cpu:
            return True
        if host_state.cpu_used + container.cpu > host_state.cpus:
            return False
        host_state.limits['cpu'] = host_state.cpus
        return True
