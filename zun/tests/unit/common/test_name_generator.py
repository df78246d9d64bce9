# SPDX-License-Identifier: Apache-2.0

import random

from zun.common import name_generator
from zun.tests import base


class NameGeneratorTestCase(base.BaseTestCase):

    def test_a_greek_letter_and_a_number(self):
        name = name_generator.NameGenerator().generate()
        self.assertRegex(name, r'^[a-z]{2,7}-([1-9]|1[0-9]|2[0-4])$')

    def test_every_letter_and_number_comes(self):
        generator = name_generator.NameGenerator(random.Random(1))
        parts = [generator.generate().split('-') for _ in range(2000)]
        self.assertEqual(set(name_generator.LETTERS),
                         {letter for letter, _ in parts})
        self.assertEqual({str(n) for n in range(1, 25)},
                         {number for _, number in parts})
