# SPDX-License-Identifier: Apache-2.0
"""The figures as text."""

from typing import Any

# A row of the table: its title, and the figure it shows.
ROWS = (
    ('casts/s, one caller', 'enqueued_per_s', '%.0f'),
    ('tasks/s, 4 processes', 'tasks_per_s', '%.0f'),
    ('the same, each writes a row', 'saving_tasks_per_s', '%.0f'),
    ('the first among finished ones', 'crowded_tasks_per_s', '%.0f'),
    ('CPU of a worker, ms a task', 'cpu_ms_per_task', '%.2f'),
    ('statements a task', 'statements_per_task', '%.1f'),
    ('conflicts a task', 'conflicts_per_task', '%.4f'),
    ('lost claims, %', 'lost_claims_percent', '%.2f'),
    ('pick-up p50, ms, polled', 'polled_pick_up_p50_ms', '%.1f'),
    ('pick-up p99, ms, polled', 'polled_pick_up_p99_ms', '%.1f'),
    ('pick-up p50, ms, poked', 'poked_pick_up_p50_ms', '%.1f'),
    ('pick-up p99, ms, poked', 'poked_pick_up_p99_ms', '%.1f'),
    ('cast to operation p50, ms', 'poked_end_to_end_p50_ms', '%.1f'),
    ('cast to operation p99, ms', 'poked_end_to_end_p99_ms', '%.1f'),
    ('containers that do nothing', 'idle_containers', '%d'),
    ('idle statements a second and worker',
     'idle_statements_per_s_and_worker', '%.2f'),
    ('workers killed', 'kills', '%d'),
    ('kill to next claim p50, s', 'takeover_p50_s', '%.1f'),
    ('kill to next claim, greatest, s', 'takeover_max_s', '%.1f'),
)


def render(results: dict[str, dict[str, Any]]) -> str:
    """A table of reStructuredText, one column a database."""
    lines = [['', *results]]
    for title, name, form in ROWS:
        lines.append([title, *(form % result[name] if name in result else '-'
                               for result in results.values())])
    widths = [max(len(line[index]) for line in lines)
              for index in range(len(lines[0]))]
    rule = '  '.join('=' * width for width in widths)
    body = ['  '.join(text.ljust(width) for text, width
                      in zip(line, widths)).rstrip() for line in lines]
    return '\n'.join([rule, body[0], rule, *body[1:], rule])
