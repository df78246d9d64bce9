# SPDX-License-Identifier: Apache-2.0
"""Schemas in the form in which the facts about the reference have them."""

from typing import Any

import sqlalchemy as sa

Table = dict[str, Any]


def describe(inspector: sa.Inspector, name: str) -> Table:
    """Return what a database says of a table, normalised."""
    return normalise({
        'columns': [_column(column)
                    for column in inspector.get_columns(name)],
        'foreign_keys': [{
            'columns': key['constrained_columns'],
            'options': key['options'],
            'referred': key['referred_columns'],
            'table': key['referred_table']}
            for key in inspector.get_foreign_keys(name)],
        'indexes': [{'columns': index['column_names'],
                     'name': index['name'],
                     'unique': bool(index['unique'])}
                    for index in inspector.get_indexes(name)],
        'primary_key': inspector.get_pk_constraint(
            name)['constrained_columns'],
        'unique_constraints': [{'columns': constraint['column_names'],
                                'name': constraint['name']}
                               for constraint in
                               inspector.get_unique_constraints(name)]})


def _column(column: Any) -> dict[str, Any]:
    # Collations and display widths are not part of the facts.
    kind = type(column['type'])
    text = kind.__visit_name__.upper()
    if getattr(column['type'], 'length', None):
        text += '(%d)' % column['type'].length
    return {'name': column['name'], 'nullable': column['nullable'],
            'server_default': column['default'], 'type': text}


def normalise(table: Table) -> Table:
    """Return a description whose parts are sorted by what names them."""
    return {
        'columns': sorted(table['columns'], key=lambda c: c['name']),
        'foreign_keys': sorted(table['foreign_keys'],
                               key=lambda key: key['columns']),
        'indexes': sorted(table['indexes'], key=lambda index: index['name']),
        'primary_key': table['primary_key'],
        'unique_constraints': sorted(table['unique_constraints'],
                                     key=lambda item: item['name']),
    }
