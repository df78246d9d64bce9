# SPDX-License-Identifier: Apache-2.0
"""An authority of a test's own, and certificates signed by it."""

import datetime
import pathlib

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization
from cryptography import x509
from cryptography.x509 import oid
import fixtures

_DAY = datetime.timedelta(days=1)


class Authority(fixtures.Fixture):
    """Signs certificates.

    :ivar ca_file: its own certificate.
    """

    def _setUp(self) -> None:
        self._folder = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named('authority')
        self.ca_file = str(self._folder / 'ca.pem')
        pathlib.Path(self.ca_file).write_bytes(self._sign(
            self._name, self._key, True).public_bytes(
                serialization.Encoding.PEM))

    def issue(self, name: str) -> tuple[str, str]:
        """Paths of a certificate for a host's name, and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        cert_file = self._folder / (name + '.pem')
        key_file = self._folder / (name + '.key')
        cert_file.write_bytes(self._sign(
            _named(name), key, False, name).public_bytes(
                serialization.Encoding.PEM))
        key_file.write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption()))
        return str(cert_file), str(key_file)

    def _sign(self, subject, key, authority, name=None):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (
            x509.CertificateBuilder().subject_name(subject)
            .issuer_name(self._name).public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _DAY).not_valid_after(now + _DAY)
            .add_extension(x509.BasicConstraints(authority, None), True))
        if name is not None:
            builder = builder.add_extension(x509.SubjectAlternativeName(
                [x509.DNSName(name)]), False)
        return builder.sign(self._key, hashes.SHA256())


def _named(text):
    return x509.Name([x509.NameAttribute(oid.NameOID.COMMON_NAME, text)])
