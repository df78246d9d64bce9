# SPDX-License-Identifier: Apache-2.0
"""A self-signed certificate for a listener on loopback.

kubectl sends a bearer token over TLS only, hence TLS even on loopback.
"""

import datetime
import ipaddress
import os
import pathlib
import ssl

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization
from cryptography import x509
from cryptography.x509 import oid

_LIFETIME = datetime.timedelta(days=3650)


def server_context(folder: pathlib.Path) -> ssl.SSLContext:
    """TLS for the server; makes ``tls.crt`` and ``tls.key`` if missing."""
    certificate, key = folder / 'tls.crt', folder / 'tls.key'
    if not (certificate.exists() and key.exists()):
        _make(certificate, key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def _make(certificate: pathlib.Path, key_file: pathlib.Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(
        oid.NameOID.COMMON_NAME, 'zun-standalone')])
    now = datetime.datetime.now(datetime.timezone.utc)
    built = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + _LIFETIME)
        .add_extension(x509.SubjectAlternativeName([
            x509.DNSName('localhost'),
            x509.IPAddress(ipaddress.ip_address('127.0.0.1'))]), False)
        .add_extension(x509.BasicConstraints(True, 0), True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(
            key.public_key()), False)
        .sign(key, hashes.SHA256()))
    with open(os.open(key_file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC,
                      0o600), 'wb') as target:
        target.write(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption()))
    certificate.write_bytes(built.public_bytes(serialization.Encoding.PEM))
