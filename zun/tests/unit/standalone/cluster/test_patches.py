# SPDX-License-Identifier: Apache-2.0

from zun.standalone.cluster import errors
from zun.standalone.cluster import patches
from zun.tests import base

MERGE = 'application/merge-patch+json'
STRATEGIC = 'application/strategic-merge-patch+json'


class PatchesTest(base.BaseTestCase):

    def test_merge_replaces_lists_and_drops_nulls(self):
        self.assertEqual(
            {'a': [2], 'c': {'d': 1}},
            patches.apply({'a': [1], 'b': 1, 'c': {'d': 1}},
                          {'a': [2], 'b': None}, MERGE))

    def test_the_original_stays(self):
        original = {'l': [{'name': 'a'}], 'm': {'x': 1}}
        patches.apply(original, {'m': {'x': 2}}, STRATEGIC)
        self.assertEqual({'l': [{'name': 'a'}], 'm': {'x': 1}}, original)

    def test_strategic_joins_containers_by_name(self):
        self.assertEqual(
            {'containers': [{'name': 'a', 'image': 'y', 'tty': True},
                            {'name': 'b'}, {'name': 'c'}]},
            patches.apply(
                {'containers': [{'name': 'a', 'image': 'x', 'tty': True},
                                {'name': 'b'}]},
                {'containers': [{'name': 'a', 'image': 'y'},
                                {'name': 'c'}]}, STRATEGIC))

    def test_strategic_deletes_by_directive(self):
        self.assertEqual(
            {'volumes': [{'name': 'b'}], 'finalizers': ['y']},
            patches.apply(
                {'volumes': [{'name': 'a'}, {'name': 'b'}],
                 'finalizers': ['x', 'y']},
                {'volumes': [{'$patch': 'delete', 'name': 'a'}],
                 '$deleteFromPrimitiveList/finalizers': ['x']}, STRATEGIC))

    def test_strategic_adds_finalizers(self):
        self.assertEqual({'finalizers': ['x', 'y']}, patches.apply(
            {'finalizers': ['x']}, {'finalizers': ['x', 'y']}, STRATEGIC))

    def test_strategic_replaces_plain_lists(self):
        self.assertEqual({'command': ['c']}, patches.apply(
            {'command': ['a', 'b']}, {'command': ['c']}, STRATEGIC))

    def test_json_patch_that_does_not_fit(self):
        error = self.assertRaises(
            errors.ApiError, patches.apply, {'a': 1},
            [{'op': 'test', 'path': '/a', 'value': 2}],
            'application/json-patch+json')
        self.assertEqual(422, error.code)

    def test_unknown_type(self):
        error = self.assertRaises(errors.ApiError, patches.apply, {}, {},
                                  'application/json')
        self.assertEqual(415, error.code)
