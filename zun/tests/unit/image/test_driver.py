# SPDX-License-Identifier: Apache-2.0
import types

from zun.common import exception
from zun.image.docker import driver as docker
from zun.image import driver
from zun.image.glance import driver as glance
from zun.tests import base


def container(**fields):
    return types.SimpleNamespace(**{
        'image': 'nginx', 'image_pull_policy': None, 'registry': None,
        'image_driver': None, **fields})


def registry(**fields):
    return types.SimpleNamespace(**{
        'domain': 'r.test:5000', 'username': 'u', 'password': 'p',
        **fields})


class TestLoad(base.TestCase):

    def setUp(self):
        super().setUp()
        driver.load_image_driver.cache_clear()
        self.addCleanup(driver.load_image_driver.cache_clear)

    def test_known(self):
        for name, cls in (('docker', docker.DockerDriver),
                          ('glance', glance.GlanceDriver)):
            self.assertIsInstance(driver.load_image_driver(name), cls)

    def test_not_in_the_list(self):
        self.config(image_driver_list=['docker'])
        error = self.assertRaises(exception.ConfigInvalid,
                                  driver.load_image_driver, 'glance')
        self.assertIn('image_driver_list: docker', str(error))

    def test_not_installed(self):
        self.config(image_driver_list=['tape'])
        self.assertRaises(exception.ConfigInvalid,
                          driver.load_image_driver, 'tape')

    def test_default(self):
        self.assertEqual('glance', driver.driver_name_of(
            container(image_driver='glance')))
        self.config(default_image_driver='docker')
        self.assertEqual('docker', driver.driver_name_of(container()))


class TestDocker(base.TestCase):

    def resolve(self, **fields):
        return docker.DockerDriver().resolve(None, container(**fields))

    def test_plain(self):
        self.assertEqual(('nginx', 'always', None), self.resolve())

    def test_pull_policy(self):
        self.assertEqual('never', self.resolve(
            image_pull_policy='never').pull_policy)

    def test_registry(self):
        self.assertEqual(
            ('r.test:5000/team/app', 'always', ('r.test:5000', 'u', 'p')),
            self.resolve(image='team/app', registry=registry()))

    def test_registry_without_a_user(self):
        self.assertIsNone(self.resolve(
            registry=registry(username=None)).credentials)

    def test_registry_without_a_password(self):
        self.assertEqual(('r.test:5000', 'u', ''), self.resolve(
            registry=registry(password=None)).credentials)

    def test_name_with_a_registry(self):
        for image in ('q.test/app', 'localhost/app', 'host:5000/app'):
            self.assertEqual(image, self.resolve(
                image=image, registry=registry()).reference)

    def test_default_registry(self):
        self.config('docker', default_registry='d.test',
                    default_registry_username='u',
                    default_registry_password='p')
        self.assertEqual(('d.test/nginx', 'always', ('d.test', 'u', 'p')),
                         self.resolve())
        self.assertIsNone(self.resolve(image='q.test/app').credentials)


class TestGlance(base.BaseTestCase):

    def test_refused(self):
        error = self.assertRaises(exception.Invalid,
                                  glance.GlanceDriver().resolve, None,
                                  container())
        self.assertIn('nginx', str(error))
