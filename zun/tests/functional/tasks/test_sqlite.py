# SPDX-License-Identifier: Apache-2.0
"""The conformance suite of the queue on SQLite."""

from zun.tests.functional.tasks import base
from zun.tests.functional.tasks import faults
from zun.tests.functional.tasks import processes
from zun.tests.functional.tasks import statements


class SQLiteTestCase(base.DatabaseTestCase):
    server = None


class EnqueueTestCase(statements.EnqueueTests, SQLiteTestCase):
    pass


class ClaimTestCase(statements.ClaimTests, SQLiteTestCase):
    pass


class FenceTestCase(statements.FenceTests, SQLiteTestCase):
    pass


class TidyTestCase(statements.TidyTests, SQLiteTestCase):
    pass


class ProcessTestCase(processes.ProcessTests, SQLiteTestCase):
    pass


class FaultTestCase(faults.FaultTests, SQLiteTestCase):
    # There is no connection to cut.
    statement_faults = ('conflict', 'unheard')
