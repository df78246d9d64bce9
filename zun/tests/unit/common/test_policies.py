# SPDX-License-Identifier: Apache-2.0

from zun.common import policies
from zun.tests import base
from zun.tests.contract import facts


class FactsTestCase(base.BaseTestCase):

    def test_same_as_the_reference(self):
        declared = sorted(({
            'check_str': rule.check_str,
            'name': rule.name,
            'operations': getattr(rule, 'operations', None),
            'scope_types': rule.scope_types,
        } for rule in policies.list_rules()), key=lambda rule: rule['name'])
        self.assertEqual(facts.load('policies'), declared)

    def test_every_rule_is_described(self):
        self.assertEqual([], [rule.name for rule in policies.list_rules()
                              if not rule.description])
