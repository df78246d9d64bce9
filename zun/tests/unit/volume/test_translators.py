# SPDX-License-Identifier: Apache-2.0
from zun.common import exception
from zun.tests import base
from zun.volume import translators

REF = {'name': 's', 'namespace': 'n'}
ISCSI = {'target_portal': '10.0.0.1:3260', 'target_iqn': 'iqn.2010-10.org:v',
         'target_lun': '1'}


class TestTranslators(base.BaseTestCase):

    def test_local(self):
        self.assertEqual(
            ({'local': {'path': '/dev/sdb'}}, None, 'Opaque', True),
            translators.local({'device_path': '/dev/sdb'}, REF))

    def test_iscsi(self):
        found = translators.iscsi({**ISCSI, 'target_portals': [
            '10.0.0.1:3260', '10.0.0.2:3260']}, REF)
        self.assertEqual({'iscsi': {
            'targetPortal': '10.0.0.1:3260', 'iqn': 'iqn.2010-10.org:v',
            'lun': 1, 'fsType': 'ext4', 'portals': ['10.0.0.2:3260']}},
            found.spec)
        self.assertIsNone(found.secret)

    def test_iscsi_keeps_credentials_in_the_secret(self):
        found = translators.iscsi({
            **ISCSI, 'auth_method': 'CHAP', 'auth_username': 'u',
            'auth_password': 'hidden'}, REF)
        self.assertEqual(REF, found.spec['iscsi']['secretRef'])
        self.assertNotIn('hidden', str(found.spec))
        self.assertEqual({'node.session.auth.username': 'u',
                          'node.session.auth.password': 'hidden'},
                         found.secret)

    def test_fibre_channel(self):
        for names in ('50', ['50']):
            found = translators.fibre_channel(
                {'target_wwn': names, 'target_lun': 0}, REF)
            self.assertEqual({'fc': {'targetWWNs': ['50'], 'lun': 0,
                                     'fsType': 'ext4'}}, found.spec)

    def test_nfs(self):
        self.assertRaises(exception.Invalid, translators.nfs,
                          {'export': 'h:/x', 'name': 'volume-1'}, REF)

    def test_missing_value(self):
        error = self.assertRaises(exception.Invalid, translators.iscsi,
                                  {}, REF)
        self.assertIn('target_portal', str(error))

    def test_unknown_type(self):
        error = self.assertRaises(
            exception.Invalid, translators.translate,
            {'driver_volume_type': 'tape', 'data': {}}, REF)
        self.assertIn('tape', str(error))
