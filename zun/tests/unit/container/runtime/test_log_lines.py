# SPDX-License-Identifier: Apache-2.0
import datetime

from zun.container.runtime import log_lines
from zun.tests import base

LINES = b'''2026-01-02T03:04:05.000000001Z stdout F one
2026-01-02T03:04:06.000000001Z stderr F bad
2026-01-02T03:04:07.000000001Z stdout P tw
2026-01-02T03:04:07.000000002Z stderr F worse
2026-01-02T03:04:07.000000003Z stdout F o
2026-01-02T05:04:08.5+02:00 stdout F\x20
'''.splitlines(keepends=True)
BOTH = {b'stdout', b'stderr'}


def select(lines=LINES, streams=BOTH, timestamps=False, since=None):
    return list(log_lines.select(lines, streams, timestamps, since))


class TestSelect(base.BaseTestCase):

    def test_one_stream(self):
        self.assertEqual([b'one\n', b'two\n', b'\n'],
                         select(streams={b'stdout'}))
        self.assertEqual([b'bad\n', b'worse\n'],
                         select(streams={b'stderr'}))

    def test_parts_of_a_line_are_joined(self):
        self.assertEqual([b'one\n', b'bad\n', b'worse\n', b'two\n', b'\n'],
                         select())

    def test_line_that_goes_on(self):
        self.assertEqual([b'tw'], select(LINES[2:3]))

    def test_timestamps(self):
        self.assertEqual(
            [b'2026-01-02T03:04:07.000000001Z two\n'],
            select(LINES[2:5], {b'stdout'}, timestamps=True))

    def test_since(self):
        since = datetime.datetime(2026, 1, 2, 3, 4, 7)
        self.assertEqual([b'worse\n', b'two\n', b'\n'],
                         select(since=since))
        self.assertEqual([b'\n'], select(
            since=since + datetime.timedelta(seconds=1.5)))

    def test_what_is_no_line(self):
        self.assertEqual([], select([b'', b'\n', b'broken', b'a b c d']))


class TestNewest(base.BaseTestCase):

    def test_count(self):
        lines = [b'%d\n' % number for number in range(5)]
        for count, expected in ((None, b'0\n1\n2\n3\n4\n'), (2, b'3\n4\n'),
                                (0, b''), (9, b'0\n1\n2\n3\n4\n'),
                                (-1, b'0\n1\n2\n3\n4\n')):
            self.assertEqual(expected, log_lines.newest(lines, count, 100))

    def test_bytes(self):
        lines = (b'%04d\n' % number for number in range(1000))
        self.assertEqual(b'0998\n0999\n', log_lines.newest(lines, None, 12))
