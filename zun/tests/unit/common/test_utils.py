# SPDX-License-Identifier: Apache-2.0

import types

from zun.common import exception
from zun.common import utils
from zun.tests import base

REGISTRY = types.SimpleNamespace(domain='priv.test')


class ParseImageNameTestCase(base.TestCase):

    def test_tag_defaults_to_latest(self):
        self.assertEqual(('nginx', 'latest'), utils.parse_image_name('nginx'))

    def test_digest_is_left_out(self):
        self.assertEqual(
            ('nginx', '1'),
            utils.parse_image_name('nginx:1@sha256:' + 'a' * 64))

    def test_domain_of_the_registry(self):
        self.assertEqual(
            ('priv.test/library/nginx', '2'),
            utils.parse_image_name('library/nginx:2', 'docker', REGISTRY))

    def test_domain_of_the_default_registry(self):
        self.config(group='docker', default_registry='def.test')
        self.assertEqual(('def.test/nginx', 'latest'),
                         utils.parse_image_name('nginx'))

    def test_registry_before_the_default_registry(self):
        self.config(group='docker', default_registry='def.test')
        self.assertEqual(('priv.test/nginx', 'latest'),
                         utils.parse_image_name('nginx', None, REGISTRY))

    def test_own_domain_stays(self):
        self.assertEqual(('r.test/nginx', '1'),
                         utils.parse_image_name('r.test/nginx:1', None,
                                                REGISTRY))

    def test_images_of_glance_have_neither_domain_nor_tag(self):
        self.assertEqual(('nginx', ''),
                         utils.parse_image_name('nginx', 'glance', REGISTRY))

    def test_default_driver(self):
        self.config(default_image_driver='glance')
        self.assertEqual(('nginx', ''), utils.parse_image_name('nginx'))

    def test_no_name(self):
        self.assertRaises(exception.InvalidReference,
                          utils.parse_image_name, 'UPPER')


class PullPolicyTestCase(base.BaseTestCase):

    def test_always_if_nothing_is_said(self):
        self.assertEqual(['always', 'always'],
                         [utils.get_image_pull_policy(None, 'latest'),
                          utils.get_image_pull_policy('', '1')])

    def test_what_is_said(self):
        self.assertEqual('never', utils.get_image_pull_policy('never', None))

    def test_always_pulls(self):
        self.assertTrue(utils.should_pull_image('always', True))

    def test_never_pulls_not(self):
        self.assertFalse(utils.should_pull_image('never', False))

    def test_ifnotpresent_pulls_what_is_missing(self):
        self.assertTrue(utils.should_pull_image('ifnotpresent', False))
        self.assertFalse(utils.should_pull_image('ifnotpresent', True))


class FloatingCpuTestCase(base.TestCase):

    def test_numbers_and_ranges(self):
        self.assertEqual({1, 2, 3, 5, 10, 11},
                         utils.parse_floating_cpu(' 1-3, 5 ,10-11'))

    def test_malformed(self):
        for spec in ('', ' ', '1,', '1,,2', '1-', '-1', 'a', '1-a', '3-1',
                     '1-1', '1-2-3', '1.5', '1;2', '^1'):
            self.assertRaises(exception.Invalid,
                              utils.parse_floating_cpu, spec)

    def test_option(self):
        self.config(floating_cpu_set='0-1')
        self.assertEqual({0, 1}, utils.get_floating_cpu_set())

    def test_empty_option(self):
        self.assertIsNone(utils.get_floating_cpu_set())


class FileDataTestCase(base.BaseTestCase):

    def test_text_is_encoded_as_utf_8(self):
        self.assertEqual('w6k=', utils.encode_file_data('é'))

    def test_bytes(self):
        self.assertEqual('AP8=', utils.encode_file_data(b'\x00\xff'))

    def test_decoding_gives_bytes(self):
        self.assertEqual(b'\x00\xff', utils.decode_file_data('AP8=\n'))

    def test_what_cannot_be_decoded(self):
        for data in ('YWJ', 'Y', None, 5, 'é'):
            self.assertRaises(exception.Base64Exception,
                              utils.decode_file_data, data)


class SafeRstripTestCase(base.BaseTestCase):

    def test_text(self):
        self.assertEqual('/a', utils.safe_rstrip('/a/', '/'))

    def test_nothing_else(self):
        self.assertEqual('/', utils.safe_rstrip('/', '/'))

    def test_no_text(self):
        self.assertEqual(5, utils.safe_rstrip(5, '/'))
