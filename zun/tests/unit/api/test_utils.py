# SPDX-License-Identifier: Apache-2.0
"""Tests of what controllers share."""

from zun.api import utils
from zun.common import exception
from zun.tests import base


class ArgumentTest(base.TestCase):

    def test_required_argument_that_is_given(self):
        self.assertIsNone(utils.required(None, 'name'))

    def test_required_argument_that_is_missing(self):
        error = self.assertRaises(exception.InvalidParameterValue,
                                  utils.required, utils.MISSING, 'name')
        self.assertIn("'name'", str(error))

    def test_repeated_parameter(self):
        error = self.assertRaises(exception.InvalidValue, utils.single,
                                  ['a', 'b'], 'host')
        self.assertIn("'host'", str(error))

    def test_none_as_text(self):
        self.assertIsNone(utils.string_or_none('None'))
        self.assertEqual('none', utils.string_or_none('none'))

    def test_all_projects(self):
        self.assertTrue(utils.is_all_projects({'all_projects': 'yes'}))
        self.assertFalse(utils.is_all_projects({}))
        self.assertRaises(exception.InvalidValue, utils.is_all_projects,
                          {'all_projects': 'maybe'})


class LimitTest(base.TestCase):

    def setUp(self):
        super().setUp()
        self.config('api', max_limit=50)

    def test_default(self):
        self.assertEqual(50, utils.validate_limit(None))

    def test_most(self):
        self.assertEqual(50, utils.validate_limit('51'))

    def test_less(self):
        self.assertEqual(7, utils.validate_limit('7'))

    def test_no_positive_number(self):
        for limit in ('0', '-1', 'x', '1.5', [], {}):
            self.assertRaises(exception.InvalidValue, utils.validate_limit,
                              limit)


class PagingTest(base.TestCase):

    def test_defaults(self):
        paging = utils.Paging({})
        self.assertEqual((None, 'id', 'asc'), (
            paging.marker, paging.sort_key, paging.sort_dir))

    def test_parameters_are_taken_out(self):
        params = {'limit': '2', 'marker': 'm', 'sort_key': 'name',
                  'sort_dir': 'desc', 'name': 'web'}
        paging = utils.Paging(params)
        self.assertEqual({'name': 'web'}, params)
        self.assertEqual((2, 'm', 'name', 'desc'), (
            paging.limit, paging.marker, paging.sort_key, paging.sort_dir))

    def test_repeated_parameters(self):
        for name in ('limit', 'marker', 'sort_dir'):
            self.assertRaises(exception.InvalidValue, utils.Paging,
                              {name: ['1', '2']})

    def test_direction(self):
        error = self.assertRaises(exception.InvalidValue, utils.Paging,
                                  {'sort_dir': 'up'})
        self.assertIn('up', str(error))
