# SPDX-License-Identifier: Apache-2.0

import asyncio
import pathlib

from zun.standalone.cluster import logs
from zun.tests import base


class LogsTest(base.TestCase):

    def setUp(self):
        super().setUp()
        self.file = pathlib.Path(self.path('c', '0.log'))
        self.writer = logs.LogWriter(self.file)
        self.addCleanup(self.writer.close)

    def read(self, **options):
        return logs.read(self.file, logs.LogOptions(**options))

    def test_unfinished_line_waits(self):
        self.writer.write('stdout', b'one\ntw')
        self.assertEqual(b'one\n', self.read())
        self.writer.write('stdout', b'o\n')
        self.assertEqual(b'one\ntwo\n', self.read())

    def test_unfinished_line_comes_at_the_end(self):
        self.writer.write('stderr', b'rest')
        self.writer.close()
        self.assertEqual(b'rest', self.read())

    def test_long_line_stays_one_line(self):
        text = b'x' * (3 * logs.LINE_LIMIT + 5)
        self.writer.write('stdout', text + b'\n')
        self.assertEqual(text + b'\n', self.read())

    def test_tail_and_limit(self):
        self.writer.write('stdout', b'a\nb\nc\n')
        self.assertEqual(b'b\nc\n', self.read(tail=2))
        self.assertEqual(b'a\nb\nc\n', self.read(tail=9))
        self.assertEqual(b'a\n', self.read(limit=2))

    def test_since(self):
        self.writer.write('stdout', b'a\n')
        self.assertEqual(b'', self.read(since='2999-01-01T00:00:00Z'))

    def test_follow_ends_with_the_container(self):
        async def collect():
            self.writer.write('stdout', b'a\n')
            source = logs.follow(self.writer, logs.LogOptions())
            chunks = [await anext(source)]
            self.writer.write('stdout', b'b\n')
            self.writer.close()
            return chunks + [chunk async for chunk in source]
        self.assertEqual([b'a\n', b'b\n'], asyncio.run(collect()))

    def test_stamp(self):
        self.assertEqual('1970-01-01T00:00:01.000000005Z',
                         logs.stamp(10 ** 9 + 5))
