# SPDX-License-Identifier: Apache-2.0
"""The clock of the database, so that no clocks of machines are compared."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext import compiler
from sqlalchemy.sql import functions


class now_micros(functions.FunctionElement):  # noqa: N801
    """Whole microseconds since 1970 (UTC) at the start of the statement.

    SQLite's clock tells milliseconds.
    """

    type = sa.BigInteger()
    inherit_cache = True


@compiler.compiles(now_micros, 'sqlite')
def _sqlite(element: Any, compiler: Any, **kw: Any) -> str:
    return ("(CAST((julianday('now') - 2440587.5) * 86400000.0 + 0.5 "
            "AS INTEGER) * 1000)")


@compiler.compiles(now_micros, 'mysql', 'mariadb')
def _mysql(element: Any, compiler: Any, **kw: Any) -> str:
    # Not UNIX_TIMESTAMP(NOW(6)): that is ambiguous when summer time ends.
    return ("TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', "
            "UTC_TIMESTAMP(6))")


@compiler.compiles(now_micros, 'postgresql')
def _postgresql(element: Any, compiler: Any, **kw: Any) -> str:
    return ("CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 "
            "AS BIGINT)")
