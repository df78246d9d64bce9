# SPDX-License-Identifier: Apache-2.0

import ddt
from oslo_db import exception as db_exc

from zun.common import clients
from zun.common import exception
from zun.common.k8s import errors as k8s_errors
from zun.compute.tasks import errors
from zun.tests import base


class Says(Exception):

    def __init__(self, transient):
        super().__init__()
        self.transient = transient


@ddt.ddt
class TransienceTestCase(base.BaseTestCase):

    @ddt.data(
        errors.Retry(), Says(True), ConnectionRefusedError(), TimeoutError(),
        db_exc.DBConnectionError(), db_exc.DBDeadlock(), db_exc.DBError(),
        clients.PeerError('Neutron', 'refused'),
        clients.PeerError('Neutron', 'overloaded', status=503),
        clients.PeerError('Neutron', 'slow down', status=429),
        k8s_errors.Unavailable('etcd has no leader', status=500))
    def test_can_pass(self, error):
        self.assertTrue(errors.is_transient(error))

    @ddt.data(
        Says(False), ValueError(), exception.Invalid(), exception.Conflict(),
        db_exc.DBDuplicateEntry(), db_exc.DBDataError(),
        clients.PeerError('Neutron', 'no such port', status=404),
        k8s_errors.Invalid('spec.containers', status=422),
        exception.ZunException())
    def test_lasts(self, error):
        self.assertFalse(errors.is_transient(error))


class KeptErrorTestCase(base.BaseTestCase):

    def test_error_of_the_service_keeps_class_and_words(self):
        kept = errors.dump(exception.ContainerNotFound(container='c-1'))
        again = errors.load(kept)
        self.assertIs(exception.ContainerNotFound, type(again))
        self.assertEqual('Container c-1 could not be found.', str(again))
        self.assertEqual(404, again.code)

    def test_other_error_keeps_words_and_code(self):
        kept = errors.dump(clients.PeerError('Cinder', 'quota', status=413))
        again = errors.load(kept)
        self.assertIs(errors.OperationFailed, type(again))
        self.assertIn('quota', str(again))
        self.assertEqual(503, again.code)

    def test_percent_signs_survive(self):
        again = errors.load(errors.dump(exception.Invalid('100% %(x)s')))
        self.assertEqual('100% %(x)s', str(again))

    def test_error_without_words_is_named(self):
        self.assertEqual('KeyError: KeyError',
                         errors.message(errors.dump(KeyError())))

    def test_words_are_cut(self):
        self.assertLess(len(errors.dump(ValueError('x' * 10 ** 6))), 5000)
