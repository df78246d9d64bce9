# SPDX-License-Identifier: Apache-2.0
from zun.container.k8s import names
from zun.tests import base
from zun.tests.unit.container.k8s import fakes


class TestContainerId(base.BaseTestCase):

    def test_round_trip(self):
        for container in (names.MAIN, fakes.MEMBER):
            text = names.container_id(fakes.POD, container)
            self.assertEqual((fakes.POD, container, 1),
                             names.parse_container_id(text))

    def test_of_another_engine(self):
        self.assertEqual(('0f1e' * 16, 'main', 0),
                         names.parse_container_id('0f1e' * 16))

    def test_generation(self):
        self.assertEqual(12, names.parse_container_id(
            names.pod_name(fakes.UUID, 12)).generation)

    def test_generation_of_a_foreign_pod(self):
        self.assertEqual(0, names.generation_of({'metadata': {}}))


class TestNamespace(base.BaseTestCase):

    def test_project_of_keystone(self):
        self.assertEqual('zun-' + 'a' * 32,
                         names.namespace('zun-', 'a' * 32))

    def test_project_that_is_no_label(self):
        for project in ('Upper', 'a' * 80, 'under_score', 'end-', ''):
            name = names.namespace('zun-', project)
            self.assertRegex(name, r'\Azun-([0-9a-f]{32})?\Z')
            self.assertLessEqual(len(name), 63)

    def test_projects_stay_apart(self):
        self.assertNotEqual(names.namespace('zun-', 'Ab'),
                            names.namespace('zun-', 'aB'))


class TestLabelValue(base.BaseTestCase):

    def test_plain(self):
        for text in ('', 'a', 'A-1_x.y', 'p' * 63):
            self.assertEqual(text, names.label_value(text))

    def test_others_become_a_hash(self):
        for text in ('p' * 64, '-a', 'a b', 'ä'):
            self.assertRegex(names.label_value(text), r'\A[0-9a-f]{32}\Z')


class TestHostname(base.BaseTestCase):

    def test_names(self):
        for wanted, name in (
                ('web', 'web'), ('Web.Example', 'web-example'),
                ('_x_', 'x'), ('a' * 80, 'a' * 63),
                ('a' * 62 + '.b', 'a' * 62), (None, '111111112222'),
                ('', '111111112222'), ('...', '111111112222')):
            self.assertEqual(name, names.hostname(wanted, fakes.UUID))
