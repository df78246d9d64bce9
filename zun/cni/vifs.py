# SPDX-License-Identifier: Apache-2.0
"""Neutron ports as the node sees them: the annotation of a Pod, read.

:mod:`zun.network.cni_network` writes it. Nothing here does any input or
output, and nothing that it returns was not checked.
"""

import dataclasses
import ipaddress
import json
import re
import typing

from zun.common.i18n import _

DEVICE_LENGTH = 15
_DEVICE_TYPES = ('hw_veb', 'hostdev_physical')
_DEFAULT = {4: '0.0.0.0/0', 6: '::/0'}
_ID = re.compile(r'[0-9A-Za-z][0-9A-Za-z_.-]{0,63}\Z')
_MAC = re.compile(r'([0-9a-f]{2}:){5}[0-9a-f]{2}\Z')
# What the kernel lets an interface have.
_MTU_RANGE = range(68, 65536)


class Unusable(Exception):
    """Why an annotation does not say what to plug."""


class Route(typing.NamedTuple):
    """A route.

    :ivar destination: in CIDR notation.
    :ivar on_link: the gateway is outside of the interface's subnets.
    """

    destination: str
    gateway: str
    on_link: bool = False


@dataclasses.dataclass(frozen=True)
class IP:
    """An address of a port and its subnet.

    :ivar routes: the subnet's host routes as pairs of destination and next
        hop.
    """

    address: str
    cidr: str
    gateway: str | None = None
    routes: tuple[tuple[str, str], ...] = ()
    nameservers: tuple[str, ...] = ()

    @property
    def version(self) -> int:
        return ipaddress.ip_address(self.address).version

    @property
    def prefix(self) -> int:
        return ipaddress.ip_network(self.cidr).prefixlen

    @property
    def with_prefix(self) -> str:
        return '%s/%d' % (self.address, self.prefix)


@dataclasses.dataclass(frozen=True)
class VIF:
    """A port, to be plugged.

    :ivar document: the entry of the annotation that it was made from.
    """

    id: str
    network: str
    mac: str
    mtu: int | None
    vif_type: str
    details: dict
    ips: tuple[IP, ...]
    document: dict = dataclasses.field(repr=False)
    profile: dict = dataclasses.field(default_factory=dict)
    vnic_type: str = 'normal'

    @property
    def device(self) -> str:
        """Name of the interface on the node."""
        return ('tap' + self.id)[:DEVICE_LENGTH - 1]

    @property
    def is_device(self) -> bool:
        """Whether a device of the node itself goes into the sandbox."""
        return self.vif_type in _DEVICE_TYPES

    @property
    def nameservers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(
            server for ip in self.ips for server in ip.nameservers))

    def routes(self, first: bool) -> list[Route]:
        """Routes through this interface.

        :param first: it leads to the rest of the world. The others do so
            for their subnets' host routes alone.
        """
        found: dict[str, Route] = {}
        for ip in self.ips:
            for destination, gateway in ip.routes:
                if first or destination not in _DEFAULT.values():
                    found.setdefault(destination, Route(
                        destination, gateway, self._is_outside(gateway)))
        for ip in self.ips:
            default = _DEFAULT[ip.version]
            if first and ip.gateway:
                found.setdefault(default, Route(
                    default, ip.gateway, self._is_outside(ip.gateway)))
        return list(found.values())

    def _is_outside(self, gateway):
        address = ipaddress.ip_address(gateway)
        if address.is_link_local:
            return False
        return not any(address in ipaddress.ip_network(ip.cidr)
                       for ip in self.ips
                       if ip.version == address.version)


def read(text: str | None) -> list[VIF]:
    """The ports that an annotation names, the first interface first.

    :raises Unusable: it is not there, no JSON, or lacks what is needed.
    """
    if not text:
        raise Unusable(_('it is not there'))
    try:
        documents = json.loads(text)
    except ValueError as error:
        raise Unusable(_('it is no JSON: %s') % error)
    if not isinstance(documents, list) or not documents:
        raise Unusable(_('it is no list of ports'))
    found = [parse(document) for document in documents]
    if len({vif.id for vif in found}) < len(found):
        raise Unusable(_('it names a port twice'))
    return found


def parse(document: dict) -> VIF:
    """One port.

    :raises Unusable: something is missing or cannot be.
    """
    try:
        vif = VIF(
            id=_matching(_ID, document['id']),
            network=str(document.get('network') or ''),
            mac=_matching(_MAC, document['mac'].lower()),
            mtu=_mtu(document.get('mtu')),
            vif_type=str(document['vif_type']),
            details=dict(document.get('vif_details') or {}),
            profile=dict(document.get('profile') or {}),
            vnic_type=document.get('vnic_type') or 'normal',
            ips=tuple(_ip(item) for item in document.get('ips') or ()),
            document=document)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Unusable(_('port %(port)s: %(error)r') % {
            'port': document.get('id') if isinstance(document, dict)
            else document, 'error': error})
    return vif


def _matching(pattern, text):
    if not pattern.match(text):
        raise ValueError(text)
    return text


def _mtu(value):
    if value in (None, 0):
        return None
    if int(value) not in _MTU_RANGE:
        raise ValueError('mtu %s' % value)
    return int(value)


def _ip(item):
    address = ipaddress.ip_address(item['address'])
    cidr = ipaddress.ip_network(item['cidr'])
    if cidr.version != address.version:
        raise ValueError('%s in %s' % (address, cidr))
    gateway = item.get('gateway')
    return IP(
        str(address), str(cidr),
        str(ipaddress.ip_address(gateway)) if gateway else None,
        tuple((str(ipaddress.ip_network(route['destination'])),
               str(ipaddress.ip_address(route['nexthop'])))
              for route in item.get('routes') or ()),
        tuple(str(ipaddress.ip_address(server))
              for server in item.get('nameservers') or ()))
