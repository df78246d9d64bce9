# SPDX-License-Identifier: Apache-2.0
"""The conformance suite of the queue on Galera."""

from zun.tests.functional.tasks import base
from zun.tests.functional.tasks import faults
from zun.tests.functional.tasks import processes
from zun.tests.functional.tasks import statements


class GaleraTestCase(base.DatabaseTestCase):
    server = 'galera'


class EnqueueTestCase(statements.EnqueueTests, GaleraTestCase):
    pass


class ClaimTestCase(statements.ClaimTests, GaleraTestCase):
    pass


class FenceTestCase(statements.FenceTests, GaleraTestCase):
    pass


class TidyTestCase(statements.TidyTests, GaleraTestCase):
    pass


class ProcessTestCase(processes.ProcessTests, GaleraTestCase):
    pass


class FaultTestCase(faults.FaultTests, GaleraTestCase):
    pass


class NodeTestCase(faults.NodeTests, GaleraTestCase):
    pass
