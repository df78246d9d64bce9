# SPDX-License-Identifier: Apache-2.0
"""Column types that hold JSON text.

The text is what Zun 18.0.0 writes, so that either release reads the rows of
the other.  A column is read as None when it is NULL, whatever its type.
"""

import json
from typing import Any

from oslo_serialization import jsonutils
import sqlalchemy as sa
from sqlalchemy.dialects import mysql


class JsonText(sa.TypeDecorator):
    """Any JSON value; None is stored as NULL."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        return None if value is None else jsonutils.dumps(value)

    def process_result_value(self, value: str | None, dialect: Any) -> Any:
        return None if value is None else json.loads(value)


class JsonDict(JsonText):
    """A JSON object; None is stored as an empty one."""

    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> str:
        return '{}' if value is None else jsonutils.dumps(value)

    def process_result_value(self, value: str | None, dialect: Any) -> Any:
        # Most are empty, and lists have thousands of them.
        return {} if value == '{}' else super().process_result_value(
            value, dialect)


class JsonList(JsonText):
    """A JSON array; None is stored as an empty one."""

    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> str:
        return '[]' if value is None else jsonutils.dumps(value)

    def process_result_value(self, value: str | None, dialect: Any) -> Any:
        return [] if value == '[]' else super().process_result_value(
            value, dialect)


class _Medium(object):
    """Makes text one of up to 16 MiB; TEXT of MySQL ends at 64 KiB."""

    def load_dialect_impl(self, dialect: Any) -> Any:
        if dialect.name in ('mysql', 'mariadb'):
            return mysql.MEDIUMTEXT()
        return super().load_dialect_impl(dialect)


class MediumText(_Medium, sa.TypeDecorator):
    """Text of up to 16 MiB."""

    impl = sa.Text
    cache_ok = True


class JsonMediumText(_Medium, JsonText):
    """A JSON value of up to 16 MiB; None is stored as NULL."""

    cache_ok = True
