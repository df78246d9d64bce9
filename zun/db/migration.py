# SPDX-License-Identifier: Apache-2.0
"""Migrations of the database, by the backend that is installed."""

import functools
from typing import Any

from stevedore import driver

BACKEND = 'sqlalchemy'


@functools.cache
def _backend() -> Any:
    return driver.DriverManager('zun.database.migration_backend',
                                BACKEND).driver


def upgrade(revision: str | None = None) -> None:
    """Bring the database to a revision; None: the newest one."""
    _backend().upgrade(revision)


def version() -> str | None:
    """Return the revision of the database; None: it has none."""
    return _backend().version()


def stamp(revision: str) -> None:
    """Set the revision of the database; its tables stay as they are."""
    _backend().stamp(revision)


def revision(message: str | None = None, autogenerate: bool = False) -> None:
    """Write a new revision, from the models if ``autogenerate`` is set."""
    _backend().revision(message=message, autogenerate=autogenerate)
