# SPDX-License-Identifier: Apache-2.0
"""Fixture that gives a test a configuration of its own."""

import fixtures
from keystoneauth1 import loading

from zun.common import config
import zun.conf

CONF = zun.conf.CONF


class ConfFixture(fixtures.Fixture):
    """Parse an empty command line without files; undo every override.

    The database is an in-memory SQLite, the host has a fixed name, so that
    nothing depends on the machine.
    """

    def _setUp(self) -> None:
        # What ran before in this process may have left options behind.
        self._forget()
        self.addCleanup(self._forget)
        config.parse_args(['zun-test'], default_config_files=[])
        CONF.set_override('host', 'host-1')
        CONF.set_override('connection', 'sqlite://', 'database')

    @staticmethod
    def _forget() -> None:
        CONF.clear()
        CONF.reset()
        # A plug-in of keystoneauth registers its options when it is loaded,
        # some of them as required.
        for group in ('keystone_auth', 'keystone_authtoken'):
            if group in CONF:
                CONF.unregister_opts(
                    loading.get_auth_plugin_conf_options('password'), group)
