# SPDX-License-Identifier: Apache-2.0
import types

from zun.common import exception
from zun.image.docker import driver as docker
from zun.image import driver
from zun.image.glance import driver as glance
from zun.image.oci import registry as registries
from zun.tests import base
from zun.tests.unit.image.oci import fake_registry


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


class TestSearch(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.there = self.useFixture(fake_registry.Registry())
        for name, value in (
                ('insecure_registries', [self.there.domain]),
                ('registry_mirrors', {'docker.io': self.there.domain})):
            docker.CONF.set_override(name, value, 'kubernetes')
            self.addCleanup(docker.CONF.clear_override, name, 'kubernetes')

    def search(self, image, exact=False, registry=None):
        return docker.DockerDriver().search(None, image, exact, registry)

    def names(self, *args, **kwargs):
        return [item['name'] for item in self.search(*args, **kwargs)]

    def test_results_of_a_search(self):
        self.there.results = [
            {'name': 'nginx', 'description': 'web', 'is_automated': False,
             'is_official': True, 'star_count': 10, 'pull_count': 7},
            {'name': 'team/nginx', 'is_official': False, 'star_count': 1}]
        self.assertEqual([
            {'name': 'nginx', 'description': 'web', 'is_automated': False,
             'metadata': {'is_official': True, 'star_count': 10}},
            {'name': 'team/nginx',
             'metadata': {'is_official': False, 'star_count': 1}}],
            self.search('nginx'))
        self.assertEqual(['nginx'], self.names('nginx:1.25', exact=True))
        self.assertEqual([], self.names('ngin', exact=True))

    def test_exact_name_that_the_search_does_not_find(self):
        self.there.results = []
        self.there.put('library/app', 'v1', {})
        self.assertEqual(['app'], self.names('app:v1', exact=True))

    def test_catalogue(self):
        self.there.catalogue = ['library/busybox', 'team/busy', 'other']
        self.assertEqual(['busybox', 'team/busy'], self.names('busy'))

    def test_registry_without_a_catalogue(self):
        self.there.put('team/app', 'v1', {})
        name = self.there.domain + '/team/app'
        self.assertEqual([name], self.names(name))
        self.assertEqual([], self.names(self.there.domain + '/team/ap'))

    def test_exact_reference(self):
        digest = self.there.put('team/app', 'v1', {})
        name = self.there.domain + '/team/app'
        self.assertEqual([name], self.names(name + ':v1', exact=True))
        self.assertEqual([name], self.names(name + '@' + digest,
                                            exact=True))
        self.assertEqual([], self.names(name + ':v2', exact=True))

    def test_private_registry(self):
        self.there.auth = 'bearer'
        self.there.put('team/app', 'v1', {})
        name = self.there.domain + '/team/app'
        known = registry(domain=self.there.domain,
                         username=fake_registry.USER,
                         password=fake_registry.PASSWORD)
        self.assertEqual([name], self.names('team/app:v1', exact=True,
                                            registry=known))
        self.assertEqual([], self.names(name + ':v1', exact=True))

    def test_bad_name(self):
        self.assertRaises(exception.InvalidReference, self.search, 'NGINX')

    def test_error_of_the_registry(self):
        self.there.fault = 500
        error = self.assertRaises(registries.RegistryAway, self.search,
                                  'nginx')
        self.assertEqual(503, error.code)
