# SPDX-License-Identifier: Apache-2.0
"""How measured times become figures and tables."""

from benchmarks.api import load
from benchmarks.api import table as api_table
from benchmarks.tasks import load as task_load
from benchmarks.tasks import table as task_table
from zun.tests import base


def result(flavour: str, rate: float) -> dict:
    return {'containers': 1000, 'case': 'show', 'clients': 1, 'p50': 2.0,
            'p99': 3.0, 'cpu': 1.5, 'statements': 1.0, 'memory': 99.0,
            'flavour': flavour, 'rate': rate}


class ApiFiguresTest(base.TestCase):

    def test_percentiles_are_in_milliseconds(self):
        found = load.Result([number / 1000 for number in range(1, 101)], 2)
        self.assertEqual(51, found.percentile(0.5))
        self.assertEqual(100, found.percentile(0.99))

    def test_percentile_of_one_answer(self):
        self.assertEqual(7000, load.Result([7], 7).percentile(0.99))

    def test_rate(self):
        self.assertEqual(1.5, load.Result([1, 1, 1], 2).rate)

    def test_ratio_of_both(self):
        row, = api_table.rows([result('reference', 10),
                               result('project', 45)])
        self.assertEqual(('1,000', 'show', '1', '10.0', '45.0', '4.5'),
                         row[:6])

    def test_columns_line_up(self):
        lines = api_table.render([result('reference', 1e6),
                                  result('project', 1)]).splitlines()
        self.assertEqual(lines[0], lines[2])
        self.assertEqual(lines[0], lines[-1])


class TaskFiguresTest(base.TestCase):

    def test_quantiles(self):
        self.assertEqual((50, 99), tuple(
            round(value) for value in task_load.quantiles(
                [float(number) for number in range(101)])))

    def test_what_was_not_measured_is_a_dash(self):
        text = task_table.render({'mariadb': {'tasks_per_s': 512.4},
                                  'sqlite': {}})
        line, = [line for line in text.splitlines()
                 if line.startswith('tasks/s, 4 processes')]
        self.assertEqual(['512', '-'], line.split()[-2:])
