# SPDX-License-Identifier: Apache-2.0

import datetime

from oslo_utils import fixture as utils_fixture

from zun.common import context
from zun.common import exception
from zun.tests import base

NOW = datetime.datetime(2026, 1, 2, 3, 4, 5, 6)


class RequestContextTestCase(base.TestCase):

    def make(self, **kwargs):
        return context.make_context(**{
            'user_id': 'u', 'project_id': 'p', 'roles': ['member'],
            **kwargs})

    def test_round_trip(self):
        sent = self.make(
            all_projects=True, auth_token='t', auth_token_info={'a': 1},
            domain_id='d', domain_name='dn', is_admin=True, password='pw',
            project_name='pn', read_only=True, request_id='req-1',
            show_deleted=True, timestamp=NOW, trust_id='tr',
            user_domain_id='ud', user_domain_name='udn', user_name='un')
        received = context.RequestContext.from_dict(sent.to_dict())
        self.assertEqual(sent.to_dict(), received.to_dict())
        self.assertEqual(NOW, received.timestamp)

    def test_dict_of_an_older_release(self):
        old = {'user': 'u', 'project': 'p', 'is_admin': False,
               'request_id': 'req-1', 'roles': [], 'unknown': 1}
        received = context.RequestContext.from_dict(old)
        self.assertEqual('req-1', received.request_id)

    def test_time_of_now(self):
        self.useFixture(utils_fixture.TimeFixture(NOW))
        self.assertEqual(NOW, self.make().timestamp)

    def test_administrator_by_role(self):
        self.assertFalse(self.make().is_admin)
        self.assertTrue(self.make(roles=['admin']).is_admin)

    def test_administrator_as_told(self):
        self.assertFalse(self.make(roles=['admin'], is_admin=False).is_admin)

    def test_policies_see_who_is_an_administrator(self):
        self.assertTrue(self.make(is_admin=True)
                        .to_policy_values()['is_admin'])

    def test_elevated_is_a_copy(self):
        user = self.make(request_id='req-1')
        elevated = user.elevated()
        self.assertEqual((True, ['member', 'admin'], 'req-1'),
                         (elevated.is_admin, elevated.roles,
                          elevated.request_id))
        self.assertEqual((False, ['member']), (user.is_admin, user.roles))

    def test_can(self):
        self.assertTrue(self.make().can('container:create'))
        self.assertFalse(self.make().can('host:get', fatal=False))
        self.assertRaises(exception.PolicyNotAuthorized,
                          self.make().can, 'host:get')

    def test_no_fence_outside_of_a_task(self):
        self.assertIsNone(self.make().fence)


class AdminContextTestCase(base.TestCase):

    def test_belongs_to_nobody(self):
        admin = context.get_admin_context()
        self.assertEqual((True, None, None, False),
                         (admin.is_admin, admin.project_id, admin.user_id,
                          admin.all_projects))

    def test_all_projects(self):
        self.assertTrue(
            context.make_admin_context(all_projects=True).all_projects)

    def test_show_deleted(self):
        self.assertTrue(
            context.get_admin_context(show_deleted=True).show_deleted)

    def test_does_not_replace_the_context_of_the_thread(self):
        user = context.make_context(user_id='u', project_id='p', roles=[])
        context.make_admin_context()
        self.assertIs(user, context.context.get_current())
