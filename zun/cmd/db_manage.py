# SPDX-License-Identifier: Apache-2.0
"""zun-db-manage: creates and upgrades the database."""

from oslo_config import cfg
from oslo_db import exception as db_exc
import sqlalchemy as sa

from zun.common import service
import zun.conf
from zun.db import migration

CONF = zun.conf.CONF


def do_version() -> None:
    print('Current DB revision is %s' % migration.version())


def do_upgrade() -> None:
    migration.upgrade(CONF.command.revision)


def do_stamp() -> None:
    migration.stamp(CONF.command.revision)


def do_revision() -> None:
    migration.revision(message=CONF.command.message,
                       autogenerate=CONF.command.autogenerate)


def add_command_parsers(subparsers) -> None:
    """Add the verbs and their arguments."""
    parser = subparsers.add_parser(
        'version', help='Show the revision of the database.')
    parser.set_defaults(func=do_version)

    parser = subparsers.add_parser(
        'upgrade', help='Bring the database to a revision.')
    parser.add_argument('revision', nargs='?',
                        help='The newest one if it is left out.')
    parser.set_defaults(func=do_upgrade)

    parser = subparsers.add_parser(
        'stamp', help='Set the revision, without any change of tables.')
    parser.add_argument('revision')
    parser.set_defaults(func=do_stamp)

    parser = subparsers.add_parser(
        'revision', help='Write a new revision, for developers.')
    parser.add_argument('-m', '--message')
    parser.add_argument('--autogenerate', action='store_true',
                        help='Fill it with what the models have and the '
                             'database has not.')
    parser.set_defaults(func=do_revision)


command_opt = cfg.SubCommandOpt('command', title='Command',
                                help='Available commands',
                                handler=add_command_parsers)


def main() -> None:
    CONF.register_cli_opt(command_opt)
    service.prepare_service()
    try:
        CONF.command.func()
    except (db_exc.DBError, db_exc.DBMigrationError,
            db_exc.CantStartEngineError, sa.exc.SQLAlchemyError) as e:
        service.fail(_first_line(e))


def _first_line(error: Exception) -> str:
    """Return what is wrong in a line, without the statement."""
    cause = getattr(error, 'inner_exception', None) or error
    cause = getattr(cause, 'orig', None) or cause
    if isinstance(cause, Exception):
        cause = (cause.args and cause.args[-1]) or type(cause).__name__
    return ' '.join(str(cause).split())
