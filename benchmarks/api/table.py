# SPDX-License-Identifier: Apache-2.0
"""The figures as text."""

COLUMNS = ('containers', 'case', 'clients', 'reference req/s',
           'project req/s', 'ratio', 'reference p50, p99 ms',
           'project p50, p99 ms', 'CPU ms a request',
           'statements a request', 'memory MiB')


def line(result: dict) -> str:
    """One result, while it runs."""
    return ('  %(flavour)-9s %(case)-13s %(clients)d clients '
            '%(rate)8.1f/s  p50 %(p50)8.1f ms  p99 %(p99)8.1f ms  CPU '
            '%(cpu)7.1f ms %(statements)5.1f statements '
            '%(memory)6.0f MiB' % result)


def rows(results: list[dict]) -> list[tuple[str, ...]]:
    """The lines of the table: reference and project side by side."""
    found = {}
    for result in results:
        key = (result['containers'], result['case'], result['clients'])
        found.setdefault(key, {})[result['flavour']] = result
    lines = []
    for (containers, case, clients), pair in found.items():
        old, new = pair['reference'], pair['project']
        lines.append((
            '{:,}'.format(containers), case, str(clients),
            '%.1f' % old['rate'], '%.1f' % new['rate'],
            '%.1f' % (new['rate'] / old['rate']),
            '%.1f, %.1f' % (old['p50'], old['p99']),
            '%.1f, %.1f' % (new['p50'], new['p99']),
            '%.1f, %.1f' % (old['cpu'], new['cpu']),
            '%.1f, %.1f' % (old['statements'], new['statements']),
            '%.0f, %.0f' % (old['memory'], new['memory'])))
    return lines


def render(results: list[dict]) -> str:
    """A table of reStructuredText."""
    lines = [COLUMNS, *rows(results)]
    widths = [max(len(one[index]) for one in lines)
              for index in range(len(COLUMNS))]
    rule = '  '.join('=' * width for width in widths)
    body = ['  '.join(text.ljust(width) for text, width in
                      zip(one, widths)).rstrip() for one in lines]
    return '\n'.join([rule, body[0], rule, *body[1:], rule])
