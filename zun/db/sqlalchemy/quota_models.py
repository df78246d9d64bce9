# SPDX-License-Identifier: Apache-2.0
"""The table that makes quotas hold.

A project's generation goes up in every transaction that makes the project
use more.  Who counted at a generation that still stands counted right; two
who count at once cannot both move it on.
"""

import sqlalchemy as sa

from zun.db.sqlalchemy import models

quota_generation = sa.Table(
    'quota_generation', models.Base.metadata,
    sa.Column('project_id', sa.String(255), primary_key=True,
              nullable=False),
    sa.Column('generation', sa.BigInteger, nullable=False),
    mysql_engine='InnoDB')
