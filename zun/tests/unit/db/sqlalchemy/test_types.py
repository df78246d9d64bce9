# SPDX-License-Identifier: Apache-2.0

import sqlalchemy as sa
from sqlalchemy.dialects import mysql
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite

from zun.db.sqlalchemy import types
from zun.tests import base


class JsonTestCase(base.BaseTestCase):

    def _store(self, column_type, value):
        return column_type.process_bind_param(value, None)

    def _read(self, column_type, text):
        return column_type.process_result_value(text, None)

    def test_null(self):
        self.assertIsNone(self._store(types.JsonText(), None))
        self.assertEqual('{}', self._store(types.JsonDict(), None))
        self.assertEqual('[]', self._store(types.JsonList(), None))

    def test_null_is_read_as_none(self):
        for column_type in (types.JsonText(), types.JsonDict(),
                            types.JsonList()):
            self.assertIsNone(self._read(column_type, None))
            self.assertIsNone(self._read(column_type, 'null'))

    def test_there_and_back(self):
        for column_type, value in ((types.JsonText(), {'a': [1, None]}),
                                   (types.JsonDict(), {'a': {'b': 'é'}}),
                                   (types.JsonDict(), {}),
                                   (types.JsonList(), [1, 'x']),
                                   (types.JsonList(), [])):
            self.assertEqual(value, self._read(
                column_type, self._store(column_type, value)))

    def test_read_values_are_not_shared(self):
        first = self._read(types.JsonDict(), '{}')
        first['a'] = 1
        self.assertEqual({}, self._read(types.JsonDict(), '{}'))


class MediumTextTestCase(base.BaseTestCase):

    def test_type_of_the_database(self):
        table = sa.Table('t', sa.MetaData(),
                         sa.Column('a', types.JsonMediumText))
        for dialect, name in ((mysql, 'MEDIUMTEXT'), (postgresql, 'TEXT'),
                              (sqlite, 'TEXT')):
            statement = sa.schema.CreateTable(table).compile(
                dialect=dialect.dialect())
            self.assertIn('a %s' % name, str(statement))
