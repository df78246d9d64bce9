# SPDX-License-Identifier: Apache-2.0
"""All objects against what the reference declares."""

from oslo_versionedobjects import fixture
import testscenarios

from zun import objects
from zun.objects import base as objects_base
from zun.tests import base
from zun.tests.contract import facts

FACTS = facts.load('objects')


class ObjectFactsTestCase(testscenarios.WithScenarios, base.BaseTestCase):

    scenarios = [(name, {'name': name, 'fact': fact})
                 for name, fact in FACTS.items()]

    def setUp(self):
        super().setUp()
        self.cls = getattr(objects, self.name)

    def test_version(self):
        self.assertEqual(self.fact['version'], self.cls.VERSION)

    def test_module(self):
        self.assertEqual(self.fact['module'], self.cls.__module__)

    def test_fields(self):
        self.assertEqual(self.fact['fields'], {
            name: repr(field) for name, field in self.cls.fields.items()})

    def test_fingerprint(self):
        checker = fixture.ObjectVersionChecker({self.name: [self.cls]})
        self.assertEqual(self.fact['fingerprint'],
                         checker.get_hashes()[self.name])


class RegistryTestCase(base.BaseTestCase):

    def test_no_other_objects(self):
        classes = objects_base.ZunObjectRegistry.obj_classes()
        self.assertEqual(
            set(FACTS), {name for name, versions in classes.items()
                         if versions[0].__module__.startswith('zun.')})
