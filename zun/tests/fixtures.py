# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests that need a database."""

import functools
import sqlite3

import fixtures
import sqlalchemy as sa

from zun.db.sqlalchemy import schema
from zun.db.sqlalchemy import transaction


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
