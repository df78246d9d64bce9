# SPDX-License-Identifier: Apache-2.0
"""The kubelet's ``stats/summary``, read from /proc."""

import os
import pathlib
from typing import Any

from zun.standalone.cluster import containers
from zun.standalone.cluster import kubelet
from zun.standalone.cluster import processes
from zun.standalone.cluster import store

_TICKS = os.sysconf('SC_CLK_TCK')
_PAGE = os.sysconf('SC_PAGE_SIZE')


def summary(node: kubelet.Kubelet) -> dict[str, Any]:
    """All Pods of a node with cpu and memory of their containers."""
    pods = []
    for worker in node.workers.values():
        meta = worker.pod['metadata']
        pods.append({
            'podRef': {'name': meta['name'], 'namespace': meta['namespace'],
                       'uid': meta['uid']},
            'startTime': worker.pod['status'].get('startTime'),
            'network': {'time': store.now(), 'name': 'eth0', 'rxBytes': 0,
                        'rxErrors': 0, 'txBytes': 0, 'txErrors': 0,
                        'interfaces': [{'name': 'eth0', 'rxBytes': 0,
                                        'txBytes': 0}]},
            'containers': [container_stats(c)
                           for c in worker.containers.values()
                           if c.running]})
    return {'node': {'nodeName': node.spec.name}, 'pods': pods}


def container_stats(container: containers.Container) -> dict[str, Any]:
    """CPU (nanoseconds) and memory (bytes) of a container's processes."""
    cpu = memory = 0
    for pid in processes.members(container.mark):
        try:
            text = pathlib.Path('/proc/%d/stat' % pid).read_text()
        except OSError:
            continue  # ended meanwhile
        fields = text.rpartition(')')[2].split()
        cpu += (int(fields[11]) + int(fields[12])) * 10 ** 9 // _TICKS
        memory += int(fields[21]) * _PAGE
    return {'name': container.name,
            'cpu': {'time': store.now(), 'usageNanoCores': 0,
                    'usageCoreNanoSeconds': cpu},
            'memory': {'time': store.now(), 'usageBytes': memory,
                       'workingSetBytes': memory, 'rssBytes': memory}}
