# SPDX-License-Identifier: Apache-2.0
"""The models against what the reference declares."""

import datetime

from oslo_utils import fixture as time_fixture
import sqlalchemy as sa
import testscenarios

from zun.db.sqlalchemy import models
from zun.tests import base
from zun.tests.contract import facts
from zun.tests import schema_facts

FACTS = facts.load('database')


class ModelFactsTestCase(testscenarios.WithScenarios, base.BaseTestCase):

    scenarios = [(name, {'name': name})
                 for name in FACTS['models_on_sqlite']]

    def setUp(self):
        super().setUp()
        engine = sa.create_engine('sqlite://')
        self.addCleanup(engine.dispose)
        self.table = models.Base.metadata.tables[self.name]
        models.Base.metadata.create_all(engine)
        self.inspector = sa.inspect(engine)

    def test_schema(self):
        self.assertEqual(
            schema_facts.normalise(FACTS['models_on_sqlite'][self.name]),
            schema_facts.describe(self.inspector, self.name))

    def test_order_of_columns(self):
        self.assertEqual(
            [column['name'] for column in
             FACTS['models_on_sqlite'][self.name]['columns']],
            list(self.table.c.keys()))

    def test_defaults_in_code(self):
        now = datetime.datetime(2026, 1, 2, 3, 4, 5)
        self.useFixture(time_fixture.TimeFixture(now))
        # What the facts call by a function's name is the present time.
        expected = {
            name: {kind: now if value in ('utcnow', '<lambda>') else value
                   for kind, value in defaults.items()}
            for name, defaults in
            FACTS['column_defaults_in_code'][self.name].items()}
        self.assertEqual(expected, {
            column.name: {'default': self._value(column.default),
                          'onupdate': self._value(column.onupdate)}
            for column in self.table.c
            if column.default is not None or column.onupdate is not None})

    @staticmethod
    def _value(default):
        if default is None:
            return None
        if default.is_callable:
            return default.arg(None)
        if default.is_clause_element:
            return str(default.arg)
        return default.arg
