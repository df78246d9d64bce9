# SPDX-License-Identifier: Apache-2.0
"""All tables: those of Zun 18.0.0 and the project's own.

Importing the modules of the models registers their tables in ``metadata``.
"""

import sqlalchemy as sa

from zun.db.sqlalchemy import models
from zun.db.sqlalchemy import quota_models
from zun.db.sqlalchemy import task_models
from zun.db.sqlalchemy import terminal_models

OWN_MODELS = (quota_models, task_models, terminal_models)

metadata: sa.MetaData = models.Base.metadata


def create_all(engine: sa.Engine) -> None:
    """Create the newest schema in an empty database, as the models have it.

    For databases that need no migration: those of tests.
    """
    metadata.create_all(engine)
