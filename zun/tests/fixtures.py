# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests that need a database."""

import functools
import sqlite3

import fixtures
import sqlalchemy as sa

from zun.db.sqlalchemy import schema
from zun.db.sqlalchemy import transaction
from zun.tests import databases


@functools.cache
def _sqlite_script() -> str:
    """Return the statements that create the schema in SQLite.

    They are made once a process: compiling them takes longer than running
    them.
    """
    engine = sa.create_engine('sqlite://')
    schema.create_all(engine)
    with engine.connect() as connection:
        statements = connection.exec_driver_sql(
            'SELECT sql FROM sqlite_master WHERE sql IS NOT NULL '
            'ORDER BY rowid').scalars().all()
    engine.dispose()
    return ';\n'.join(statements)


class Database(fixtures.Fixture):
    """An empty database with the newest schema, which the service then uses.

    :param url: SQLAlchemy URL of an empty database; None: SQLite in memory,
        which one thread at a time can use
    :param in_file: SQLite in a file, for threads and processes
    :ivar url: the URL
    """

    def __init__(self, url: str | None = None, in_file: bool = False) -> None:
        super().__init__()
        self.url = url
        self._in_file = in_file

    def _setUp(self) -> None:
        if self.url is None:
            self.url = 'sqlite://'
            if self._in_file:
                directory = self.useFixture(fixtures.TempDir()).path
                self.url = 'sqlite:///%s/zun.sqlite' % directory
        transaction.configure(connection=self.url)
        self.addCleanup(transaction.configure)
        engine = transaction.get_engine()
        self._create_schema(engine)

    def _create_schema(self, engine: sa.Engine) -> None:
        if engine.dialect.name == 'sqlite':
            self._create_in_sqlite(engine)
        else:
            schema.create_all(engine)

    @staticmethod
    def _create_in_sqlite(engine: sa.Engine) -> None:
        pooled = engine.raw_connection()
        try:
            connection: sqlite3.Connection = pooled.driver_connection
            connection.executescript(_sqlite_script())
        finally:
            pooled.close()


class ServerDatabase(Database):
    """The database of the test process on one of its private servers.

    The tests of a process share it, one after the other; each finds it empty
    and its numbers starting at 1.

    :param kind: ``mariadb`` or ``postgresql``
    """

    _urls: dict[str, str] = {}

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._kind = kind

    def _setUp(self) -> None:
        self.url = self._urls.get(self._kind) or (
            databases.get(self._kind).create_database())
        super()._setUp()

    def _create_schema(self, engine: sa.Engine) -> None:
        if self._kind not in self._urls:
            schema.create_all(engine)
            self._urls[self._kind] = self.url
        else:
            empty(engine)


class EmptyDatabase(fixtures.Fixture):
    """A database without tables, which the service then uses.

    :param kind: ``sqlite`` (in a file), ``mariadb`` or ``postgresql``
    :ivar url: the URL
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._kind = kind

    def _setUp(self) -> None:
        if self._kind == 'sqlite':
            directory = self.useFixture(fixtures.TempDir()).path
            self.url = 'sqlite:///%s/zun.sqlite' % directory
        else:
            server = databases.get(self._kind)
            self.url = server.create_database()
            self.addCleanup(server.drop_database, self.url)
        transaction.configure(connection=self.url)
        self.addCleanup(transaction.configure)


def empty(engine: sa.Engine) -> None:
    """Delete all rows of a database on a server; numbers start at 1."""
    with engine.begin() as connection:
        if engine.dialect.name == 'postgresql':
            connection.exec_driver_sql(
                'TRUNCATE %s RESTART IDENTITY CASCADE' % ', '.join(
                    '"%s"' % name for name in schema.metadata.tables))
            return
        connection.exec_driver_sql('SET foreign_key_checks = 0')
        for name, table in schema.metadata.tables.items():
            connection.execute(table.delete())
            connection.exec_driver_sql(
                'ALTER TABLE `%s` AUTO_INCREMENT = 1' % name)
        connection.exec_driver_sql('SET foreign_key_checks = 1')
