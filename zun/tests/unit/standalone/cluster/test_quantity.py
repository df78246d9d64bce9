# SPDX-License-Identifier: Apache-2.0

from zun.standalone.cluster import quantity
from zun.tests import base


class QuantityTest(base.BaseTestCase):

    def test_milli(self):
        for text, wanted in (('100m', 100), ('1', 1000), ('1.5', 1500),
                             ('1u', 1), (2, 2000)):
            self.assertEqual(wanted, quantity.milli(text))

    def test_whole(self):
        for text, wanted in (('1Ki', 1024), ('1k', 1000), ('1.5Gi',
                             1610612736), ('100m', 1), ('7', 7)):
            self.assertEqual(wanted, quantity.whole(text))

    def test_nonsense(self):
        for text in ('', 'x', '1X', 'Mi'):
            self.assertRaises(ValueError, quantity.parse, text)
