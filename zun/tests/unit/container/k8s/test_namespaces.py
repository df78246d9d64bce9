# SPDX-License-Identifier: Apache-2.0
"""Namespaces come and go with containers, whoever is faster."""

from zun.common import exception
from zun.common.k8s import client
from zun.common.k8s import errors
from zun.container.k8s import namespaces
from zun.tests.unit.container.k8s import base
from zun.tests.unit.container.k8s import fakes

MANAGED = {'zun.openstack.org/managed': 'true'}


class TestEnsure(base.DriverTestCase):

    def ensure(self):
        return namespaces.ensure(self.cluster, fakes.PROJECT)

    def test_first_container_of_a_project(self):
        self.assertEqual(fakes.NAMESPACE, self.ensure())
        meta = self.cluster.get(client.NAMESPACES,
                                fakes.NAMESPACE)['metadata']
        self.assertEqual('true', meta['labels']['zun.openstack.org/managed'])
        self.assertEqual(
            'baseline',
            meta['labels']['pod-security.kubernetes.io/enforce'])
        self.assertEqual(fakes.PROJECT,
                         meta['annotations']['zun.openstack.org/project'])

    def test_existing_one_is_written_to(self):
        """So that whoever wants to remove it sees that it changed."""
        self.ensure()
        before = self.cluster.get(client.NAMESPACES, fakes.NAMESPACE)
        self.ensure()
        after = self.cluster.get(client.NAMESPACES, fakes.NAMESPACE)
        self.assertNotEqual(before['metadata']['resourceVersion'],
                            after['metadata']['resourceVersion'])

    def test_quota(self):
        self.config('kubernetes', namespace_quota={'pods': '100'})
        self.ensure()
        self.assertEqual(
            {'hard': {'pods': '100'}},
            self.cluster.get(client.RESOURCE_QUOTAS, 'zun',
                             fakes.NAMESPACE)['spec'])

    def test_made_by_somebody_else_meanwhile(self):
        self.cluster.put_project()
        self.cluster.faults['patch', 'namespaces'] = [
            errors.NotFound('not yet')]
        self.assertEqual(fakes.NAMESPACE, self.ensure())

    def test_written_to_by_somebody_else_meanwhile(self):
        self.ensure()
        self.cluster.faults['patch', 'namespaces'] = [errors.Conflict('x')]
        self.assertEqual(fakes.NAMESPACE, self.ensure())

    def bind(self):
        self.config('kubernetes', namespace_role_bindings={
            'zun-wsproxy': 'zun-system/proxy'})

    def test_role_bindings(self):
        self.bind()
        self.ensure()
        binding = self.cluster.get(client.ROLE_BINDINGS, 'zun-wsproxy',
                                   fakes.NAMESPACE)
        self.assertEqual('zun-wsproxy', binding['roleRef']['name'])
        self.assertEqual([{'kind': 'ServiceAccount', 'name': 'proxy',
                           'namespace': 'zun-system'}], binding['subjects'])

    def test_role_binding_of_no_account(self):
        self.config('kubernetes', namespace_role_bindings={'r': 'proxy'})
        error = self.assertRaises(exception.ConfigInvalid, self.ensure)
        self.assertIn('r:proxy', str(error))

    def test_furnished_once(self):
        self.bind()
        for __ in range(3):
            self.ensure()
        self.assertEqual(1, self.cluster.count('create',
                                               client.ROLE_BINDINGS))

    def test_not_furnished_by_who_made_it(self):
        """The maker died, or had another configuration."""
        self.ensure()
        self.bind()
        self.ensure()
        self.config('kubernetes', namespace_quota={'pods': '7'})
        self.ensure()
        self.assertEqual(['zun-wsproxy'],
                         self.cluster.names(client.ROLE_BINDINGS))
        self.assertEqual(['zun'],
                         self.cluster.names(client.RESOURCE_QUOTAS))

    def terminating(self):
        self.cluster.put(client.NAMESPACES, {'metadata': {
            'name': fakes.NAMESPACE, 'labels': MANAGED,
            'deletionTimestamp': '2026-01-02T03:04:05Z'}})

    def test_waits_for_the_end_of_the_former_one(self):
        self.terminating()
        self.cluster.happening.append(lambda: self.cluster.take_away(
            client.NAMESPACES, fakes.NAMESPACE))
        self.ensure()
        self.assertEqual(1, self.cluster.count('create', client.NAMESPACES))

    def test_end_that_does_not_come(self):
        self.terminating()
        error = self.assertRaises(errors.Terminating, self.ensure)
        self.assertTrue(error.transient)


class TestRemove(base.DriverTestCase):

    def setUp(self):
        super().setUp()
        self.cluster.put_project(**MANAGED)

    def remove(self, empty):
        return namespaces.remove_if_empty(self.cluster, fakes.PROJECT, empty)

    def is_there(self):
        return fakes.NAMESPACE in self.cluster.names(client.NAMESPACES)

    def test_last_container(self):
        self.assertTrue(self.remove(lambda: True))
        self.assertFalse(self.is_there())

    def test_not_the_last_one(self):
        self.assertFalse(self.remove(lambda: False))
        self.assertTrue(self.is_there())

    def test_container_made_meanwhile(self):
        """Its row came after the look at the database."""
        def empty():
            namespaces.ensure(self.cluster, fakes.PROJECT)
            return True

        self.assertFalse(self.remove(empty))
        self.assertTrue(self.is_there())

    def test_gone(self):
        self.cluster.take_away(client.NAMESPACES, fakes.NAMESPACE)
        self.assertFalse(self.remove(self.fail))

    def test_of_somebody_else(self):
        self.cluster.put_project()
        self.assertFalse(self.remove(self.fail))
