# SPDX-License-Identifier: Apache-2.0
"""One entry of ``[pci] passthrough_whitelist``: which devices may be given
to containers, and the tags they get.

Keys: ``vendor_id``, ``product_id`` (hexadecimal), ``address`` (a glob such
as ``*:0a:00.*`` or a dict of regular expressions by field) or ``devname``;
every other key is a tag.
"""

import re
import string

from zun.common import exception
from zun.pci import utils

ANY = '*'
MAX_ID = 0xFFFF
# Field of an address: the greatest value and the number of digits.
FIELDS = {'domain': (0xFFFF, 4), 'bus': (0xFF, 2), 'slot': (0x1F, 2),
          'func': (0x7, 1)}
OWN_KEYS = ('address', 'devname', 'vendor_id', 'product_id')


def hex_value(name: str, value: str, maximum: int, digits: int) -> str:
    """A hexadecimal number in its usual form; ANY stays.

    :raises PciConfigInvalidWhitelist: not a number up to the maximum.
    """
    if value == ANY:
        return ANY
    if all(char in string.hexdigits for char in value) and value and \
            int(value, 16) <= maximum:
        return '%0*x' % (digits, int(value, 16))
    raise exception.PciConfigInvalidWhitelist(
        reason='invalid %s %s' % (name, value))


class GlobAddress:
    """An address with wildcards; fields missing at the left are any."""

    def __init__(self, address: str):
        rest, _sep, func = address.partition('.')
        parts = {'func': func.strip() or ANY}
        fields = rest.split(':')
        if len(fields) > 3:
            raise exception.PciDeviceWrongAddressFormat(address=address)
        fields = [ANY] * (3 - len(fields)) + [
            field.strip() or ANY for field in fields]
        parts.update(zip(('domain', 'bus', 'slot'), fields))
        self.parts = {name: hex_value(name, parts[name], *FIELDS[name])
                      for name in ('func', 'domain', 'bus', 'slot')}

    def full(self) -> str | None:
        """The address itself when it has no wildcard."""
        if ANY in self.parts.values():
            return None
        return '%(domain)s:%(bus)s:%(slot)s.%(func)s' % self.parts

    def match(self, address: str) -> bool:
        """Whether a full address falls under this one."""
        have = dict(zip(('domain', 'bus', 'slot', 'func'),
                        utils.get_pci_address_fields(address)))
        return all(wanted in (ANY, have[name].lower())
                   for name, wanted in self.parts.items())


class RegexAddress:
    """An address with a regular expression a field (``domain``, ``bus``,
    ``slot``, ``function``); a missing field is any.
    """

    def __init__(self, address: dict):
        try:
            self.patterns = [re.compile(address.get(name, '.*'))
                             for name in ('domain', 'bus', 'slot',
                                          'function')]
        except (re.error, TypeError) as exc:
            raise exception.PciDeviceWrongAddressFormat(
                address=address) from exc

    def full(self) -> None:
        """Never one address alone."""
        return None

    def match(self, address: str) -> bool:
        """Whether the fields of a full address match."""
        return all(pattern.match(field) for pattern, field in zip(
            self.patterns, utils.get_pci_address_fields(address)))


def parse_address_spec(address):
    """The matcher of an ``address``.

    :raises PciDeviceWrongAddressFormat, PciConfigInvalidWhitelist: it
        cannot be understood.
    """
    if isinstance(address, dict):
        return RegexAddress(address)
    if isinstance(address, str):
        return GlobAddress(address)
    raise exception.PciDeviceWrongAddressFormat(address=address)


class PciDeviceSpec:
    """A whitelist entry.

    :raises PciDeviceInvalidDeviceName: both ``address`` and ``devname``.
    :raises PciDeviceWrongAddressFormat, PciConfigInvalidWhitelist: bad
        values.
    """

    def __init__(self, dev_spec: dict):
        if 'address' in dev_spec and 'devname' in dev_spec:
            raise exception.PciDeviceInvalidDeviceName()
        self.tags = {key: value for key, value in dev_spec.items()
                     if key not in OWN_KEYS}
        self.vendor_id = self._id(dev_spec, 'vendor_id')
        self.product_id = self._id(dev_spec, 'product_id')
        self.dev_name = dev_spec.get('devname')
        # One physical function stands for its virtual functions too.
        self.physical_function: str | None = None
        self._address = self._address_of(dev_spec)

    @staticmethod
    def _id(dev_spec: dict, name: str) -> str:
        return hex_value(name, str(dev_spec.get(name, ANY)), MAX_ID, 4)

    def _address_of(self, dev_spec: dict):
        if self.dev_name:
            address, physical = utils.get_function_by_ifname(self.dev_name)
            if address is None:
                return None
            if physical:
                self.physical_function = address
            return GlobAddress(address)
        address = parse_address_spec(dev_spec.get('address', '*:*:*.*'))
        if address.full() and utils.is_physical_function(address.full()):
            self.physical_function = address.full()
        return address

    def match(self, dev: dict) -> bool:
        """Whether a device (``vendor_id``, ``product_id``, ``address``,
        ``parent_addr``) falls under this entry.
        """
        if self.vendor_id not in (ANY, dev['vendor_id']) or \
                self.product_id not in (ANY, dev['product_id']) or \
                self._address is None:
            return False
        if self.physical_function and \
                dev.get('parent_addr') == self.physical_function:
            return True
        return self._address.match(dev['address'])

    def match_pci_obj(self, pci_obj) -> bool:
        """Whether a PciDevice falls under this entry."""
        return self.match({name: getattr(pci_obj, name) for name in (
            'vendor_id', 'product_id', 'address', 'parent_addr')})

    def get_tags(self) -> dict:
        """The tags of this entry's devices."""
        return self.tags
