# SPDX-License-Identifier: Apache-2.0

from zun.common import crypt
from zun.common import exception
from zun.tests import base

KEY = 'a key of thirty-two characters !'

# "s3cret", encrypted by the reference with this key.
REFERENCE_TEXT = (
    'gAAAAABrDgs4OC77NEjE9RZ-9KGJiN38gvAyCZiD0uE_Ph9x057bQLqUMQC1xWYa'
    'g1iJoNbSyqy9LO-YxQFmU_yIJXJOxhhQ5g==')


class CryptTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.config(auth_encryption_key=KEY)

    def test_there_and_back(self):
        self.assertEqual('s3crét', crypt.decrypt(crypt.encrypt('s3crét')))

    def test_encrypted_text_does_not_show_the_value(self):
        self.assertNotIn('s3cret', crypt.encrypt('s3cret'))

    def test_none_stays_none(self):
        self.assertIsNone(crypt.encrypt(None))
        self.assertIsNone(crypt.decrypt(None))

    def test_the_first_32_characters_count(self):
        text = crypt.encrypt('s3cret')
        self.config(auth_encryption_key=KEY + 'more')
        self.assertEqual('s3cret', crypt.decrypt(text))

    def test_other_key(self):
        text = crypt.encrypt('s3cret')
        self.config(auth_encryption_key='b' * 32)
        self.assertRaises(exception.InvalidEncryptionKey,
                          crypt.decrypt, text)

    def test_not_encrypted(self):
        self.assertRaises(exception.InvalidEncryptionKey,
                          crypt.decrypt, 's3cret')

    def test_short_key(self):
        self.config(auth_encryption_key='short')
        error = self.assertRaises(exception.ConfigInvalid,
                                  crypt.encrypt, 's3cret')
        self.assertIn('has 5 characters; it needs at least 32', str(error))

    def test_reads_what_the_reference_wrote(self):
        self.assertEqual('s3cret', crypt.decrypt(REFERENCE_TEXT))

    def test_published_key(self):
        self.assertFalse(crypt.uses_published_key())
        self.config(auth_encryption_key='notgood but just long enough i t')
        self.assertTrue(crypt.uses_published_key())
