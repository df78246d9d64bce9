# SPDX-License-Identifier: Apache-2.0
"""How compute nodes are shown."""

from zun.api.controllers import link

KEYS = (
    'uuid', 'hostname', 'mem_total', 'mem_used', 'cpus', 'cpu_used',
    'disk_total', 'disk_used', 'disk_quota_supported', 'total_containers',
    'architecture', 'os_type', 'os', 'kernel_version', 'labels', 'runtimes',
    'enable_cpu_pinning')


def format_host(url: str, host: dict) -> dict:
    """A row of `compute_node` as a host; `url` is scheme and host."""
    shown = {key: host[key] for key in KEYS}
    shown['links'] = link.resource_links(url, 'hosts', host['uuid'])
    return shown
