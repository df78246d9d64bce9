# SPDX-License-Identifier: Apache-2.0
import base64
import types

from zun.common import context as zun_context
from zun.common import exception
from zun.tests import base
from zun.tests import peers
from zun.volume import driver


def volmap(**fields):
    return types.SimpleNamespace(**{
        'uuid': 'm1', 'container_path': '/data', 'contents': None,
        'cinder_volume_id': 'v1', 'auto_remove': False, **fields})


class TestLoad(base.TestCase):

    def setUp(self):
        super().setUp()
        driver.load_volume_driver.cache_clear()
        self.addCleanup(driver.load_volume_driver.cache_clear)

    def test_known(self):
        self.config('volume', driver_list=['local', 'cinder'])
        self.assertIsInstance(driver.load_volume_driver('local'),
                              driver.Local)
        self.assertIsInstance(driver.load_volume_driver('cinder'),
                              driver.Cinder)

    def test_not_in_the_list(self):
        self.config('volume', driver_list=['local'])
        error = self.assertRaises(exception.Invalid,
                                  driver.load_volume_driver, 'cinder')
        self.assertIn('driver_list: local', str(error))

    def test_not_installed(self):
        self.config('volume', driver_list=['tape'])
        self.assertRaises(exception.Invalid, driver.load_volume_driver,
                          'tape')


class TestLocal(base.BaseTestCase):

    def test_mount(self):
        contents = bytes(range(256))
        mount = driver.Local().mount(volmap(
            contents=base64.b64encode(contents).decode()))
        self.assertEqual(('m1', '/data', contents, None), mount)

    def test_empty_file(self):
        self.assertEqual(b'', driver.Local().mount(volmap()).contents)

    def test_nothing_to_wait_for(self):
        self.assertTrue(driver.Local().available(None, volmap()).done)
        self.assertTrue(driver.Local().deleted(None, volmap()).done)


class TestCinder(base.TestCase):

    def setUp(self):
        super().setUp()
        self.peers = self.useFixture(peers.Peers())
        self.context = zun_context.RequestContext(
            auth_token=peers.USER_TOKEN, project_id='p', user_id='u',
            roles=['member'])
        self.driver = driver.Cinder()

    def volume(self, status, **fields):
        self.peers.answer('cinder', 'GET', '/v3/p/volumes/v1', {
            'volume': {'id': 'v1', 'status': status, **fields}})

    def test_available(self):
        cases = (('available', {}, (True, False)),
                 ('creating', {}, (False, False)),
                 ('error', {}, (False, True)),
                 ('in-use', {'multiattach': True}, (True, False)),
                 ('in-use', {'multiattach': False}, (False, False)))
        for status, fields, __ in cases:
            self.volume(status, **fields)
        for status, __, seen in cases:
            self.assertEqual(seen, self.driver.available(
                self.context, volmap()), status)

    def test_attach(self):
        error = self.assertRaises(exception.Invalid, self.driver.attach,
                                  self.context, volmap(), 'h')
        self.assertIn('v1', str(error))

    def test_deleted(self):
        self.peers.answer('cinder', 'GET', '/v3/p/volumes/v1',
                          {'itemNotFound': {'message': 'x'}}, 404)
        self.assertTrue(self.driver.deleted(self.context, volmap()).done)

    def test_not_deleted(self):
        self.volume('error_deleting')
        self.assertEqual((False, True), self.driver.deleted(
            self.context, volmap()))

    def test_delete(self):
        self.peers.answer('cinder', 'DELETE', '/v3/p/volumes/v1', None, 202)
        self.driver.delete(self.context, volmap())
        self.assertEqual('DELETE', self.peers.calls[-1][2])
