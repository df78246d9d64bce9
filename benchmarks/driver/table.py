# SPDX-License-Identifier: Apache-2.0
"""The figures as text."""

from typing import Any

# A row of a table: its title, and the figure it shows.
LATENCY = (
    ('create to Running, project, p50 ms', 'create_project_p50_ms', '%.0f'),
    ('create to Running, kubectl, p50 ms', 'create_kubectl_p50_ms', '%.0f'),
    ('exec, project, p50 ms', 'exec_project_p50_ms', '%.0f'),
    ('exec, kubectl, p50 ms', 'exec_kubectl_p50_ms', '%.0f'),
    ('logs, project, p50 ms', 'logs_project_p50_ms', '%.0f'),
    ('logs, kubectl, p50 ms', 'logs_kubectl_p50_ms', '%.0f'),
)
CROWD = (
    ('nodes', 'nodes', '%d'),
    ('containers', 'containers', '%d'),
    ('accepted by the API a second', 'accepted_per_s', '%.1f'),
    ('Running a second', 'running_per_s', '%.1f'),
    ('deleted a second', 'deleted_per_s', '%.1f'),
    ('requests to the API server, create', 'create_calls_each', '%.2f'),
    ('requests to the API server, delete', 'delete_calls_each', '%.2f'),
    ("compute's CPU, create, ms", 'create_cpu_ms_each', '%.1f'),
    ("compute's CPU, delete, ms", 'delete_cpu_ms_each', '%.1f'),
    ("compute's memory, MiB", 'memory_mib', '%.0f'),
    ('state caught up after a restart, s', 'catch_up_s', '%.1f'),
)


def render(rows: tuple[tuple[str, str, str], ...],
           result: dict[str, Any]) -> str:
    """A table of reStructuredText; what was not measured is left out."""
    lines = [(title, form % result[name]) for title, name, form in rows
             if name in result]
    widths = [max(len(line[index]) for line in lines) for index in (0, 1)]
    rule = '  '.join('=' * width for width in widths)
    return '\n'.join([rule, *('  '.join((
        title.ljust(widths[0]), figure)) for title, figure in lines), rule])
