# SPDX-License-Identifier: Apache-2.0
"""What Neutron is told of the PCI device behind a port."""

from zun.common import exception
from zun.common.i18n import _
from zun import objects
from zun.pci import whitelist

# Keys of ``binding:profile`` that are Zun's, not the user's.
KEYS = ('pci_slot', 'pci_vendor_info')
_PHYSICAL_NETWORK = 'physical_network'


def claimed(context, container_uuid: str, request_id: str) -> dict:
    """``binding:profile`` for the device that a request has claimed.

    :raises Invalid: none was.
    """
    for device in objects.PciDevice.list_by_container_uuid(
            context.elevated(), container_uuid):
        if device.request_id == request_id:
            return _profile(device)
    raise exception.Invalid(_(
        'Container %(container)s has no PCI device for request %(request)s')
        % {'container': container_uuid, 'request': request_id})


def _profile(device):
    found = {'pci_vendor_info': '%s:%s' % (device.vendor_id,
                                           device.product_id),
             'pci_slot': device.address}
    spec = whitelist.Whitelist().get_devspec(device)
    network = spec.get_tags().get(_PHYSICAL_NETWORK) if spec else None
    if network:
        found[_PHYSICAL_NETWORK] = network
    return found


def kept(profile: dict | None) -> dict:
    """The part of a port's profile that says which device it has."""
    return {key: (profile or {})[key]
            for key in (*KEYS, _PHYSICAL_NETWORK) if key in (profile or {})
            } if (profile or {}).get('pci_slot') else {}


def without(profile: dict | None) -> dict:
    """The user's part of a port's profile."""
    return {key: value for key, value in (profile or {}).items()
            if key not in KEYS}
