# SPDX-License-Identifier: Apache-2.0
"""What the answers of the API server mean."""

import json

from zun.common.k8s import errors
from zun.tests import base


def answer(status, message='', reason='', causes=()):
    return errors.from_response(status, json.dumps({
        'kind': 'Status', 'message': message, 'reason': reason,
        'details': {'causes': [{'reason': one} for one in causes]}}))


class TestFromResponse(base.TestCase):

    def assertMeans(self, cls, error):
        self.assertIs(cls, type(error))

    def test_conflicts(self):
        self.assertMeans(errors.AlreadyExists,
                         answer(409, reason='AlreadyExists'))
        self.assertMeans(errors.Conflict, answer(409, reason='Conflict'))

    def test_refusal(self):
        error = answer(403, 'User "x" cannot get resource "pods"')
        self.assertMeans(errors.Forbidden, error)

    def test_namespace_that_is_being_removed(self):
        self.assertMeans(errors.Terminating,
                         answer(403, causes=['NamespaceTerminating']))

    def test_service_account_that_is_not_made_yet(self):
        error = answer(
            403, 'pods "zun-x-1" is forbidden: error looking up service '
            'account ns/default: serviceaccount "default" not found')
        self.assertMeans(errors.Unavailable, error)
        self.assertTrue(error.transient)

    def test_roles_that_are_not_read_yet(self):
        self.assertMeans(errors.Unavailable, answer(
            403, 'User "zun" cannot list resource "pods": RBAC: '
            '[clusterrole.rbac.authorization.k8s.io "zun" not found]'))

    def test_server_errors_pass(self):
        for status in (429, 500, 502, 503, 504):
            self.assertMeans(errors.Unavailable, answer(status))

    def test_object_that_will_never_be_accepted(self):
        for status in (400, 413, 422):
            self.assertMeans(errors.Invalid, answer(status))

    def test_text_that_is_no_status(self):
        error = errors.from_response(500, b'\xff not json')
        self.assertIn('not json', str(error))
