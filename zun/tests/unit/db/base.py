# SPDX-License-Identifier: Apache-2.0
"""Base class of the tests that use the database."""

from typing import Any

from zun.tests import base
from zun.tests import fixtures
from zun.tests.unit.db import utils


class DbTestCase(base.TestCase):
    """Test with an empty database and the contexts of a user and an admin.

    It is SQLite in memory; the functional tests run the same classes on other
    databases.
    """

    def setUp(self) -> None:
        super().setUp()
        self.database = self.useFixture(self.make_database())
        self.context = utils.member()
        self.admin = utils.admin()

    def make_database(self) -> fixtures.Database:
        """Return the fixture of the test's database."""
        return fixtures.Database()

    def assertRows(self, names: list[Any], rows: list[dict[str, Any]],
                   key: str = 'name') -> None:
        """Assert what a column of rows holds, in their order."""
        self.assertEqual(names, [row[key] for row in rows])
