# SPDX-License-Identifier: Apache-2.0
"""A virtual function of a network card, moved into the sandbox."""

import pathlib
import re

import pyroute2

from zun.cni.binding import base
from zun.cni.binding import links
from zun.common import exception
from zun.common.i18n import _

_DEVICES = pathlib.Path('/sys/bus/pci/devices')
_HOST_NAMESPACE = '/proc/self/ns/net'
_FUNCTION = re.compile(r'virtfn(\d+)\Z')
_NO_MAC = '00:00:00:00:00:00'


class HostDeviceDriver(base.BaseBindingDriver):
    """The whole device belongs to the container while it runs.

    The kernel gives it back to the node with the end of the namespace.
    """

    def connect(self, plug, netns):
        vif, slot = plug.vif, _slot(plug)
        device = device_of(slot)
        if device is None:
            raise exception.Invalid(_(
                'PCI device %(slot)s of port %(port)s has no network device '
                'on this node') % {'slot': slot, 'port': vif.id})
        _set_function(slot, vif.mac, int(vif.details.get('vlan') or 0))
        links.move(device, netns, plug.name, vif.mac, vif.mtu)
        links.inside(netns, lambda: links.configure(plug.name, vif))

    def disconnect(self, plug, netns):
        slot = _slot(plug)
        if device_of(slot) is None and netns is not None:
            with open(_HOST_NAMESPACE, 'rb') as host:
                name = 'p' + re.sub(r'\W', '', slot)
                links.inside(netns, lambda: links.move(
                    plug.name, host.fileno(), name, None, None))
        _set_function(slot, _NO_MAC, 0)

    def is_left(self, plug):
        # Back on the node it serves nobody.
        return device_of(_slot(plug)) is None

    def is_plugged(self, plug):
        return self.is_left(plug)


def _slot(plug):
    return plug.osvif.dev_address


def device_of(slot: str) -> str | None:
    """The node's network device of a PCI address, None while it is away."""
    found = sorted((_DEVICES / slot / 'net').glob('*'))
    return found[0].name if found else None


def parent_of(slot: str) -> tuple[str, int] | None:
    """The physical function's device and the number of the virtual one.

    None for what is no virtual function.
    """
    parent = _DEVICES / slot / 'physfn'
    devices = sorted((parent / 'net').glob('*'))
    for link in sorted(parent.glob('virtfn*')):
        if link.resolve().name == slot and devices:
            return devices[0].name, int(_FUNCTION.match(link.name).group(1))
    return None


def _set_function(slot, mac, vlan):
    """What the card lets this function send: its MAC and VLAN alone."""
    found = parent_of(slot)
    if found is None:
        return
    device, number = found
    with pyroute2.IPRoute() as route:
        route.link('set', index=links.index_of(device),
                   vf={'vf': number, 'mac': mac, 'vlan': vlan})
