# SPDX-License-Identifier: Apache-2.0

import os

from oslo_policy import policy as oslo_policy

from zun.common import context
from zun.common import exception
from zun.common import policy
from zun.tests import base


class PolicyTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        policy.reset()
        self.addCleanup(policy.reset)
        self.member = context.RequestContext(
            user_id='u', project_id='p', roles=['member', 'reader'])
        self.admin = context.RequestContext(
            user_id='a', project_id='q', roles=['admin'])

    def use_file(self, text: str) -> str:
        path = self.path('policy.yaml')
        with open(path, 'w') as stream:
            stream.write(text)
        self.config(group='oslo_policy', policy_file=path)
        policy.reset()
        return path


class EnforceTestCase(PolicyTestCase):

    def test_owner(self):
        self.assertTrue(policy.enforce(self.member, 'container:create'))

    def test_somebody_else(self):
        self.assertFalse(policy.enforce(
            self.member, 'container:get_one', {'project_id': 'q'},
            do_raise=False))

    def test_administrator_of_another_project(self):
        self.assertTrue(policy.enforce(
            self.admin, 'container:get_one', {'project_id': 'p'}))

    def test_refusal_names_the_rule(self):
        error = self.assertRaises(
            exception.PolicyNotAuthorized, policy.enforce, self.member,
            'container:delete_force')
        self.assertEqual("Policy doesn't allow container:delete_force to be "
                         'performed.', str(error))

    def test_refusal_of_another_kind(self):
        self.assertRaises(exception.ContainerNotFound, policy.enforce,
                          self.member, 'host:get',
                          exc=exception.ContainerNotFound, container='c')

    def test_unknown_rule_allows_nothing(self):
        self.assertFalse(policy.enforce(self.admin, 'no:such', do_raise=False))

    def test_nobody_is_privileged_by_default(self):
        self.assertFalse(policy.enforce(
            self.admin, 'container:create:privileged', do_raise=False))


class PolicyFileTestCase(PolicyTestCase):

    def test_overrides_a_default(self):
        self.use_file('"host:get": "role:reader"\n')
        self.assertTrue(policy.enforce(self.member, 'host:get'))

    def test_overrides_who_is_an_administrator(self):
        self.use_file('"context_is_admin": "role:reader"\n')
        somebody = context.RequestContext(
            user_id='u', project_id='p', roles=['reader'])
        self.assertTrue(somebody.is_admin)

    def test_change_counts(self):
        path = self.use_file('"host:get": "role:reader"\n')
        policy.enforce(self.member, 'host:get')
        with open(path, 'w') as stream:
            stream.write('"host:get": "!"\n')
        os.utime(path, (0, os.stat(path).st_mtime + 10))
        policy.init()._looked_at -= policy.REREAD_SECONDS
        self.assertFalse(policy.enforce(self.member, 'host:get',
                                        do_raise=False))


class AuthorizeTestCase(PolicyTestCase):

    def test_registered_rule(self):
        self.assertTrue(policy.authorize(self.member, 'container:create'))

    def test_unknown_rule(self):
        self.assertRaises(oslo_policy.PolicyNotRegistered, policy.authorize,
                          self.admin, 'no:such')

    def test_rule_of_the_file_alone(self):
        self.use_file('"own:rule": "role:reader"\n')
        self.assertTrue(policy.authorize(self.member, 'own:rule',
                                         might_not_exist=True))


class CheckIsAdminTestCase(PolicyTestCase):

    def test_by_role(self):
        self.assertEqual([False, True],
                         [policy.check_is_admin(self.member),
                          policy.check_is_admin(self.admin)])


class GetEnforcerTestCase(PolicyTestCase):

    def test_knows_all_rules(self):
        self.assertIn('capsule:create',
                      policy.get_enforcer().registered_rules)
