# SPDX-License-Identifier: Apache-2.0
"""Remembered signatures."""

from pecan import core
from pecan import util
import testtools

from zun.api import signatures


class Controller:

    def get_one(self, uuid, **kwargs):
        """A handler."""


class SignaturesTestCase(testtools.TestCase):

    def test_same_as_pecan(self):
        method = Controller().get_one
        self.assertEqual(util.getargspec(method),
                         signatures.getargspec(method))

    def test_functions_are_looked_at_once(self):
        self.assertIs(signatures.getargspec(Controller().get_one),
                      signatures.getargspec(Controller().get_one))

    def test_pecan_uses_them(self):
        before = core.getargspec
        self.addCleanup(setattr, core, 'getargspec', before)
        signatures.remember()
        self.assertIs(signatures.getargspec, core.getargspec)
