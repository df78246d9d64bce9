# SPDX-License-Identifier: Apache-2.0
"""Tests of the base of the controllers."""

import pecan

from zun.api.controllers import base
from zun.api.microversions import Version
from zun.tests import base as tests_base
from zun.tests.unit.api import base as api_base


class Things(base.Controller):

    @base.Controller.api_version('1.1', '1.4')
    def get_one(self, ident, **kwargs):
        return 'old'

    @base.Controller.api_version('1.5')
    def get_one(self, ident, depth=1, **kwargs):  # noqa: F811
        return 'new'

    @base.Controller.api_version('1.3')
    def paint(self, ident, colour):
        return colour

    def helper(self):
        return 'not for clients'


class VersionedMethodTest(tests_base.BaseTestCase):

    def call(self, version):
        handler = Things.get_one.resolve(version)
        return handler and handler(Things(), 'x')

    def test_version_chooses(self):
        self.assertEqual('old', self.call(Version(1, 4)))
        self.assertEqual('new', self.call(Version(1, 5)))
        self.assertEqual('new', self.call(Version(1, 40)))

    def test_version_that_has_none(self):
        self.assertIsNone(Things.paint.resolve(Version(1, 2)))

    def test_ranges_do_not_overlap(self):
        def define():
            class Overlap(base.Controller):

                @base.Controller.api_version('1.1')
                def get(self):
                    pass

                @base.Controller.api_version('1.5')
                def get(self):  # noqa: F811
                    pass
        error = self.assertRaises(ValueError, define)
        self.assertIn('get', str(error))


class RequiredArgumentsTest(tests_base.BaseTestCase):

    def names(self, method, version=Version(1, 40)):
        return base.required_arguments(
            method.resolve(version).__get__(Things()))

    def test_those_without_a_default(self):
        self.assertEqual(['ident'], self.names(Things.get_one))
        self.assertEqual(['ident', 'colour'], self.names(Things.paint))


class LookupTest(tests_base.BaseTestCase):

    def test_only_what_is_exposed_is_found(self):
        things = Things()
        for name in ('helper', '__init__', 'sub_controllers', '', 'a b'):
            self.assertIsNone(things._lookup_child(name), name)


class RoutingTest(api_base.ApiTestCase):

    def test_attributes_are_no_paths(self):
        for path in ('sub_controllers', '__class__', '_route', 'helper'):
            for method in ('GET', 'POST'):
                answer = self.request(
                    method, '/v1/containers/web/' + path)
                self.assertIn(answer.status_int, (404, 405))

    def test_version_without_the_operation(self):
        answer = self.post('/v1/containers/web/network_attach', None,
                           version='1.7')
        self.assertEqual(406, answer.status_int)

    def test_other_method_of_an_operation(self):
        self.assertEqual(
            404, self.get('/v1/containers/web/start').status_int)

    def test_controllers_are_rest_controllers(self):
        self.assertIsInstance(Things(), pecan.rest.RestController)
