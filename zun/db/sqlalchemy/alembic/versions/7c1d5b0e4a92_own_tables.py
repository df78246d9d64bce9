# SPDX-License-Identifier: Apache-2.0
"""The tables that Zun 18.0.0 does not have.

Tasks and the workers that run them, terminal sessions, and what makes quotas
hold.  Nothing is changed in a table of that release.
"""

from typing import Any

from alembic import op
from oslo_config import cfg
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

revision = '7c1d5b0e4a92'
down_revision = '3f2b36231bee'

CONF = cfg.CONF


def _id() -> sa.Column:
    return sa.Column(
        'id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'),
        primary_key=True, nullable=False)


def _medium_text(name: str, nullable: bool = True) -> sa.Column:
    return sa.Column(
        name, sa.Text().with_variant(mysql.MEDIUMTEXT(), 'mysql', 'mariadb'),
        nullable=nullable)


def _text(name: str, length: int, nullable: bool = True) -> sa.Column:
    return sa.Column(name, sa.String(length), nullable=nullable)


def _number(name: str, nullable: bool = False) -> sa.Column:
    return sa.Column(name, sa.Integer, nullable=nullable)


def _big(name: str, nullable: bool = False) -> sa.Column:
    return sa.Column(name, sa.BigInteger, nullable=nullable)


def _create(name: str, *parts: Any) -> None:
    op.create_table(name, *parts,
                    mysql_engine=CONF.database.mysql_engine)


def upgrade() -> None:
    _create_task()
    _create_worker()
    _create_terminal_session()
    _create('quota_generation',
            sa.Column('project_id', sa.String(255), primary_key=True,
                      nullable=False),
            _big('generation'), _big('containers'), _big('cpu'),
            _big('memory'), _big('disk'))


def _create_task() -> None:
    _create(
        'task', _id(), _text('uuid', 36, nullable=False),
        _text('kind', 64, nullable=False), _number('payload_version'),
        _text('queue', 255, nullable=False), _text('lane', 36),
        _big('lane_seq', nullable=True), _text('lane_running', 36),
        _text('dedup_key', 255), _text('host', 255), _text('host_slot', 255),
        _text('state', 16, nullable=False), _number('priority'),
        _big('run_at'), _number('attempt'), _number('max_attempts'),
        _big('epoch'), _big('guard'), _text('owner', 36),
        _medium_text('payload', nullable=False), _medium_text('step'),
        _medium_text('result'), _medium_text('error'),
        _text('request_id', 255), _text('project_id', 255),
        _text('user_id', 255), _big('created_at'),
        _big('started_at', nullable=True),
        _big('finished_at', nullable=True),
        sa.UniqueConstraint('uuid', name='uniq_task0uuid'),
        sa.UniqueConstraint('lane', 'lane_seq',
                            name='uniq_task0lane0lane_seq'),
        sa.UniqueConstraint('lane_running', name='uniq_task0lane_running'),
        sa.UniqueConstraint('dedup_key', name='uniq_task0dedup_key'),
        sa.UniqueConstraint('host_slot', name='uniq_task0host_slot'))
    op.create_index('ix_task_claim', 'task',
                    ['queue', 'state', 'run_at', 'priority', 'id'])
    op.create_index('ix_task_lane', 'task', ['lane', 'state', 'lane_seq'])
    op.create_index('ix_task_owner', 'task', ['owner', 'state'])
    op.create_index('ix_task_finished', 'task', ['state', 'finished_at'])


def _create_worker() -> None:
    _create(
        'worker', _id(), _text('uuid', 36, nullable=False),
        _text('host', 255, nullable=False),
        _text('binary', 64, nullable=False),
        _text('queue', 255, nullable=False), _text('address', 255),
        _big('beats'), _big('started_at'),
        sa.UniqueConstraint('uuid', name='uniq_worker0uuid'))
    op.create_index('ix_worker_queue', 'worker', ['queue'])


def _create_terminal_session() -> None:
    _create(
        'terminal_session', _id(), _text('token_hash', 64, nullable=False),
        _text('container_uuid', 36, nullable=False), _text('exec_id', 255),
        _text('kind', 16, nullable=False),
        sa.Column('command', sa.Text, nullable=True),
        sa.Column('tty', sa.Boolean, nullable=False), _text('host', 255),
        _big('created_at'), _big('expires_at'),
        sa.Column('used', sa.Boolean, nullable=False),
        _number('tty_rows', nullable=True),
        _number('tty_cols', nullable=True),
        sa.UniqueConstraint('token_hash',
                            name='uniq_terminal_session0token_hash'))
    op.create_index('ix_terminal_session_container', 'terminal_session',
                    ['container_uuid'])
    op.create_index('ix_terminal_session_expiry', 'terminal_session',
                    ['expires_at'])
