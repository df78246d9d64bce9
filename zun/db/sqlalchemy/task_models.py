# SPDX-License-Identifier: Apache-2.0
"""The tables of the task engine.

They are plain tables, not mapped classes: every statement on them is a
single INSERT, UPDATE, DELETE or SELECT whose row count decides what happens
next (see zun/db/sqlalchemy/queries/tasks.py).  All times are whole
microseconds since 1970 by the clock of the database.
"""

import sqlalchemy as sa

from zun.db.sqlalchemy import models
from zun.db.sqlalchemy import types

# SQLite counts up INTEGER keys only.
BIG_KEY = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')

READY, RUNNING = 'ready', 'running'
DONE, FAILED, CANCELLED = 'done', 'failed', 'cancelled'
STATES = (READY, RUNNING, DONE, FAILED, CANCELLED)
FINISHED = (DONE, FAILED, CANCELLED)

task = sa.Table(
    'task', models.Base.metadata,
    sa.Column('id', BIG_KEY, primary_key=True),
    sa.Column('uuid', sa.String(36), nullable=False),
    sa.Column('kind', sa.String(64), nullable=False),
    sa.Column('payload_version', sa.Integer, nullable=False),
    # 'compute' or 'agent:<host>'
    sa.Column('queue', sa.String(255), nullable=False),
    # What the task must not run beside: a container, capsule, image, network.
    sa.Column('lane', sa.String(36)),
    sa.Column('lane_seq', sa.BigInteger),
    # The lane while the task runs, else NULL: a unique index over it lets
    # one task of a lane run, on databases without partial indexes too.
    sa.Column('lane_running', sa.String(36)),
    sa.Column('dedup_key', sa.String(255)),
    # The node whose work it is, and the place it takes up there while it
    # runs if its kind is one that a node does a few of at a time.
    sa.Column('host', sa.String(255)),
    sa.Column('host_slot', sa.String(255)),
    sa.Column('state', sa.String(16), nullable=False),
    sa.Column('priority', sa.Integer, nullable=False),
    sa.Column('run_at', sa.BigInteger, nullable=False),
    sa.Column('attempt', sa.Integer, nullable=False),
    sa.Column('max_attempts', sa.Integer, nullable=False),
    # Counts claims and take-overs; a write under an older one is refused.
    sa.Column('epoch', sa.BigInteger, nullable=False),
    # Goes up with each guarded write, so that the row is part of what Galera
    # certifies; an UPDATE that changes nothing would not be.
    sa.Column('guard', sa.BigInteger, nullable=False),
    # uuid of the worker that runs it; in state ready of the one it was taken
    # from, if any.
    sa.Column('owner', sa.String(36)),
    sa.Column('payload', types.MediumText, nullable=False),
    sa.Column('step', types.MediumText),
    sa.Column('result', types.MediumText),
    sa.Column('error', types.MediumText),
    sa.Column('request_id', sa.String(255)),
    sa.Column('project_id', sa.String(255)),
    sa.Column('user_id', sa.String(255)),
    sa.Column('created_at', sa.BigInteger, nullable=False),
    sa.Column('started_at', sa.BigInteger),
    sa.Column('finished_at', sa.BigInteger),
    sa.UniqueConstraint('uuid', name='uniq_task0uuid'),
    sa.UniqueConstraint('lane', 'lane_seq', name='uniq_task0lane0lane_seq'),
    sa.UniqueConstraint('lane_running', name='uniq_task0lane_running'),
    sa.UniqueConstraint('dedup_key', name='uniq_task0dedup_key'),
    sa.UniqueConstraint('host_slot', name='uniq_task0host_slot'),
    sa.Index('ix_task_claim', 'queue', 'state', 'run_at', 'priority', 'id'),
    sa.Index('ix_task_lane', 'lane', 'state', 'lane_seq'),
    sa.Index('ix_task_owner', 'owner', 'state'),
    sa.Index('ix_task_finished', 'state', 'finished_at'),
    mysql_engine='InnoDB')

worker = sa.Table(
    'worker', models.Base.metadata,
    sa.Column('id', BIG_KEY, primary_key=True),
    # New at each start of a process.
    sa.Column('uuid', sa.String(36), nullable=False),
    sa.Column('host', sa.String(255), nullable=False),
    sa.Column('binary', sa.String(64), nullable=False),
    # Whose tasks it runs, and where it hears of new ones (host:port, UDP)
    sa.Column('queue', sa.String(255), nullable=False),
    sa.Column('address', sa.String(255)),
    # Goes up while the process lives; what it stands at means nothing.
    sa.Column('beats', sa.BigInteger, nullable=False),
    sa.Column('started_at', sa.BigInteger, nullable=False),
    sa.UniqueConstraint('uuid', name='uniq_worker0uuid'),
    sa.Index('ix_worker_queue', 'queue'),
    mysql_engine='InnoDB')
