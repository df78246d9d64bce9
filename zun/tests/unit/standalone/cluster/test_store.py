# SPDX-License-Identifier: Apache-2.0

from zun.standalone.cluster import errors
from zun.standalone.cluster import resources
from zun.standalone.cluster import store
from zun.tests import base


class StoreTest(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.store = store.Store(history=4)
        self.first = self.create('a')

    def create(self, name):
        return self.store.create(resources.SECRETS, {
            'metadata': {'name': name, 'namespace': 's'}})

    def test_versions_grow(self):
        second = self.create('b')
        self.assertGreater(int(second['metadata']['resourceVersion']),
                           int(self.first['metadata']['resourceVersion']))

    def test_a_change_of_nothing_is_no_event(self):
        before = self.store.version
        self.store.change(resources.SECRETS, 's', 'a', lambda obj: None)
        self.assertEqual(before, self.store.version)

    def test_names_are_generated(self):
        made = self.store.create(resources.SECRETS, {
            'metadata': {'generateName': 'g-', 'namespace': 's'}})
        self.assertRegex(made['metadata']['name'], '^g-.{5}$')

    def test_events_since_a_version(self):
        version = self.store.version
        self.create('b')
        self.store.change(resources.SECRETS, 's', 'a',
                          lambda obj: obj.update(type='t'))
        self.store.remove(resources.SECRETS, self.store.get(
            resources.SECRETS, 's', 'b'))
        self.assertEqual(['ADDED', 'MODIFIED', 'DELETED'],
                         [e.kind for e in self.store.since(version)])

    def test_forgotten_events_are_gone(self):
        version = self.store.version
        for name in 'bcdef':
            self.create(name)
        error = self.assertRaises(errors.ApiError, self.store.since, version)
        self.assertEqual((410, 'Expired'), (error.code, error.reason))

    def test_compaction_forgets_what_is_older(self):
        version = self.store.version
        self.create('b')
        self.store.compact()
        self.assertEqual([], self.store.since(self.store.version))
        self.assertRaises(errors.ApiError, self.store.since, version)

    def test_the_last_finalizer_lets_a_deleted_object_go(self):
        def leave(obj):
            obj['metadata'].update(finalizers=['x/y'],
                                   deletionTimestamp=store.now())
        self.store.change(resources.SECRETS, 's', 'a', leave)
        self.store.change(
            resources.SECRETS, 's', 'a',
            lambda obj: obj['metadata'].update(finalizers=[]))
        self.assertIsNone(self.store.find(resources.SECRETS, 's', 'a'))
