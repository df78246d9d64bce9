# SPDX-License-Identifier: Apache-2.0
"""Hosts with enough disk that is not promised."""

from zun.scheduler.filters import base


class DiskFilter(base.BaseHostFilter):
    """Counts GiB; a size can only be kept where quotas of disk work."""

    def host_passes(self, host_state, container, extra_spec):
        if not container.disk:
            return True
        if not host_state.disk_quota_supported:
            return False
        if host_state.disk_used + container.disk > host_state.disk_total:
            return False
        host_state.limits['disk'] = host_state.disk_total
        return True
