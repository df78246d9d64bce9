# SPDX-License-Identifier: Apache-2.0
"""Hosts that offer the wanted runtime."""

from zun.scheduler.filters import base


class RuntimeFilter(base.BaseHostFilter):
    """A container without a wish for a runtime fits everywhere."""

    def host_passes(self, host_state, container, extra_spec):
        return not container.runtime or \
            container.runtime in (host_state.runtimes or ())
