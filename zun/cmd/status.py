# SPDX-License-Identifier: Apache-2.0
"""zun-status: checks before an upgrade, and a look into the queue."""

import json
import sys
from typing import Any

from oslo_config import cfg
from oslo_db import exception as db_exc
from oslo_upgradecheck import upgradecheck
import prettytable
import sqlalchemy as sa

from zun.cmd import upgrade_checks
from zun.common import process
from zun.common import service
from zun.compute.tasks import admin
from zun.compute.tasks import errors
import zun.conf
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy import task_models

CONF = zun.conf.CONF

COLUMNS = ('uuid', 'kind', 'state', 'lane', 'queue', 'attempt', 'age',
           'owner', 'error')


def do_upgrade_check() -> int:
    upgradecheck.CONF = CONF
    return upgrade_checks.Checks().check()


def do_task_list() -> int:
    states: tuple[str, ...] = (task_models.READY, task_models.RUNNING)
    if CONF.command.failed:
        states = (task_models.FAILED,)
    elif CONF.command.lane:
        states = task_models.STATES
    rows = admin.listing(states, CONF.command.lane, CONF.command.limit)
    if CONF.command.json:
        print(json.dumps(rows, indent=1))
        return 0
    table = prettytable.PrettyTable(COLUMNS)
    table.align = 'l'
    for row in rows:
        table.add_row([_cell(row, name) for name in COLUMNS])
    print(table)
    return 0


def _cell(row: dict[str, Any], name: str) -> str:
    if name == 'attempt':
        return '%(attempt)s/%(max_attempts)s' % row
    if name == 'age':
        return '%d s' % (row['age'] // tasks.MICROS)
    if name == 'error':
        return errors.message(row['error'])[:80]
    return '' if row[name] is None else str(row[name])


def do_task_requeue() -> int:
    admin.requeue(CONF.command.uuid, CONF.command.force)
    return 0


def do_task_cancel() -> int:
    admin.cancel(CONF.command.uuid, CONF.command.force)
    return 0


def add_command_parsers(subparsers: Any) -> None:
    """Add the verbs and their arguments."""
    upgrade = subparsers.add_parser('upgrade', help='Before an upgrade.')
    upgrade.add_argument('check', choices=['check'],
                         help='See what has to be done.')
    upgrade.add_argument('--json', action='store_true',
                         help='Print JSON instead of a table.')
    upgrade.set_defaults(func=do_upgrade_check)

    task = subparsers.add_parser('task', help='The work that is queued.')
    verbs = task.add_subparsers(dest='verb', required=True)
    listing = verbs.add_parser(
        'list', help='Show the tasks that wait or run.')
    listing.add_argument('--failed', action='store_true',
                         help='Those that failed instead.')
    listing.add_argument('--lane', metavar='UUID',
                         help='Those of one container, capsule, image or '
                              'network, whatever their state.')
    listing.add_argument('--limit', type=int, default=1000,
                         help='The newest ones, at most so many.')
    listing.add_argument('--json', action='store_true',
                         help='Print JSON instead of a table.')
    listing.set_defaults(func=do_task_list)

    for verb, func, text, forced in (
            ('requeue', do_task_requeue,
             'Begin a failed or cancelled task anew.',
             'One that runs too: its worker can write no more.'),
            ('cancel', do_task_cancel, 'End a task that waits.',
             'One that runs too; what it has done is not undone.')):
        parser = verbs.add_parser(verb, help=text)
        parser.add_argument('uuid')
        parser.add_argument('--force', action='store_true', help=forced)
        parser.set_defaults(func=func)


def main() -> None:
    CONF.register_cli_opt(cfg.SubCommandOpt(
        'command', title='Command', help='Available commands',
        handler=add_command_parsers))
    service.prepare_service()
    try:
        sys.exit(CONF.command.func())
    except errors.QUEUE_ERRORS as error:
        service.fail(str(error))
    except (db_exc.DBError, db_exc.CantStartEngineError,
            sa.exc.SQLAlchemyError) as error:
        service.fail('the database of [database] connection cannot be used: '
                     '%s' % process.one_line(error))
