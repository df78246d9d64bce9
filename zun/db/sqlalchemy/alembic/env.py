# SPDX-License-Identifier: Apache-2.0
"""How Alembic reaches the database and what it compares it with."""

from alembic import context

from zun.db.sqlalchemy import migration
from zun.db.sqlalchemy import schema
from zun.db.sqlalchemy import transaction


def run_migrations() -> None:
    with transaction.get_engine().connect() as connection:
        context.configure(
            connection=connection,
            target_metadata=schema.metadata,
            include_object=migration.is_compared,
            # SQLite alters a table by copying it.
            render_as_batch=True,
            # Each revision commits, so that a failure keeps what is done.
            transaction_per_migration=True)
        with context.begin_transaction():
            context.run_migrations()


run_migrations()
