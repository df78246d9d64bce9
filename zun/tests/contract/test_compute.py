# SPDX-License-Identifier: Apache-2.0
"""What the compute side leaves behind, one test a family.

Families that don't hold whole yet are played by
``python -m zun.tests.contract.compute`` alone.
"""

import logging

import zun.conf
from zun.tests import base
from zun.tests.contract.compute import cases
from zun.tests.contract.compute import replay

CONF = zun.conf.CONF

# Families that hold whole.
HELD = ('attach', 'kill', 'logs', 'pause', 'reboot', 'resize',
        'security-groups', 'start', 'stats', 'stop', 'top', 'unpause')


class ComputeTest(base.BaseTestCase):
    """Rows and requests are those of the reference."""

    TIMEOUT_SCALING_FACTOR = 5

    def setUp(self) -> None:
        super().setUp()
        # Warnings of the operations that are meant to fail are of no use.
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)
        self.addCleanup(CONF.reset)

    def play(self, family: str) -> None:
        """Play a family and fail with its differences."""
        where = cases.folder()
        path = cases.families(where).get(family)
        self.assertIsNotNone(path, 'The family is not in %s.' % where)
        runner = replay.Replay(where)
        self.addCleanup(runner.close)
        found = {case['id']: runner.run(case) for case in cases.read(path)}
        self.assertNotEqual({}, found)
        self.assertEqual({}, {ident: differences for ident, differences
                              in found.items() if differences})


def _add_tests() -> None:
    for family in HELD:
        def test(self, family=family):
            self.play(family)
        name = 'test_' + family.replace('-', '_')
        test.__name__ = name
        setattr(ComputeTest, name, test)


_add_tests()
