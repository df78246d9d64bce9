# SPDX-License-Identifier: Apache-2.0
from zun.container.runtime import pulls
from zun.tests import base

HUB = 'docker.io/library/'


class TestNames(base.BaseTestCase):

    def test_full_name(self):
        for short, full in (
                ('nginx:1', HUB + 'nginx:1'),
                ('team/app:1', 'docker.io/team/app:1'),
                ('quay.test/app:1', 'quay.test/app:1'),
                ('host:5000/app:1', 'host:5000/app:1'),
                ('localhost/app:1', 'localhost/app:1')):
            self.assertEqual(full, pulls.full_name(short))

    def test_only_name(self):
        names = [HUB + 'a:1', HUB + 'a@sha256:d', 'sha256:i']
        self.assertEqual(set(names),
                         set(pulls.names_to_remove(names, 'a:1')))

    def test_other_repository_keeps_the_image(self):
        names = [HUB + 'a:1', HUB + 'a@sha256:d', HUB + 'b:1',
                 HUB + 'b@sha256:d', 'sha256:i']
        self.assertEqual([HUB + 'a:1', HUB + 'a@sha256:d'],
                         pulls.names_to_remove(names, 'a:1'))

    def test_other_tag_keeps_the_digest(self):
        names = [HUB + 'a:1', HUB + 'a:2', HUB + 'a@sha256:d']
        self.assertEqual([HUB + 'a:1'], pulls.names_to_remove(names, 'a:1'))

    def test_imported(self):
        names = ['zun.local/glance/x:1', HUB + 'b:1']
        self.assertEqual(['zun.local/glance/x:1'],
                         pulls.names_to_remove(names, 'inner:v1'))

    def test_nothing_of_that_name(self):
        self.assertEqual([], pulls.names_to_remove([HUB + 'b:1'], 'a:1'))
