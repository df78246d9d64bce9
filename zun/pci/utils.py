# SPDX-License-Identifier: Apache-2.0
"""PCI addresses, and what sysfs tells about devices."""

import glob
import os
import re

from zun.common import exception

SYSFS = '/sys/bus/pci/devices'
NET_SYSFS = '/sys/class/net'

# domain:bus:slot.function
_ADDRESS = re.compile(r'^([\da-fA-F]{4}):([\da-fA-F]{2}):([\da-fA-F]{2}).'
                      r'([0-7])$')
_VF_LINK = re.compile(r'virtfn\d+$')


def parse_address(address: str) -> tuple[str, str, str, str]:
    """Domain, bus, slot and function of a full address.

    :raises PciDeviceWrongAddressFormat: it is not one.
    """
    match = _ADDRESS.match(address)
    if match is None:
        raise exception.PciDeviceWrongAddressFormat(address=address)
    return match.groups()


def get_pci_address_fields(pci_addr: str) -> tuple[str, str, str, str]:
    """Domain, bus, slot and function, split without a check of their form.

    :raises ValueError: there are not three fields before the dot.
    """
    rest, _sep, function = pci_addr.partition('.')
    domain, bus, slot = rest.split(':')
    return domain, bus, slot, function


def pci_device_prop_match(pci_dev: dict, specs: list[dict]) -> bool:
    """Whether a device has all properties of one of the specs at least.

    A list in a spec is met by a list that holds all of its items.
    """
    return any(all(_covers(pci_dev.get(key), wanted)
                   for key, wanted in spec.items()) for spec in specs)


def _covers(have, wanted) -> bool:
    if isinstance(wanted, list) and isinstance(have, list):
        return all(item in have for item in wanted)
    return have == wanted


def get_function_by_ifname(ifname: str) -> tuple[str | None, bool]:
    """The address of a network interface's device and whether the device
    is a physical function; (None, False) when it is not a PCI device.
    """
    link = os.path.join(NET_SYSFS, ifname, 'device')
    address = os.path.basename(os.path.realpath(link))
    if not os.path.islink(link) or not _ADDRESS.match(address):
        return None, False
    return address, is_physical_function(address)


def is_physical_function(address: str) -> bool:
    """Whether the device at this address has virtual functions."""
    return any(_VF_LINK.search(path) for path in glob.glob(
        os.path.join(SYSFS, address, 'virtfn*')))
