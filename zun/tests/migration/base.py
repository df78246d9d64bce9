# SPDX-License-Identifier: Apache-2.0
"""What the tests of migrations share."""

from typing import Any

import sqlalchemy as sa

from zun.db.sqlalchemy import transaction
from zun.tests import base
from zun.tests.contract import facts
from zun.tests import fixtures
from zun.tests import schema_facts

FACTS = facts.load('database')
REFERENCE = FACTS['migrated_on_mariadb']

# What the types of MariaDB are called elsewhere.
TYPES = {
    'sqlite': {'TINYINT': 'BOOLEAN', 'MEDIUMTEXT': 'TEXT'},
    'postgresql': {'TINYINT': 'BOOLEAN', 'MEDIUMTEXT': 'TEXT',
                   'DATETIME': 'TIMESTAMP', 'FLOAT': 'DOUBLE_PRECISION'},
}
# What the defaults of TINYINT and INTEGER are called elsewhere.
DEFAULTS = {
    'sqlite': {'TINYINT': {'0': '0'}, 'INTEGER': {'0': "'0'"}},
    'postgresql': {'TINYINT': {'0': 'false'}, 'INTEGER': {'0': '0'}},
}


def expected(kind: str, name: str) -> schema_facts.Table:
    """Return how a table of the reference looks in a kind of database."""
    table = schema_facts.normalise(REFERENCE[name])
    if kind == 'mariadb':
        return table
    table['columns'] = [_column(kind, column) for column in table['columns']]
    table['unique_constraints'] = [
        {**item, 'name': _constraint(kind, name, item['name'])}
        for item in table['unique_constraints']]
    unique = [item['name'] for item in
              REFERENCE[name]['unique_constraints']]
    # An index of MariaDB for a foreign key is called like its column; the
    # indexes of unique constraints show on PostgreSQL too.
    table['indexes'] = [
        {**index, 'name': _index(kind, name, index)}
        for index in table['indexes']
        if index['name'] not in unique or kind == 'postgresql']
    if name == 'quota_usages':
        table['primary_key'] = ['id']
    return schema_facts.normalise(table)


def _column(kind: str, column: dict[str, Any]) -> dict[str, Any]:
    default = column['server_default']
    if default is not None:
        default = DEFAULTS[kind][column['type']][default]
    return {**column, 'server_default': default,
            'type': TYPES[kind].get(column['type'], column['type'])}


def _constraint(kind: str, table: str, name: str) -> str:
    if kind == 'postgresql' and table == 'volume_mapping':
        return 'uniq_volume_mapping0uuid'
    return name


def _index(kind: str, table: str, index: dict[str, Any]) -> str:
    if [index['name']] == index['columns']:
        return 'ix_%s_%s' % (table, index['name'])
    return _constraint(kind, table, index['name'])


class MigrationTestCase(base.TestCase):
    """Test that starts with a database without tables, of its ``kind``."""

    kind = 'sqlite'

    def setUp(self) -> None:
        super().setUp()
        self.database = self.useFixture(fixtures.EmptyDatabase(self.kind))

    def inspect(self) -> sa.Inspector:
        """Look at the database as it is now."""
        return sa.inspect(transaction.get_engine())

    def describe(self) -> dict[str, schema_facts.Table]:
        """Return the tables as they are now: name to description."""
        inspector = self.inspect()
        return {name: self._describe(inspector, name)
                for name in inspector.get_table_names()}

    def _describe(self, inspector: sa.Inspector,
                  name: str) -> schema_facts.Table:
        table = schema_facts.describe(inspector, name)
        if self.kind == 'postgresql':
            for column in table['columns']:
                if column['name'] == 'id':
                    # Numbers come from a sequence.
                    column['server_default'] = None
        return table
