# SPDX-License-Identifier: Apache-2.0
"""Base classes of the tests."""

import os

import fixtures
from oslo_config import cfg
from oslotest import base

import zun.conf
from zun.tests import conf_fixture

CONF = zun.conf.CONF


class BaseTestCase(base.BaseTestCase):
    """Plain test: captured logs and output, a time limit, a temporary home.

    It leaves the configuration alone; what needs options uses
    :class:`TestCase`.
    """


class TestCase(BaseTestCase):
    """Test with the service's options at their defaults.

    Options set through :meth:`config` are put back at the end.
    """

    def setUp(self) -> None:
        super().setUp()
        self.conf_fixture = self.useFixture(conf_fixture.ConfFixture())

    def config(self, group: str | None = None, **options: object) -> None:
        """Override options of one group for this test."""
        for name, value in options.items():
            CONF.set_override(name, value, group)

    def path(self, *parts: str) -> str:
        """Return a path in a directory that the test has to itself."""
        if not hasattr(self, '_directory'):
            self._directory = self.useFixture(fixtures.TempDir()).path
        return os.path.join(self._directory, *parts)

    def assertOptionRefused(self, name: str, value: object,
                            group: str | None = None) -> None:
        """Assert that an option does not accept a value."""
        self.assertRaises((ValueError, cfg.Error),
                          CONF.set_override, name, value, group)
