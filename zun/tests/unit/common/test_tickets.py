# SPDX-License-Identifier: Apache-2.0
from zun.common import tickets
from zun.tests import base

TICKET = tickets.Ticket('logs', 'c-1', {'tail': 5})


class TestTickets(base.BaseTestCase):

    def refused(self, text, operation='logs', now=1000.0):
        return str(self.assertRaises(tickets.TicketInvalid, tickets.check,
                                     text, operation, now))

    def test_good(self):
        self.assertEqual(TICKET, tickets.check(
            tickets.issue(TICKET, 1000.0), 'logs', 1050.0))

    def test_over(self):
        text = tickets.issue(TICKET, 1000.0)
        self.assertIn('over', self.refused(text, now=1061.0))

    def test_of_another_operation(self):
        self.assertIn('another operation', self.refused(
            tickets.issue(TICKET, 1000.0), 'put_archive'))

    def test_of_another_deployment(self):
        text = tickets.issue(TICKET, 1000.0)
        tickets.CONF.set_override('auth_encryption_key', 'x' * 32)
        self.addCleanup(tickets.CONF.clear_override, 'auth_encryption_key')
        self.assertIn('not issued', self.refused(text))

    def test_changed(self):
        text = tickets.issue(TICKET, 1000.0)
        other = tickets.issue(TICKET._replace(container='c-2'), 1000.0)
        for forged in ('', '.', text[:-1], text + '0', 'x' + text,
                       text.partition('.')[0] + '.',
                       other.partition('.')[0] + '.' +
                       text.partition('.')[2], '\u00e9.\u00e9'):
            self.refused(forged)
