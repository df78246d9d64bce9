# SPDX-License-Identifier: Apache-2.0
"""The database of a replay: seeds, and what a request changed."""

import json

import sqlalchemy as sa

from zun.tests.contract import placeholders

# The reference's tables; the others are emptied but not compared.
COMPARED = frozenset((
    'allocation', 'compute_node', 'container', 'container_actions',
    'container_actions_events', 'exec_instance', 'image', 'inventory',
    'network', 'pci_device', 'quota_classes', 'quota_usages', 'quotas',
    'registry', 'resource_class', 'resource_provider', 'volume',
    'volume_mapping', 'zun_service'))


class Database:
    """The tables as they are, without the service's models.

    :param json_columns: table to the columns that hold JSON.
    """

    def __init__(self, url: str, json_columns: dict) -> None:
        self._engine = sa.create_engine(url)
        self._json = json_columns
        metadata = sa.MetaData()
        metadata.reflect(self._engine)
        self._tables = [table for table in metadata.sorted_tables
                        if table.name != 'alembic_version']
        self._used = {table.name for table in self._tables}

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    def seed(self, seed: dict, clock: placeholders.Clock) -> None:
        """Empty the tables and insert rows: table to rows by column."""
        with self._engine.begin() as connection:
            self._empty(connection)
            for table in self._tables:
                for row in seed.get(table.name, ()):
                    self._used.add(table.name)
                    connection.execute(table.insert().values(
                        self._values(table, row, clock)))

    def _empty(self, connection) -> None:
        mysql = self._engine.dialect.name in ('mysql', 'mariadb')
        for table in reversed(self._tables):
            if table.name not in self._used:
                continue
            if mysql and table.name == 'container':
                connection.execute(table.update().values(capsule_id=None))
            connection.execute(table.delete())
            if mysql:
                connection.execute(sa.DDL(
                    'ALTER TABLE %(table)s AUTO_INCREMENT = 1').against(
                        table))
        self._used = set()

    def _values(self, table, row: dict, clock) -> dict:
        return {name: self._value(table, name, value, clock)
                for name, value in row.items()}

    def _value(self, table, name: str, value, clock):
        if isinstance(value, dict) and list(value) == ['$fernet']:
            return placeholders.cipher().encrypt(
                value['$fernet'].encode()).decode()
        if value is not None and name in self._json.get(table.name, ()):
            return json.dumps(value)
        if value and isinstance(table.c[name].type, sa.DateTime):
            return clock.seed(value)
        return value

    def snapshot(self) -> dict:
        """Table to (names of the primary key, rows by primary key)."""
        found = {}
        with self._engine.connect() as connection:
            for table in self._tables:
                keys = [column.name for column in table.primary_key]
                rows = {}
                for row in connection.execute(table.select()).mappings():
                    row = self._decoded(table.name, dict(row))
                    rows[tuple(row[key] for key in keys)] = row
                if rows:
                    self._used.add(table.name)
                    if table.name in COMPARED:
                        found[table.name] = (keys, rows)
        return found

    def _decoded(self, table: str, row: dict) -> dict:
        for name in self._json.get(table, ()):
            if isinstance(row.get(name), str):
                try:
                    row[name] = json.loads(row[name])
                except ValueError:
                    continue
        return row


def changes(before: dict, after: dict) -> dict:
    """Table to rows `inserted`, `updated` (key, set) and `deleted` (key)."""
    found = {}
    for table in sorted({*before, *after}):
        keys, old = before.get(table, (None, {}))
        new_keys, new = after.get(table, (keys, {}))
        change = {
            'inserted': [
                {name: value for name, value in new[key].items()
                 if value is not None}
                for key in sorted(new, key=str) if key not in old],
            'updated': [
                {'key': dict(zip(new_keys, key)),
                 'set': {name: value for name, value in new[key].items()
                         if value != old[key][name]}}
                for key in sorted(new, key=str)
                if key in old and new[key] != old[key]],
            'deleted': [dict(zip(keys, key))
                        for key in sorted(old, key=str) if key not in new]}
        change = {kind: rows for kind, rows in change.items() if rows}
        if change:
            found[table] = change
    return found
