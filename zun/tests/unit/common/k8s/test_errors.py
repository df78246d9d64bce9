# SPDX-License-Identifier: Apache-2.0
"""What the answers of the API server mean."""

import json

import kubernetes.client.exceptions as kube_exc
import urllib3.exceptions

from zun.common.k8s import errors
from zun.tests import base


def answer(status, message='', reason='', causes=()):
    return errors.from_response(status, json.dumps({
        'kind': 'Status', 'message': message, 'reason': reason,
        'details': {'causes': [{'reason': one} for one in causes]}}))


class TestFromResponse(base.BaseTestCase):

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

    def test_text(self):
        for body, text in ((b'plain text\n', 'plain text'),
                           (b'', 'Not Found'), (None, 'Not Found'),
                           (b'["no object"]', 'Not Found')):
            self.assertIn(text, str(errors.from_response(404, body)))

    def test_unknown_status(self):
        self.assertIn('HTTP 599', str(errors.from_response(599, b'')))

    def test_version_too_old(self):
        self.assertMeans(errors.Expired, answer(410))

    def test_what_may_pass(self):
        for status, passes in ((400, False), (403, False), (404, False),
                               (409, True), (410, True), (429, True),
                               (500, True)):
            self.assertEqual(passes, answer(status).transient)

    def test_retry_after(self):
        for value, seconds in (('7', 7), ('soon', None), (None, None)):
            headers = {} if value is None else {'Retry-After': value}
            self.assertEqual(seconds, errors.from_response(
                429, b'', headers).retry_after)


class TestFromException(base.BaseTestCase):

    def test_own_errors_stay(self):
        error = errors.NotFound('x')
        self.assertIs(error, errors.from_exception(error))

    def test_answer_of_the_client_library(self):
        exc = kube_exc.ApiException(status=404)
        exc.body, exc.headers = b'gone', {}
        self.assertIsInstance(errors.from_exception(exc), errors.NotFound)

    def test_innermost_reason_is_told(self):
        exc = urllib3.exceptions.MaxRetryError(
            None, '/x', ConnectionRefusedError('refused'))
        error = errors.from_exception(exc)
        self.assertIsInstance(error, errors.Unavailable)
        self.assertIn('refused', str(error))
        self.assertIsNone(error.status)
