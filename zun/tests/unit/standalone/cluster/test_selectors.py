# SPDX-License-Identifier: Apache-2.0

from zun.standalone.cluster import errors
from zun.standalone.cluster import selectors
from zun.tests import base


def labelled(**labels):
    return {'metadata': {'name': 'n', 'namespace': 's', 'labels': labels}}


class LabelsTest(base.BaseTestCase):

    def test_all_requirements_must_hold(self):
        matches = selectors.labels('a=1,b!=2,c in (x,y),!d')
        self.assertTrue(matches(labelled(a='1', c='y')))
        for labels in ({'a': '2', 'c': 'y'}, {'a': '1', 'b': '2', 'c': 'y'},
                       {'a': '1', 'c': 'z'}, {'a': '1', 'c': 'y', 'd': ''}):
            self.assertFalse(matches(labelled(**labels)), labels)

    def test_notin_holds_without_the_label(self):
        self.assertTrue(selectors.labels('a notin (1)')(labelled()))

    def test_empty_selects_everything(self):
        self.assertTrue(selectors.labels('')(labelled()))

    def test_nonsense_is_refused(self):
        error = self.assertRaises(errors.ApiError, selectors.labels, 'a=b=c')
        self.assertEqual(400, error.code)


class FieldsTest(base.BaseTestCase):

    def test_equal_and_unequal(self):
        pod = dict(labelled(), status={'phase': 'Running'}, spec={})
        self.assertTrue(selectors.fields(
            'status.phase=Running,metadata.name==n', 'Pod')(pod))
        self.assertFalse(selectors.fields(
            'status.phase!=Running', 'Pod')(pod))

    def test_absent_field_is_empty(self):
        self.assertTrue(selectors.fields('spec.nodeName=', 'Pod')(
            dict(labelled(), spec={})))

    def test_unknown_field_is_refused(self):
        error = self.assertRaises(errors.ApiError, selectors.fields,
                                  'spec.foo=1', 'Pod')
        self.assertEqual('field label not supported: spec.foo',
                         error.message)


class ExpressionTest(base.BaseTestCase):

    def test_operators(self):
        have = {'a': '5'}
        for operator, values, wanted in (
                ('In', ['5'], True), ('NotIn', ['5'], False),
                ('Exists', [], True), ('DoesNotExist', [], False),
                ('Gt', ['4'], True), ('Lt', ['4'], False)):
            self.assertEqual(wanted, selectors.expression(
                have, {'key': 'a', 'operator': operator, 'values': values}))
