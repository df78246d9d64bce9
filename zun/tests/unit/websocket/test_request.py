# SPDX-License-Identifier: Apache-2.0
"""What a client of the proxy may ask for."""

from zun.common import exception
from zun.tests import base
from zun.websocket import request


class TestTicket(base.TestCase):

    def test_query_has_token_and_container(self):
        self.assertEqual(
            request.Ticket('t', 'u'),
            request.parse_ticket('/?token=t&uuid=u&exec_id=e'))

    def test_part_missing_empty_or_repeated_is_refused(self):
        for target in ('/', '/?token=t', '/?uuid=u', '/?token=&uuid=u',
                       '/?token=a&token=b&uuid=u'):
            self.assertRaises(exception.InvalidWebsocketUrl,
                              request.parse_ticket, target)


class TestOrigin(base.TestCase):

    def allowed(self, origin, host='proxy.test:6784', scheme='ws',
                further=()):
        return request.origin_allowed(origin, host, scheme, further)

    def test_program_without_origin(self):
        self.assertTrue(self.allowed(None))

    def test_same_host_whatever_its_port_and_case(self):
        self.assertTrue(self.allowed('http://PROXY.test'))
        self.assertTrue(self.allowed('http://proxy.test:80'))

    def test_ipv6_host(self):
        self.assertTrue(self.allowed('http://[::1]:6784', '[::1]:6784'))

    def test_other_host(self):
        self.assertFalse(self.allowed('http://evil.test'))
        self.assertFalse(self.allowed('http://proxy.test.evil.test'))

    def test_host_allowed_by_the_operator(self):
        self.assertTrue(self.allowed('http://Horizon.test', further=[
            'horizon.test']))

    def test_scheme_must_be_that_of_the_published_address(self):
        self.assertFalse(self.allowed('http://proxy.test', scheme='wss'))
        self.assertTrue(self.allowed('https://proxy.test', scheme='wss'))

    def test_no_origin_at_all(self):
        for origin in ('', 'null', 'file:///x', 'http://', 'http://[::1'):
            self.assertFalse(self.allowed(origin), origin)

    def test_missing_host(self):
        self.assertFalse(self.allowed('http://proxy.test', host=None))
