# SPDX-License-Identifier: Apache-2.0

import importlib
import sys

import fixtures

from zun.api import wsgi
from zun.tests import base


class ApplicationTestCase(base.BaseTestCase):

    def test_servers_find_the_application(self):
        made = object()
        self.useFixture(fixtures.MockPatchObject(
            wsgi, 'init_application', lambda: made))
        self.addCleanup(sys.modules.pop, 'zun.wsgi.api', None)
        module = importlib.import_module('zun.wsgi.api')
        self.assertIs(made, module.application)
