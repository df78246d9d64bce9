# SPDX-License-Identifier: Apache-2.0
from zun.common import exception
from zun.container.k8s import resources
from zun.tests import base


class TestMemory(base.BaseTestCase):

    def test_amounts(self):
        mib = 1024 ** 2
        for text, size in ((None, 0), ('', 0), ('512', 512 * mib),
                           (512, 512 * mib), ('512m', 512 * mib),
                           ('512M', 512 * mib), ('1g', 1024 * mib),
                           ('2048k', 2 * mib), ('4194304b', 4 * mib),
                           (' 7 ', 7 * mib), ('64.0', 64 * mib)):
            self.assertEqual(size, resources.memory_bytes(text))

    def test_no_number(self):
        for text in ('much', '1.5g', '-1', '1gb'):
            self.assertRaises(exception.Invalid, resources.memory_bytes,
                              text)


class TestQuantities(base.BaseTestCase):

    def test_nothing(self):
        self.assertEqual({}, resources.quantities(None, None, None))
        self.assertEqual({}, resources.quantities(0, '', 0))

    def test_requests_stay_below_limits(self):
        """A Guaranteed Pod could not be resized to a Burstable one."""
        made = resources.quantities(1, '512', None)
        self.assertEqual({'cpu': '1', 'memory': '512Mi'}, made['limits'])
        self.assertEqual({'cpu': '999m', 'memory': '536870911'},
                         made['requests'])

    def test_smallest_amounts(self):
        made = resources.quantities(
            0.001, '4', None, ratios=resources.Ratios(16.0, 4.0))
        self.assertEqual({'cpu': '1m', 'memory': '4Mi'}, made['requests'])

    def test_dedicated(self):
        made = resources.quantities(1.2, '64', 1, 'dedicated',
                                    resources.Ratios(16.0, 1.5))
        self.assertEqual(made['limits'], made['requests'])
        self.assertEqual('2', made['limits']['cpu'])


class TestParsing(base.BaseTestCase):

    def test_cpu(self):
        self.assertEqual([0.5, 2.0], [resources.cpu_of('500m'),
                                      resources.cpu_of('2')])

    def test_bytes(self):
        for text, size in (('512Mi', 512 * 1024 ** 2), ('1k', 1000),
                           ('7', 7), ('1.5Gi', 3 * 1024 ** 3 // 2),
                           ('1e3', 1000), ('1500m', 2)):
            self.assertEqual(size, resources.bytes_of(text))

    def test_no_quantity(self):
        for text in ('', 'many', '1Zi'):
            self.assertRaises(ValueError, resources.bytes_of, text)
