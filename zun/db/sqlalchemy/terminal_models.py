# SPDX-License-Identifier: Apache-2.0
"""The table of terminal sessions.

A row is the right to open one WebSocket to a container, handed out by attach
and by interactive exec.  The token itself is not stored.
"""

import sqlalchemy as sa

from zun.db.sqlalchemy import models
from zun.db.sqlalchemy import task_models

terminal_session = sa.Table(
    'terminal_session', models.Base.metadata,
    sa.Column('id', task_models.BIG_KEY, primary_key=True),
    # SHA-256 of the token, in hexadecimal digits
    sa.Column('token_hash', sa.String(64), nullable=False),
    sa.Column('container_uuid', sa.String(36), nullable=False),
    sa.Column('exec_id', sa.String(255)),
    # 'attach' or 'exec'
    sa.Column('kind', sa.String(16), nullable=False),
    # What an exec runs: a list of words as JSON, encrypted, since arguments
    # may be secrets
    sa.Column('command', sa.Text),
    sa.Column('tty', sa.Boolean, nullable=False),
    # The proxy that holds the session open, once there is one
    sa.Column('host', sa.String(255)),
    # Whole microseconds since 1970
    sa.Column('created_at', sa.BigInteger, nullable=False),
    sa.Column('expires_at', sa.BigInteger, nullable=False),
    sa.Column('used', sa.Boolean, nullable=False),
    # The size wanted last; `rows` is a reserved word of some databases.
    sa.Column('tty_rows', sa.Integer),
    sa.Column('tty_cols', sa.Integer),
    sa.UniqueConstraint('token_hash',
                        name='uniq_terminal_session0token_hash'),
    sa.Index('ix_terminal_session_container', 'container_uuid'),
    sa.Index('ix_terminal_session_expiry', 'expires_at'),
    mysql_engine='InnoDB')
