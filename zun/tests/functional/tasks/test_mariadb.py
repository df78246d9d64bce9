# SPDX-License-Identifier: Apache-2.0
"""The conformance suite of the queue on MariaDB."""

from zun.tests.functional.tasks import base
from zun.tests.functional.tasks import faults
from zun.tests.functional.tasks import processes
from zun.tests.functional.tasks import statements


class MariaDBTestCase(base.DatabaseTestCase):
    server = 'mariadb'


class EnqueueTestCase(statements.EnqueueTests, MariaDBTestCase):
    pass


class ClaimTestCase(statements.ClaimTests, MariaDBTestCase):
    pass


class FenceTestCase(statements.FenceTests, MariaDBTestCase):
    pass


class TidyTestCase(statements.TidyTests, MariaDBTestCase):
    pass


class ProcessTestCase(processes.ProcessTests, MariaDBTestCase):
    pass


class FaultTestCase(faults.FaultTests, MariaDBTestCase):
    pass


class RestartTestCase(faults.RestartTests, MariaDBTestCase):
    pass
