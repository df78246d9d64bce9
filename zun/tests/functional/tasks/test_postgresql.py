# SPDX-License-Identifier: Apache-2.0
"""The conformance suite of the queue on PostgreSQL."""

from zun.tests.functional.tasks import base
from zun.tests.functional.tasks import faults
from zun.tests.functional.tasks import processes
from zun.tests.functional.tasks import statements


class PostgreSQLTestCase(base.DatabaseTestCase):
    server = 'postgresql'


class EnqueueTestCase(statements.EnqueueTests, PostgreSQLTestCase):
    pass


class ClaimTestCase(statements.ClaimTests, PostgreSQLTestCase):
    pass


class FenceTestCase(statements.FenceTests, PostgreSQLTestCase):
    pass


class TidyTestCase(statements.TidyTests, PostgreSQLTestCase):
    pass


class ProcessTestCase(processes.ProcessTests, PostgreSQLTestCase):
    pass


class FaultTestCase(faults.FaultTests, PostgreSQLTestCase):
    pass


class RestartTestCase(faults.RestartTests, PostgreSQLTestCase):
    pass
