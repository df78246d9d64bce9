# SPDX-License-Identifier: Apache-2.0
"""HTTP to registries, whose names users choose.

A user could name a registry to have this service ask something on its own
machine or the metadata service of its cloud. So the address that a
connection has really reached is looked at before anything is sent, whatever
the name resolved to, and a redirect is a new connection.
"""

import functools
import ipaddress
import socket

import requests
from requests import adapters
from urllib3 import connection
from urllib3 import connectionpool
from urllib3 import exceptions as urllib3_exc

from zun.common.i18n import _


class Forbidden(urllib3_exc.HTTPError):
    """An address that registries are not asked at."""


def check_address(text: str) -> None:
    """Refuse addresses that are never another machine's service.

    :param text: an IP address.
    :raises Forbidden: loopback, link-local, multicast, unspecified or
        reserved.
    """
    address = ipaddress.ip_address(text.partition('%')[0])
    mapped = getattr(address, 'ipv4_mapped', None)
    address = mapped or address
    if (address.is_loopback or address.is_link_local or
            address.is_multicast or address.is_unspecified or
            address.is_reserved):
        raise Forbidden(
            _('%s is no address that registries are asked at; name the '
              'registry in [kubernetes] insecure_registries or '
              'registry_mirrors if it is meant') % address)


class _Checked:
    """A connection that looks where it goes before it says anything."""

    def _new_conn(self):
        try:
            found = socket.getaddrinfo(self._dns_host, self.port, 0,
                                       socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            # The attempt to connect says so in its own way.
            found = ()
        for item in found:
            # So that nobody learns which ports are open here.
            check_address(item[4][0])
        sock = super()._new_conn()
        try:
            check_address(sock.getpeername()[0])
        except BaseException:
            sock.close()
            raise
        return sock


class _PlainConnection(_Checked, connection.HTTPConnection):
    pass


class _TLSConnection(_Checked, connection.HTTPSConnection):
    pass


class _PlainPool(connectionpool.HTTPConnectionPool):
    ConnectionCls = _PlainConnection


class _TLSPool(connectionpool.HTTPSConnectionPool):
    ConnectionCls = _TLSConnection


class _CheckedAdapter(adapters.HTTPAdapter):
    """Connections that look at the address they have reached."""

    def init_poolmanager(self, *args, **kwargs):
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {
            'http': _PlainPool, 'https': _TLSPool}


class Session(requests.Session):
    """Requests to registries and to what they refer to.

    Neither proxies, nor ``.netrc``, nor redirects are followed by
    themselves.

    :param trusted: ``scheme://host:port`` that may be anywhere.
    :param verify: certificates, or False.
    :param timeout: seconds for a connection and for each piece of an
        answer.
    """

    def __init__(self, trusted: tuple[str, ...], verify: str | bool,
                 timeout: float) -> None:
        super().__init__()
        self.trust_env = False
        self.verify = verify
        checked = _CheckedAdapter()
        self.mount('https://', checked)
        self.mount('http://', checked)
        for base in trusted:
            self.mount(base + '/', adapters.HTTPAdapter())
        self.request = functools.partial(
            self.request, timeout=timeout, allow_redirects=False)
