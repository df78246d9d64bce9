# SPDX-License-Identifier: Apache-2.0
"""Connections that break, and transactions that lose against others.

A worker process is made to have one fault, at its first, second ... statement
or commit; the task must be done all the same, and its effect be there once.
"""

import multiprocessing
import os
import signal
import socket
import sqlite3
import threading
from typing import Any

import psycopg2
import pymysql
import sqlalchemy as sa

from zun.compute.tasks import execution
from zun.compute.tasks import lease
from zun.compute.tasks import service
from zun.compute.tasks import worker
from zun.db import api as db_api
from zun.db.sqlalchemy import transaction
from zun.tests import databases
from zun.tests.functional.tasks import base
from zun.tests.unit.compute.tasks import base as task_base

# What each driver says.
CONFLICTS = {
    'mysql': lambda: pymysql.err.OperationalError(
        1213, 'Deadlock found when trying to get lock; try restarting '
              'transaction'),
    'postgresql': lambda: psycopg2.errors.DeadlockDetected(
        'deadlock detected'),
    'sqlite': lambda: sqlite3.OperationalError('database is locked'),
}
LOST = {
    'mysql': lambda: pymysql.err.OperationalError(
        2013, 'Lost connection to MySQL server during query'),
    'postgresql': lambda: psycopg2.OperationalError(
        'server closed the connection unexpectedly'),
    'sqlite': lambda: sqlite3.OperationalError('disk I/O error'),
}


def _cut(connection: Any) -> None:
    """Break a driver's connection to its server."""
    if hasattr(connection, '_sock'):
        connection._sock.shutdown(socket.SHUT_RDWR)
    elif hasattr(connection, 'fileno'):
        with socket.socket(fileno=os.dup(connection.fileno())) as sock:
            sock.shutdown(socket.SHUT_RDWR)


class Fault:
    """One fault of this process.

    :param kind: 'cut' before, 'conflict' in place of or 'unheard' after a
        statement; 'conflict at commit', 'cut before commit', 'cut after
        commit'
    :param number: at which statement or commit, from 1
    """

    def __init__(self, kind: str, number: int) -> None:
        self.kind = kind
        self._left = number
        self._lock = threading.Lock()
        self.fired = multiprocessing.get_context('fork').Event()

    def install(self, *engines: sa.Engine) -> None:
        """Let the engines have the fault.

        :param engines: that of transactions first
        """
        dialect = engines[0].dialect
        self._name = dialect.name
        if self.kind in ('cut', 'conflict', 'unheard'):
            for engine in engines:
                sa.event.listen(engine, 'do_execute', self._in_execute)
        else:
            self._commit = dialect.do_commit
            dialect.do_commit = self._in_commit

    def _is_now(self) -> bool:
        with self._lock:
            self._left -= 1
            return self._left == 0

    def _in_execute(self, cursor: Any, statement: str, parameters: Any,
                    context: Any) -> None:
        if not statement.startswith(('SELECT', 'UPDATE', 'INSERT')):
            return
        if not self._is_now():
            return
        self.fired.set()
        if self.kind == 'conflict':
            raise CONFLICTS[self._name]()
        if self.kind == 'unheard':
            cursor.execute(statement, parameters)
        _cut(context.root_connection.connection.driver_connection)
        if self.kind == 'unheard':
            raise LOST[self._name]()

    def _in_commit(self, connection: Any) -> None:
        if not self._is_now():
            return self._commit(connection)
        self.fired.set()
        if self.kind == 'conflict at commit':
            raise CONFLICTS[self._name]()
        if self.kind == 'cut after commit':
            self._commit(connection)
        _cut(getattr(connection, 'driver_connection', connection))
        raise LOST[self._name]()


def run_faulty_worker(url: str, fault: Fault) -> None:
    """The main function of a worker process that has a fault."""
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, frame: ended.set())
    db_api.configure(url)
    part = service.TaskService(base.operations(), 'node-1', 'zun-compute',
                               lambda: False)
    fault.install(db_api.get_engine(), transaction._single_engine())
    part.start()
    base.wait_for_the_end(ended)
    os._exit(0)


class FaultTests:
    """Every fault at every statement and commit of a task's life."""

    statement_faults = ('cut', 'conflict', 'unheard')
    commit_faults = ('conflict at commit', 'cut before commit',
                     'cut after commit')

    # The registration is a worker's first statement and commit.  Then come
    # its look at the queue, the claim (two statements on MySQL), three
    # statements and the commit of the operation, and the outcome.
    statements = range(2, 9)
    commits = (2,)

    def setUp(self):
        super().setUp()
        for module in (execution, lease, worker):
            self.useFixture(task_base.Patch(module, 'ERROR_PAUSE', 0.05))
        self.useFixture(task_base.Patch(execution, 'pause_after',
                                        lambda attempt: 0.05))

    def test_faults_at_statements(self):
        for kind in self.statement_faults:
            for number in self.statements:
                self.check(kind, number)

    def test_faults_at_commits(self):
        for kind in self.commit_faults:
            for number in self.commits:
                self.check(kind, number)

    def check(self, kind, number):
        what = '%s, number %d' % (kind, number)
        uuid = self.enqueue('note_once', lane='lane-1')
        fault = Fault(kind, number)
        process = self.fork(run_faulty_worker, self.urls[0], fault)
        base.wait_for(fault.fired.is_set, what)
        base.wait_for(lambda: self.row(uuid).state == 'done',
                      'the task after ' + what)
        done = [row for row in self.effects() if row.task == uuid]
        self.assertEqual(1, len(done), what)
        process.end()


class RestartTests:
    """The database server goes away in the middle of a task."""

    def test_server_is_restarted(self):
        self.config(group='database', max_retries=-1, retry_interval=1)
        process = self.start_process()
        uuid = self.enqueue('hold', lane='lane-1')
        base.wait_for(lambda: self.effects('began'), 'the beginning')
        server = databases.get(self.server)
        server.shut_down()
        server.launch()
        db_api.dispose()
        self.say_go()
        base.wait_for(lambda: self.row(uuid).state == 'done', 'the end')
        self.assertEqual({uuid},
                         {row.task for row in self.effects('ended')})
        process.signal(signal.SIGTERM)
        self.assertEqual(0, process.wait())


class NodeTests:
    """A node of the cluster goes away, and with it a worker's connection."""

    def test_node_is_killed_and_rejoins(self):
        node = databases.get(self.server).nodes[2]
        cut_off = self.start_process(2)
        uuid = self.enqueue('hold', lane='lane-1')
        base.wait_for(lambda: self.effects('began'), 'the beginning')
        other = self.start_process(1)
        node.crash()
        base.wait_for(lambda: len(self.effects('began')) == 2,
                      'another worker that takes over')
        self.say_go()
        base.wait_for(lambda: self.row(uuid).state == 'done', 'the end')
        node.rejoin()
        # The worker at the node that was away is back as a new one.
        base.wait_for(lambda: len(self.workers()) == 2, 'two workers')
        ended, = self.effects('ended')
        self.assertEqual(other.pid, ended.pid)
        for process in (cut_off, other):
            process.signal(signal.SIGTERM)
            self.assertEqual(0, process.wait())
