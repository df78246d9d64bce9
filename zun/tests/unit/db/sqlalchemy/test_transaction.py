# SPDX-License-Identifier: Apache-2.0

import sqlite3
import threading

from oslo_db import exception as db_exc
import sqlalchemy as sa

from zun.common import exception
from zun.db import api as dbapi
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy import transaction
from zun.tests import fixtures
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class Failure(Exception):
    pass


class JoinTestCase(base.DbTestCase):

    def _names(self):
        return [row['name'] for row in dbapi.list_containers(None, 0)]

    def test_commit(self):
        with dbapi.writer(self.context):
            utils.create_test_container(self.context, name='a')
        self.assertEqual(['a'], self._names())

    def test_exception_rolls_everything_back(self):
        with self.assertRaisesRegex(Failure, 'x'):
            with dbapi.writer(self.context):
                utils.create_test_container(self.context, name='a')
                with dbapi.writer(self.context):
                    utils.create_test_container(self.context, name='b')
                raise Failure('x')
        self.assertEqual([], self._names())

    def test_blocks_with_other_contexts_join(self):
        with self.assertRaisesRegex(Failure, 'x'):
            with dbapi.writer(self.context):
                with dbapi.writer(self.admin), dbapi.writer(None):
                    utils.create_test_container(name='a')
                raise Failure('x')
        self.assertEqual([], self._names())

    def test_reader_inside_sees_what_is_written(self):
        with dbapi.writer(self.context):
            utils.create_test_container(name='a')
            with dbapi.reader(self.context):
                self.assertEqual(['a'], self._names())

    def test_reader_does_not_become_a_writer(self):
        with dbapi.reader(self.context):
            self.assertRaises(TypeError, utils.create_test_container)

    def test_writer_after_a_failed_one(self):
        self.assertRaises(exception.ContainerNotFound,
                          dbapi.destroy_container, self.context, 0, 'x')
        self.assertFalse(dbapi.in_transaction())
        utils.create_test_container(name='a')
        self.assertEqual(['a'], self._names())

    def test_in_transaction(self):
        self.assertFalse(dbapi.in_transaction())
        with dbapi.writer(self.context):
            self.assertTrue(dbapi.in_transaction())
        self.assertFalse(dbapi.in_transaction())


class FenceTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        self.calls = []

        def fence(session):
            session.execute(sa.text('SELECT 1'))
            self.calls.append(dbapi.in_transaction())

        self.context.fence = fence

    def _refuse(self, session):
        raise Failure('lost')

    def test_runs_first(self):
        with dbapi.writer(self.context):
            self.assertEqual([True], self.calls)

    def test_runs_once_a_transaction(self):
        with dbapi.writer(self.context):
            utils.create_test_container(self.context)
            utils.create_test_container(self.context)
        self.assertEqual(1, len(self.calls))
        utils.create_test_container(self.context)
        self.assertEqual(2, len(self.calls))

    def test_reader_needs_none(self):
        dbapi.list_containers(self.context, 0)
        self.assertEqual([], self.calls)

    def test_refusal_rolls_back(self):
        self.context.fence = self._refuse
        self.assertRaises(Failure, utils.create_test_container, self.context)
        self.assertEqual([], dbapi.list_containers(None, 0))

    def test_inner_fence_guards_the_whole_transaction(self):
        self.context.fence = self._refuse
        with self.assertRaisesRegex(Failure, 'lost'):
            with dbapi.writer(self.admin):
                utils.create_test_container(name='a')
                utils.create_test_container(self.context, name='b')
        self.assertEqual([], dbapi.list_containers(None, 0))


class RetryTestCase(base.DbTestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(fixtures.fixtures.MockPatch('time.sleep'))
        self.runs = 0

    def _losing(self, times, error):
        @dbapi.retry_on_conflict
        def function():
            self.runs += 1
            if self.runs <= times:
                raise error
            return 'done'
        return function

    def test_deadlock(self):
        self.assertEqual('done', self._losing(3, db_exc.DBDeadlock())())
        self.assertEqual(4, self.runs)

    def test_locked_sqlite(self):
        error = sa.exc.OperationalError(
            'BEGIN', None, sqlite3.OperationalError('database is locked'))
        self.assertEqual('done', self._losing(1, error)())

    def test_row_that_changed_under_the_snapshot(self):
        self.assertEqual('done',
                         self._losing(1, db_exc.DBConsistencyError())())

    def test_gives_up(self):
        self.assertRaises(db_exc.DBDeadlock,
                          self._losing(99, db_exc.DBDeadlock()))
        self.assertEqual(1 + transaction.MAX_RETRIES, self.runs)

    def test_other_errors(self):
        self.assertRaises(Failure, self._losing(1, Failure()))
        self.assertEqual(1, self.runs)

    def test_not_inside_a_transaction(self):
        with dbapi.writer(self.context):
            self.assertRaises(db_exc.DBDeadlock,
                              self._losing(1, db_exc.DBDeadlock()))
        self.assertEqual(1, self.runs)


class ErrorsTestCase(base.DbTestCase):

    def test_number_out_of_range(self):
        e = self.assertRaises(exception.InvalidParameterValue,
                              utils.create_test_container, disk=2 ** 70)
        self.assertIn('does not fit the database', str(e))

    def test_other_errors_stay(self):
        with self.assertRaisesRegex(db_exc.DBError, 'no such table'):
            with dbapi.reader(self.context) as session:
                session.execute(sa.text('SELECT * FROM missing'))

    def test_values_are_not_part_of_errors(self):
        with dbapi.writer(self.context) as session:
            e = self.assertRaises(
                db_exc.DBError, session.execute,
                sa.text('INSERT INTO missing VALUES (:p)'), {'p': 'secret'})
        self.assertNotIn('secret', str(e))


class ThreadsTestCase(base.DbTestCase):

    threads = 4
    rounds = 10

    def make_database(self):
        return fixtures.Database(in_file=True)

    def test_writers_do_not_lose_updates(self):
        utils.create_test_service(report_count=0)
        table = models.ZunService.__table__

        def count_up():
            for _round in range(self.rounds):
                with dbapi.writer(None) as session:
                    count = session.execute(
                        sa.select(table.c.report_count)).scalar()
                    session.execute(table.update().values(
                        report_count=count + 1))

        threads = [threading.Thread(target=count_up)
                   for _thread in range(self.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        row, = dbapi.list_zun_services(None)
        self.assertEqual(self.threads * self.rounds, row['report_count'])

    def test_reader_does_not_wait_for_a_writer(self):
        found = []

        def read():
            found.extend(dbapi.list_zun_services(None))

        with dbapi.writer(None):
            utils.create_test_service()
            thread = threading.Thread(target=read)
            thread.start()
            thread.join()
        self.assertEqual([], found)


class ConfigureTestCase(base.DbTestCase):

    def test_other_database(self):
        utils.create_test_container()
        self.useFixture(fixtures.Database())
        self.assertEqual([], dbapi.list_containers(None, 0))

    def test_url_of_the_configuration(self):
        self.config(group='database',
                    connection='sqlite:///%s' % self.path('x.sqlite'))
        dbapi.configure()
        self.assertEqual(self.path('x.sqlite'),
                         dbapi.get_engine().url.database)

    def test_dispose(self):
        utils.create_test_container()
        dbapi.dispose()
        self.assertEqual('sqlite', dbapi.get_engine().dialect.name)
