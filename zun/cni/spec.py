# SPDX-License-Identifier: Apache-2.0
"""Requests, results and errors of the Container Network Interface.

https://github.com/containernetworking/cni/blob/spec-v1.1.0/SPEC.md
"""

import dataclasses
import typing

from zun.cni import vifs
from zun.common.i18n import _

# Codes of the specification.
UNKNOWN_CONTAINER = 3
INVALID_ENVIRONMENT = 4
DECODE_FAILURE = 6
INVALID_CONFIGURATION = 7
TRY_AGAIN = 11
NOT_AVAILABLE = 50
# Codes from 100 on are the plug-in's own.
NOT_PLUGGED = 100
INTERNAL = 999

VALID_ATTACHMENTS = 'cni.dev/valid-attachments'

_INTERFACE_MTU = ('1.1.0',)
_VERSIONED_ADDRESSES = ('0.4.0',)


class CNIError(Exception):
    """What the runtime is told instead of a result.

    :ivar code: of the specification.
    """

    def __init__(self, code: int, message: str):
        super().__init__(message)
        self.code = code

    def document(self) -> dict:
        return {'code': self.code, 'msg': str(self)}


@dataclasses.dataclass(frozen=True)
class PodKey:
    """The Pod that a sandbox is of; a name may be used again at once."""

    namespace: str
    name: str
    uid: str = ''


@dataclasses.dataclass(frozen=True)
class Request:
    """One call of the plug-in.

    :ivar netns: the sandbox's network namespace as an open file, for ADD
        and CHECK.
    """

    command: str
    configuration: dict
    environment: dict
    netns: int | None = None

    @classmethod
    def parse(cls, document: typing.Any, netns: int | None) -> 'Request':
        """:raises CNIError: it is not of the form that zun-cni sends."""
        try:
            request = cls(str(document['command']),
                          dict(document['configuration']),
                          dict(document['environment']), netns)
        except (KeyError, TypeError, ValueError) as error:
            raise CNIError(DECODE_FAILURE,
                           _('The request cannot be read: %r') % error)
        if request.command in ('ADD', 'CHECK') and netns is None:
            raise CNIError(DECODE_FAILURE,
                           _('The request has no network namespace'))
        return request

    @property
    def sandbox(self) -> str:
        """:raises CNIError: it is no plain word."""
        found = self.environment.get('CNI_CONTAINERID', '')
        if not found.replace('-', '').replace('_', '').replace(
                '.', '').isalnum() or found.startswith('.'):
            raise CNIError(INVALID_ENVIRONMENT, _(
                'CNI_CONTAINERID %r cannot be') % found)
        return found

    @property
    def netns_path(self) -> str:
        return self.environment.get('CNI_NETNS', '')

    @property
    def interface(self) -> str:
        return self.environment.get('CNI_IFNAME') or 'eth0'

    @property
    def network(self) -> str:
        """Name of the CNI network."""
        return str(self.configuration.get('name') or '')

    @property
    def version(self) -> str:
        return self.configuration.get('cniVersion') or '1.0.0'

    @property
    def pod(self) -> PodKey:
        """:raises CNIError: the runtime names no Pod."""
        pairs = (pair.partition('=') for pair in self.environment.get(
            'CNI_ARGS', '').split(';'))
        found = {key: value for key, __, value in pairs}
        if not (found.get('K8S_POD_NAMESPACE') and
                found.get('K8S_POD_NAME')):
            raise CNIError(INVALID_ENVIRONMENT, _(
                'CNI_ARGS names no Pod: K8S_POD_NAMESPACE and K8S_POD_NAME '
                'are needed'))
        return PodKey(found['K8S_POD_NAMESPACE'], found['K8S_POD_NAME'],
                      found.get('K8S_POD_UID', ''))

    @property
    def valid_sandboxes(self) -> set[str]:
        """What a GC is to keep.

        :raises CNIError: the runtime does not say.
        """
        found = self.configuration.get(VALID_ATTACHMENTS)
        if not isinstance(found, list):
            raise CNIError(INVALID_CONFIGURATION, _(
                'GC needs a list %s') % VALID_ATTACHMENTS)
        return {str(item.get('containerID')) for item in found}


def result(version: str, netns_path: str,
           interfaces: dict[str, vifs.VIF]) -> dict:
    """The result of an ADD.

    :param interfaces: by name inside the sandbox, in their order. The first
        one leads to the rest of the world.
    """
    made = {'cniVersion': version, 'interfaces': [], 'ips': [],
            'routes': [], 'dns': {}}
    servers: list[str] = []
    for number, (name, vif) in enumerate(interfaces.items()):
        inner = {'name': name, 'mac': vif.mac, 'sandbox': netns_path}
        if version in _INTERFACE_MTU and vif.mtu:
            inner['mtu'] = vif.mtu
        if not vif.is_device:
            made['interfaces'].append({'name': vif.device})
        made['interfaces'].append(inner)
        made['ips'] += [_address(version, ip, len(made['interfaces']) - 1)
                        for ip in vif.ips]
        made['routes'] += [
            {'dst': route.destination, 'gw': route.gateway}
            for route in vif.routes(first=number == 0)]
        servers += vif.nameservers
    if servers:
        made['dns'] = {'nameservers': list(dict.fromkeys(servers))}
    return made


def _address(version, ip, interface):
    found = {'address': ip.with_prefix, 'interface': interface}
    if ip.gateway:
        found['gateway'] = ip.gateway
    if version in _VERSIONED_ADDRESSES:
        found['version'] = str(ip.version)
    return found
