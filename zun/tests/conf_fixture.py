# SPDX-License-Identifier: Apache-2.0
"""Fixture that gives a test a configuration of its own."""

import fixtures

from zun.common import config
import zun.conf

CONF = zun.conf.CONF


class ConfFixture(fixtures.Fixture):
    """Parse an empty command line without files; undo every override.

    The database is an in-memory SQLite, the host has a fixed name, so that
    nothing depends on the machine.
    """

    def _setUp(self) -> None:
        self.addCleanup(CONF.reset)
        self.addCleanup(CONF.clear)
        config.parse_args(['zun-test'], default_config_files=[])
        CONF.set_override('host', 'host-1')
        CONF.set_override('connection', 'sqlite://', 'database')
