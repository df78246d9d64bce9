# SPDX-License-Identifier: Apache-2.0
import gzip
import pathlib

from zun.container.runtime import saved_logs
from zun.tests import base

UUID = '11111111-2222-4333-8444-555555555555'


class TestSavedLogs(base.TestCase):

    def setUp(self):
        super().setUp()
        self.logs = saved_logs.SavedLogs(
            pathlib.Path(self.path('logs')), 10)

    def source(self, name='0.log', text='x'):
        path = pathlib.Path(self.path('pod')) / name
        path.parent.mkdir(exist_ok=True)
        if name.endswith('.gz'):
            path.write_bytes(gzip.compress(text.encode()))
        else:
            path.write_text(text)
        return path

    def save(self, generation, text='x'):
        self.logs.save(UUID, 'main', generation, self.source(text=text))

    def texts(self):
        return [(generation, path.read_text())
                for generation, path in self.logs.runs(UUID, 'main')]

    def test_runs_in_order(self):
        for generation in (10, 2, 1):
            self.save(generation, str(generation))
        self.assertEqual([(1, '1'), (2, '2'), (10, '10')], self.texts())

    def test_again(self):
        self.save(1, 'first')
        self.save(1, 'again')
        self.assertEqual([(1, 'again')], self.texts())

    def test_what_was_rotated_away(self):
        self.source('0.log.20260101-000000.gz', 'a')
        self.source('0.log.20260102-000000', 'b')
        self.save(1, 'c')
        self.assertEqual([(1, 'abc')], self.texts())

    def test_no_log(self):
        self.logs.save(UUID, 'main', 1, pathlib.Path('/no/such/0.log'))
        self.assertEqual([(1, '')], self.texts())

    def test_oldest_run_goes(self):
        for generation in (1, 2, 3):
            self.save(generation, '12345')
        self.assertEqual([2, 3], [run for run, __ in self.texts()])

    def test_latest_run_stays(self):
        self.save(1, '12345')
        self.save(2, 'more than ten bytes')
        self.assertEqual([2], [run for run, __ in self.texts()])

    def test_dropped(self):
        self.save(1)
        self.assertEqual([UUID], self.logs.owners())
        self.logs.drop(UUID)
        self.logs.drop(UUID)
        self.assertEqual(([], []), (self.logs.owners(), self.texts()))

    def test_name_that_leads_elsewhere(self):
        self.assertRaises(ValueError, self.logs.runs, '..', 'main')
        self.assertRaises(ValueError, self.logs.drop, '../x')
