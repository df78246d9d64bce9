# SPDX-License-Identifier: Apache-2.0

from zun.objects import fields
from zun.tests import base


class JsonTestCase(base.BaseTestCase):

    field = fields.JsonField(nullable=True)

    def test_text_is_a_document(self):
        self.assertEqual({'a': [1]},
                         self.field.coerce(None, 'x', '{"a": [1]}'))

    def test_other_values_stay(self):
        for value in ({'a': None}, [1], 1.5, None):
            self.assertEqual(value, self.field.coerce(None, 'x', value))

    def test_primitive(self):
        value = {'a': [1, {'b': None}]}
        primitive = self.field.to_primitive(None, 'x', value)
        self.assertEqual('{"a": [1, {"b": null}]}', primitive)
        self.assertEqual(value,
                         self.field.from_primitive(None, 'x', primitive))


class EnumTestCase(base.BaseTestCase):

    def test_known(self):
        self.assertEqual('Running', fields.ContainerStatusField().coerce(
            None, 'status', 'Running'))

    def test_unknown(self):
        for field in (fields.ContainerStatusField(), fields.TaskStateField(),
                      fields.PciDeviceTypeField(),
                      fields.PciDeviceStatusField(),
                      fields.ResourceClassField()):
            self.assertRaises(ValueError, field.coerce, None, 'x', 'nope')
