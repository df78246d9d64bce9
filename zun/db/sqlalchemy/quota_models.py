# SPDX-License-Identifier: Apache-2.0
"""The table that makes quotas hold.

A row counts what a project was ever given, each amount and how often; it
never goes down.  Who counts what the project uses notes these sums too; as
long as they have not grown by more than what was free, what is free is known
without counting again.  Two who reserve at once change one row, and one of
them waits or starts again.
"""

import sqlalchemy as sa

from zun.db.sqlalchemy import models

quota_generation = sa.Table(
    'quota_generation', models.Base.metadata,
    sa.Column('project_id', sa.String(255), primary_key=True,
              nullable=False),
    sa.Column('generation', sa.BigInteger, nullable=False),
    sa.Column('containers', sa.BigInteger, nullable=False),
    # Millionths of a cpu, MiB, GiB
    sa.Column('cpu', sa.BigInteger, nullable=False),
    sa.Column('memory', sa.BigInteger, nullable=False),
    sa.Column('disk', sa.BigInteger, nullable=False),
    mysql_engine='InnoDB')
