# SPDX-License-Identifier: Apache-2.0
"""Network devices of the node and of sandboxes, through rtnetlink.

A network namespace is an open file here: whoever has it needs no path. The
calling thread never changes its own namespace, see :func:`inside`.
"""

from collections.abc import Callable
import concurrent.futures
import ctypes
import errno
import fcntl
import ipaddress
import os
import pathlib
import socket
import struct
import threading
import typing

import pyroute2
from pyroute2.netlink import exceptions as netlink

_T = typing.TypeVar('_T')

_CLONE_NEWNET = 0x40000000
_LOOPBACK = 'lo'
_NODAD = 0x02
_ON_LINK = 4
_IFF_UP = 1
_SIOCGIFFLAGS = 0x8913
_SIOCSIFFLAGS = 0x8914
_SIOCETHTOOL = 0x8946
_ETHTOOL_STXCSUM = 0x17
_FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
_SYSCTL = pathlib.Path('/proc/sys/net')
_DEVICES = pathlib.Path('/sys/class/net')

# An address of a sandbox's interface is in use at once: Neutron gave it to
# nobody else. What routers announce is Neutron's to say, too.
_INNER_SYSCTLS = (('disable_ipv6', 0), ('accept_ra', 0), ('autoconf', 0))

_libc = ctypes.CDLL(None, use_errno=True)


def begin_inside(netns: int, function: Callable[[], _T]
                 ) -> concurrent.futures.Future:
    """Call a function in a network namespace, from a thread of its own.

    A thread that is thrown away can't come back into the wrong namespace.
    """
    future: concurrent.futures.Future = concurrent.futures.Future()

    def enter():
        try:
            if _libc.setns(netns, _CLONE_NEWNET):
                number = ctypes.get_errno()
                raise OSError(number, os.strerror(number))
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=enter, name='netns').start()
    return future


def inside(netns: int, function: Callable[[], _T]) -> _T:
    """As :func:`begin_inside`, and wait for its result."""
    return begin_inside(netns, function).result()


def exists(device: str) -> bool:
    """Whether the node has a device of this name."""
    return (_DEVICES / device).exists()


def make_veth(device: str, netns: int, name: str, mac: str,
              mtu: int | None) -> None:
    """Make a pair: ``device`` here, ``name`` in the sandbox.

    One request does it, so that there is never a half of it, and never a
    device of the inner name outside.
    """
    inner = {'ifname': name, 'address': mac, 'net_ns_fd': netns}
    outer = {'ifname': device, 'kind': 'veth', 'peer': inner}
    if mtu:
        inner['mtu'] = outer['mtu'] = mtu
    with pyroute2.IPRoute() as route:
        route.link('add', **outer)
    # The node itself is not on the port's network.
    _sysctl('ipv6/conf/%s/disable_ipv6' % device, 1)
    set_up(device)


def delete(device: str) -> bool:
    """Remove a device and so its peer; whether it was there."""
    if not exists(device):
        return False
    with pyroute2.IPRoute() as route:
        try:
            route.link('del', index=index_of(device))
        except netlink.NetlinkError as error:
            if error.code != errno.ENODEV:
                raise
            return False
    return True


def set_up(device: str) -> None:
    """Let packets in and out of a device of this thread's namespace."""
    with _any_socket() as control:
        request = struct.pack('16sH22x', device.encode(), 0)
        flags, = struct.unpack_from('H', fcntl.ioctl(
            control, _SIOCGIFFLAGS, request), 16)
        if not flags & _IFF_UP:
            fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack(
                '16sH22x', device.encode(), flags | _IFF_UP))


def move(device: str, netns: int, name: str, mac: str | None,
         mtu: int | None) -> None:
    """Move a device into another network namespace, under a name there."""
    changes = {key: value for key, value in (
        ('address', mac), ('mtu', mtu)) if value}
    with pyroute2.IPRoute() as route:
        index = index_of(device)
        route.link('set', index=index, state='down')
        if changes:
            route.link('set', index=index, **changes)
        # One request, so that the name of neither side is in the way.
        route.link('set', index=index, net_ns_fd=netns, ifname=name)


def join_bridge(device: str, bridge: str, make: bool = False) -> None:
    """Put a device on a Linux bridge.

    :param make: the bridge may have to be made.
    """
    with pyroute2.IPRoute() as route:
        if make and not exists(bridge):
            route.link('add', kind='bridge', ifname=bridge)
            set_up(bridge)
        route.link('set', index=index_of(device), master=index_of(bridge))


def leave_no_checksum(name: str) -> None:
    """Have checksums computed before packets leave this interface.

    The userspace datapath of Open vSwitch gets packets of a veth without
    them, and its connection tracking drops what has a wrong one.
    """
    with _any_socket() as control:
        value = ctypes.create_string_buffer(
            struct.pack('II', _ETHTOOL_STXCSUM, 0))
        fcntl.ioctl(control, _SIOCETHTOOL, struct.pack(
            '16sP', name.encode(), ctypes.addressof(value)))


def configure(name: str, vif) -> None:
    """Give the interface of this name the addresses of a VIF.

    Call it inside the sandbox's namespace.
    """
    for key, value in _INNER_SYSCTLS:
        _sysctl('ipv6/conf/%s/%s' % (name, key), value)
    set_up(_LOOPBACK)
    set_up(name)
    index = index_of(name)
    with pyroute2.IPRoute() as route:
        for ip in vif.ips:
            route.addr('replace', **_address(index, ip))


def set_routes(name: str, routes) -> None:
    """Add routes through an interface; call it inside the namespace.

    :param routes: of :meth:`zun.cni.vifs.VIF.routes`.
    """
    index = index_of(name)
    with pyroute2.IPRoute() as route:
        for item in routes:
            destination = ipaddress.ip_network(item.destination)
            route.route(
                'replace', family=_FAMILIES[destination.version],
                dst=item.destination, gateway=item.gateway, oif=index,
                flags=_ON_LINK if item.on_link else 0)


def addresses() -> dict[str, tuple[str, set[str]]]:
    """By name of an interface: its MAC and addresses.

    Call it inside the sandbox's namespace.
    """
    with pyroute2.IPRoute() as route:
        names = {link['index']: (link.get_attr('IFLA_IFNAME'),
                                 link.get_attr('IFLA_ADDRESS'))
                 for link in route.get_links()}
        found = {name: (mac, set()) for name, mac in names.values()}
        for item in route.get_addr():
            name = names[item['index']][0]
            found[name][1].add(item.get_attr('IFA_ADDRESS'))
    return found


def _address(index, ip):
    found = {'index': index, 'address': ip.address, 'prefixlen': ip.prefix}
    network = ipaddress.ip_network(ip.cidr)
    if ip.version == 6:
        found['flags'] = _NODAD
    elif network.prefixlen < 31:
        found['broadcast'] = str(network.broadcast_address)
    return found


def index_of(name: str) -> int:
    """Index of a device of this thread's namespace.

    :raises OSError: there is none of this name.
    """
    try:
        return socket.if_nametoindex(name)
    except OSError as error:
        raise OSError(error.errno, 'There is no device %s' % name)


def _any_socket():
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def _sysctl(path, value):
    try:
        (_SYSCTL / path).write_text(str(value))
    except FileNotFoundError:
        # A kernel without IPv6 has none of these.
        if (_SYSCTL / 'ipv6').exists():
            raise
