# SPDX-License-Identifier: Apache-2.0
"""A quota holds however many ask at once.

Three processes with an API each (on Galera each at a node of its own) send
ten requests each at the same moment, against a quota of ten.
"""

import collections
import json
import os
import subprocess
import sys

from oslo_utils import timeutils
from testtools import content

from zun.common import context as zun_context
from zun.db import api as db_api
from zun.db.sqlalchemy import schema
from zun.tests import base
from zun.tests import databases
from zun.tests.functional.quotas import creator
from zun.tests import galera

PROCESSES, REQUESTS, LIMIT = 3, 10, 10
# Seconds; far more than a busy machine needs.
PATIENCE = 300


class ConcurrentCreates:
    """The test, for each kind of database."""

    server: str | None = None

    def setUp(self):
        super().setUp()
        self.urls = self._create_database()
        db_api.configure(self.urls[0])
        self.addCleanup(db_api.configure)
        schema.create_all(db_api.get_engine())
        self.context = zun_context.get_admin_context(all_projects=True)
        db_api.create_compute_node(self.context, {
            'uuid': creator.HOST, 'rp_uuid': creator.HOST, 'hostname': 'h',
            'cpus': 64, 'mem_total': 10 ** 6, 'disk_total': 10 ** 4,
            'runtimes': ['runc'], 'labels': {}})
        db_api.create_zun_service(self.context, {
            'host': 'h', 'binary': 'zun-compute',
            'last_seen_up': timeutils.utcnow()})

    def _create_database(self) -> list[str]:
        if self.server is None:
            return ['sqlite:///' + self.path('zun.sqlite')]
        server = databases.get(self.server)
        url = server.create_database()
        self.addCleanup(server.drop_database, url)
        if isinstance(server, galera.Galera):
            return server.urls(url)
        return [url]

    def start(self, number: int) -> subprocess.Popen:
        """A process that waits for the word."""
        directory = self.path('api-%d' % number)
        os.makedirs(directory)
        self.addOnException(lambda _info: content.attach_file(
            self, os.path.join(directory, 'log')))
        process = subprocess.Popen(
            [sys.executable, '-W', 'ignore', '-m', creator.__name__,
             self.urls[number % len(self.urls)], directory, str(REQUESTS)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual('ready\n', process.stdout.readline())
        return process

    def create_at_once(self) -> list[tuple]:
        """The answers to all requests."""
        processes = [self.start(number) for number in range(PROCESSES)]
        for process in processes:
            process.stdin.write('go\n')
            process.stdin.flush()
        answers = []
        for process in processes:
            out, _err = process.communicate(timeout=PATIENCE)
            answers += [tuple(answer) for answer in json.loads(out)]
        return answers

    def assert_held(self, resource: str) -> None:
        """Ten succeed, the others are refused as the contract says."""
        refusal = (403, 'container.over-quota',
                   "Quota exceeded for resources: ['%s']" % resource)
        self.assertEqual(
            {(202, None, None): LIMIT,
             refusal: PROCESSES * REQUESTS - LIMIT},
            dict(collections.Counter(self.create_at_once())))
        self.assertEqual(LIMIT, db_api.quota_usages(
            self.context, 'p')['containers'])

    def test_containers(self):
        db_api.quota_create(self.context, 'p', 'containers', LIMIT)
        self.assert_held('containers')

    def test_memory(self):
        db_api.quota_create(self.context, 'p', 'memory', LIMIT * 64 + 63)
        self.assert_held('memory')


class SQLiteTest(ConcurrentCreates, base.TestCase):
    server = None


class MariaDBTest(ConcurrentCreates, base.TestCase):
    server = 'mariadb'


class PostgreSQLTest(ConcurrentCreates, base.TestCase):
    server = 'postgresql'


class GaleraTest(ConcurrentCreates, base.TestCase):
    server = 'galera'
