# SPDX-License-Identifier: Apache-2.0
"""Tests of the route table."""

import types

import pecan

from zun.api import microversions
from zun.api import routes
from zun.tests import base


class RoutesTest(base.TestCase):

    def setUp(self) -> None:
        super().setUp()
        self.routes = {route.name: route for route in routes.routes()}

    def test_there_are_61_routes_below_v1(self):
        # With GET / and GET /v1 these are the 63 pairs of the reference.
        self.assertEqual(61, len(self.routes))

    def test_no_route_has_two_names(self):
        pairs = {(route.method, route.path)
                 for route in self.routes.values()}
        self.assertEqual(len(self.routes), len(pairs))

    def test_collection(self):
        route = self.routes['containers post']
        self.assertEqual(('POST', '/v1/containers', 'containers'),
                         (route.method, route.path, route.resource))

    def test_element(self):
        route = self.routes['hosts get_one']
        self.assertEqual('/v1/hosts/{host_ident}', route.path)
        self.assertEqual(['host_ident'], route.arguments)

    def test_action_of_an_element(self):
        route = self.routes['containers start']
        self.assertEqual('/v1/containers/{container_ident}/start',
                         route.path)

    def test_action_of_a_collection(self):
        route = self.routes['services enable']
        self.assertEqual(('PUT', '/v1/services/enable'),
                         (route.method, route.path))

    def test_resource_below_an_element(self):
        self.assertEqual(
            '/v1/containers/{container_ident}/container_actions',
            self.routes['containers container_actions'].path)
        self.assertEqual(
            '/v1/containers/{container_ident}/container_actions/'
            '{request_ident}',
            self.routes['containers container_actions show'].path)

    def test_handlers_have_ranges_of_versions(self):
        self.assertEqual(
            [('1.1', '1.31'), ('1.32', '1.40')],
            [(str(handler.first), str(handler.last))
             for handler in self.routes['capsules get_all'].handlers])

    def test_handlers_cover_known_versions(self):
        for route in self.routes.values():
            for handler in route.handlers:
                self.assertTrue(microversions.is_served(handler.first))
                self.assertTrue(microversions.is_served(handler.last))

    def test_handlers_are_what_requests_reach(self):
        for route in self.routes.values():
            for handler in route.handlers:
                self.assertIsInstance(handler.function, types.FunctionType)
                self.assertTrue(
                    pecan.util.iscontroller(handler.function), route.name)
