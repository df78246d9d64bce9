# SPDX-License-Identifier: Apache-2.0

import os

import sqlalchemy as sa

from zun.db import api as dbapi
from zun.db.sqlalchemy import task_models
from zun.db.sqlalchemy import transaction
from zun.tests import base
from zun.tests import fixtures

INSERT = task_models.worker.insert()
COUNT = sa.select(sa.func.count()).select_from(task_models.worker)


def row(number: int) -> dict:
    return {'uuid': str(number), 'host': 'h', 'binary': 'b', 'queue': 'q',
            'beats': 0, 'started_at': 0}


class SingleTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(fixtures.Database(in_file=True))

    def count(self):
        with dbapi.reader(None) as session:
            return session.execute(COUNT).scalar_one()

    def test_each_statement_is_committed(self):
        def fail():
            with dbapi.single() as connection:
                connection.execute(INSERT, row(1))
                raise RuntimeError
        self.assertRaises(RuntimeError, fail)
        self.assertEqual(1, self.count())

    def test_is_refused_where_it_would_not_take_part(self):
        for block in (dbapi.writer, dbapi.reader):
            with block(None):
                self.assertRaises(RuntimeError, dbapi.single().__enter__)

    def test_reader_sees_what_is_committed_meanwhile(self):
        with dbapi.reader(None) as session:
            self.assertEqual(0, session.execute(COUNT).scalar_one())
            with transaction._single_engine().connect() as connection:
                connection.execute(INSERT, row(1))
            self.assertEqual(1, session.execute(COUNT).scalar_one())

    def test_readers_join(self):
        with dbapi.reader(None) as session:
            with dbapi.reader(None) as inner:
                self.assertIs(session, inner)

    def test_writer_in_a_reader_is_refused(self):
        with dbapi.reader(None):
            self.assertRaises(TypeError, dbapi.writer(None).__enter__)
        with dbapi.writer(None) as session:
            session.execute(INSERT, row(1))
        self.assertEqual(1, self.count())

    def test_connection_that_broke_while_idle_is_replaced(self):
        with dbapi.single() as connection:
            driver = connection.connection.driver_connection
            record = connection.connection._connection_record
        driver.close()
        record.info['idle_since'] -= 2 * transaction.IDLE_TIME
        self.assertEqual(0, self.count())

    def test_process_that_forks_keeps_its_connections(self):
        self.count()
        engine = transaction._single_engine()
        child = os.fork()
        if not child:
            # The child makes an engine of its own.
            os._exit(0 if transaction._single_engine() is not engine and
                     self.count() == 0 else 1)
        self.assertEqual(0, os.waitpid(child, 0)[1])
        self.assertIs(engine, transaction._single_engine())
        self.assertEqual(0, self.count())

    def test_other_database_after_configure(self):
        with dbapi.single() as connection:
            connection.execute(INSERT, row(1))
        self.useFixture(fixtures.Database(in_file=True))
        self.assertEqual(0, self.count())


class InMemoryTestCase(base.TestCase):

    def test_the_one_connection_is_used(self):
        self.useFixture(fixtures.Database())
        with dbapi.single() as connection:
            connection.execute(INSERT, row(1))
        with dbapi.reader(None) as session:
            self.assertEqual(1, session.execute(COUNT).scalar_one())
