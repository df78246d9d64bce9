# SPDX-License-Identifier: Apache-2.0
"""Migrations of an empty database, on each kind of database."""

from typing import Any

from alembic import autogenerate
from alembic import migration as alembic_migration
from alembic import script as alembic_script
from oslo_db import exception as db_exc

from zun.db import api as dbapi
from zun.db import migration
from zun.db.sqlalchemy import migration as sqlalchemy_migration
from zun.db.sqlalchemy import schema
from zun.db.sqlalchemy import transaction
from zun.tests.migration import base
from zun.tests.unit.db import utils

# Where the models of the reference, which are those here, differ from what
# its migrations make.
DIFFERENT_TYPES = {('container', 'container_id'), ('container', 'hostname'),
                   ('container', 'image_driver')}


def head() -> str:
    """Return the newest revision."""
    return alembic_script.ScriptDirectory.from_config(
        sqlalchemy_migration._config()).get_current_head()


class UpgradeTests(object):

    def test_tables_of_the_reference(self):
        migration.upgrade()
        found = self.describe()
        for name in base.REFERENCE:
            self.assertEqual(base.expected(self.kind, name), found[name],
                             name)

    def test_other_tables_are_those_of_the_models(self):
        migration.upgrade()
        self.assertEqual({*schema.metadata.tables, 'alembic_version'},
                         set(self.inspect().get_table_names()))

    def test_models_agree(self):
        migration.upgrade()
        with transaction.get_engine().connect() as connection:
            context = alembic_migration.MigrationContext.configure(
                connection, opts={
                    'compare_type': True,
                    'include_object': sqlalchemy_migration.is_compared})
            found = autogenerate.compare_metadata(context, schema.metadata)
        self.assertEqual([], [item for item in found
                              if not self._is_known(item)])

    def _is_known(self, difference: Any) -> bool:
        if isinstance(difference, list):
            return all(kind == 'modify_type' and
                       (table, column) in DIFFERENT_TYPES
                       for kind, _schema, table, column, *_rest in difference)
        kind, item = difference[0], difference[1]
        # Indexes of foreign keys, which MySQL makes by itself.
        return (kind == 'remove_index' and
                item.table.name in base.REFERENCE and
                item.name.startswith('ix_'))

    def test_version(self):
        self.assertIsNone(migration.version())
        migration.upgrade()
        self.assertEqual(head(), migration.version())

    def test_step_by_step(self):
        migration.upgrade(sqlalchemy_migration.FIRST_REVISION)
        self.assertEqual({*base.REFERENCE, 'alembic_version'},
                         set(self.inspect().get_table_names()))
        self.assertEqual('3f2b36231bee', migration.version())
        migration.upgrade()
        self.assertEqual(head(), migration.version())

    def test_again_changes_nothing(self):
        migration.upgrade()
        before = self.describe()
        migration.upgrade()
        self.assertEqual(before, self.describe())

    def test_rows_stay(self):
        migration.upgrade(sqlalchemy_migration.FIRST_REVISION)
        row = utils.create_test_container()
        migration.upgrade()
        found = dbapi.get_container_by_uuid(None, 0, row['uuid'])
        self.assertEqual(row['labels'], found['labels'])

    def test_stamp(self):
        migration.stamp('head')
        self.assertEqual(head(), migration.version())
        self.assertEqual(['alembic_version'],
                         self.inspect().get_table_names())

    def test_unknown_revision(self):
        self.assertRaises(db_exc.DBMigrationError, migration.upgrade,
                          'nosuch')
        self.assertRaises(db_exc.DBMigrationError, migration.stamp, 'nosuch')

    def test_database_of_an_older_release(self):
        migration.upgrade(sqlalchemy_migration.FIRST_REVISION)
        with dbapi.writer(None) as session:
            session.connection().exec_driver_sql(
                "UPDATE alembic_version SET version_num = 'f979327df44b'")
        with self.assertRaisesRegex(db_exc.DBMigrationError,
                                    'f979327df44b.*Zun 18.0.0'):
            migration.upgrade()

    def test_tables_without_a_revision(self):
        schema.create_all(transaction.get_engine())
        with self.assertRaisesRegex(db_exc.DBMigrationError,
                                    'stamp 3f2b36231bee'):
            migration.upgrade()


class SqliteTestCase(UpgradeTests, base.MigrationTestCase):
    kind = 'sqlite'


class MariaDBTestCase(UpgradeTests, base.MigrationTestCase):
    kind = 'mariadb'

    def test_foreign_keys_hold(self):
        migration.upgrade()
        with self.assertRaisesRegex(db_exc.DBReferenceError, 'container'):
            utils.create_test_exec_instance(container_id=99)


class PostgreSQLTestCase(UpgradeTests, base.MigrationTestCase):
    kind = 'postgresql'

    def test_foreign_keys_hold(self):
        migration.upgrade()
        with self.assertRaisesRegex(db_exc.DBReferenceError, 'container'):
            utils.create_test_exec_instance(container_id=99)
