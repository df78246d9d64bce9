# SPDX-License-Identifier: Apache-2.0
"""Which PCI device a Neutron port needs."""

NET_TAG = 'physical_network'
DEVICE_TYPE_TAG = 'dev_type'

VNIC_PHYSICAL = 'direct-physical'
# Kinds of interface that need a PCI device of the host.
PCI_VNIC_TYPES = ('direct', 'macvtap', VNIC_PHYSICAL, 'virtio-forwarder')


def spec_of(vnic_type: str, physical_network: str | None) -> dict:
    """The properties of the device for an interface of this kind (one of
    PCI_VNIC_TYPES) on this provider network.
    """
    spec = {NET_TAG: physical_network}
    if vnic_type == VNIC_PHYSICAL:
        spec[DEVICE_TYPE_TAG] = 'PF'
    return spec
