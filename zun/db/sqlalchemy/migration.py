# SPDX-License-Identifier: Apache-2.0
"""Migrations of the schema by Alembic."""

import pathlib
from typing import Any

import alembic
from alembic import config as alembic_config
from alembic import migration as alembic_migration
from alembic import script as alembic_script
from alembic.util import exc as alembic_exc
from oslo_db import exception as db_exc
import sqlalchemy as sa

from zun.common.i18n import _
from zun.db.sqlalchemy import transaction

# The last revision of Zun 18.0.0, and the first one here.
FIRST_REVISION = '3f2b36231bee'

_INI = pathlib.Path(__file__).parent / 'alembic.ini'


def _config() -> alembic_config.Config:
    return alembic_config.Config(str(_INI))


def version() -> str | None:
    """Return the revision of the database; None: it has none."""
    with transaction.get_engine().connect() as connection:
        return revision_of(connection)


def revision_of(connection: sa.Connection) -> str | None:
    """Return the revision of a database; None: it has none."""
    context = alembic_migration.MigrationContext.configure(connection)
    return context.get_current_revision()


def known_revisions() -> list[str]:
    """Return the revisions that this release knows, the newest first."""
    scripts = alembic_script.ScriptDirectory.from_config(_config())
    return [script.revision for script in scripts.walk_revisions()]


def upgrade(revision: str | None = None) -> None:
    """Bring the database to a revision.

    :param revision: None: the newest one
    :raises DBMigrationError: the database, or the revision, is not known
    """
    _check_origin(version())
    _run(alembic.command.upgrade, revision or 'head')


def _check_origin(current: str | None) -> None:
    if current is None:
        if sa.inspect(transaction.get_engine()).has_table('container'):
            raise db_exc.DBMigrationError(_(
                'The database has tables of Zun but no revision. If they are '
                'those of Zun 18.0.0, run "zun-db-manage stamp %s" first.')
                % FIRST_REVISION)
    elif current not in known_revisions():
        raise db_exc.DBMigrationError(_(
            'The database is at revision %s, which this release does not '
            'know. A database of a release before Zun 18.0.0 has to be '
            'upgraded by zun-db-manage of Zun 18.0.0 first.') % current)


def stamp(revision: str) -> None:
    """Set the revision of the database; its tables stay as they are.

    :raises DBMigrationError: the revision is not known
    """
    _run(alembic.command.stamp, revision)


def revision(message: str | None = None, autogenerate: bool = False) -> None:
    """Write a new revision, from the models if ``autogenerate`` is set."""
    _run(alembic.command.revision, message=message, autogenerate=autogenerate)


def is_compared(item: Any, name: str | None, kind: str, reflected: bool,
                compare_to: Any) -> bool:
    """Tell whether Alembic compares a part of the models and the database.

    Not the one constraint that the models have twice, for databases that
    name it differently.
    """
    return not (kind == 'table' and name == 'alembic_version' or
                kind == 'unique_constraint' and
                item.table.name == 'volume_mapping')


def _run(command: Any, *args: Any, **kwargs: Any) -> None:
    try:
        command(_config(), *args, **kwargs)
    except alembic_exc.CommandError as e:
        raise db_exc.DBMigrationError(str(e)) from e
