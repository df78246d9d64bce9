# SPDX-License-Identifier: Apache-2.0
"""Hosts with the wanted PCI devices."""

from zun.scheduler.filters import base


class PciPassthroughFilter(base.BaseHostFilter):
    """All requests must be met by the host's pools at once."""

    def host_passes(self, host_state, container, extra_spec):
        wanted = extra_spec.get('pci_requests')
        if not wanted or not wanted.requests:
            return True
        return host_state.pci_stats.support_requests(wanted.requests)
