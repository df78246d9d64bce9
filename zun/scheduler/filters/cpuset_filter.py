# SPDX-License-Identifier: Apache-2.0
"""Hosts with cpus that can belong to one container alone."""

import zun.conf
from zun.scheduler.filters import base

CONF = zun.conf.CONF


class CpuSetFilter(base.BaseHostFilter):
    """``dedicated``: one NUMA node has the cpus and the memory; its figures
    become the limit. ``shared``: anywhere, unless this deployment pins.
    """

    def host_passes(self, host_state, container, extra_spec):
        if container.cpu_policy != 'dedicated':
            return not CONF.compute.enable_cpu_pinning
        if not host_state.enable_cpu_pinning:
            return False
        for node in host_state.numa_topology.nodes:
            if _fits(node, container):
                host_state.limits['cpuset'] = {
                    'node': node.id,
                    'cpuset_cpu': sorted(node.cpuset),
                    'cpuset_cpu_pinned': sorted(node.pinned_cpus),
                    'cpuset_mem': node.mem_available}
                return True
        return False


def _fits(node, container) -> bool:
    if len(node.free_cpus) < (container.cpu or 0):
        return False
    return container.memory is None or \
        int(container.memory) <= node.mem_available
