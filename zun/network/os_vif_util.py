# SPDX-License-Identifier: Apache-2.0
"""From a VIF, as a Pod's annotation has it, to os-vif's objects.

One translator a ``binding:vif_type``, found by stevedore in the namespace
``zun.vif_translators``; the class of what it returns names the driver in
``zun.cni.binding`` that plugs it. What a VIF is, says
:mod:`zun.network.cni_network`.
"""

import functools

from os_vif.objects import fixed_ip as osv_fixed_ip
from os_vif.objects import instance_info
from os_vif.objects import network as osv_network
from os_vif.objects import route as osv_route
from os_vif.objects import subnet as osv_subnet
from os_vif.objects import vif as osv_vif
import stevedore
import stevedore.exception

from zun.common import exception
from zun.common.i18n import _
import zun.conf

CONF = zun.conf.CONF

# The longest name of a network device that Neutron's agents expect.
_NAME_LENGTH = 14


def neutron_to_osvif_vif(vif: dict) -> osv_vif.VIFBase:
    """The os-vif object for a port.

    :raises Invalid: no translator knows its ``vif_type``.
    """
    return _translator(vif['vif_type'])(vif)


@functools.cache
def _translator(vif_type):
    try:
        return stevedore.DriverManager(
            'zun.vif_translators', vif_type).driver
    except stevedore.exception.NoMatches:
        raise exception.Invalid(_(
            'Ports of the vif_type %s cannot be plugged into a container')
            % vif_type)


def osvif_instance(uuid: str, name: str | None = None
                   ) -> instance_info.InstanceInfo:
    """Whom a port is plugged for."""
    return instance_info.InstanceInfo(uuid=uuid, name=name or uuid)


def neutron_to_osvif_vif_ovs(vif: dict) -> osv_vif.VIFBase:
    """A port of Open vSwitch: of ML2/OVS, native or hybrid, or of OVN."""
    if vif['vif_details'].get('ovs_hybrid_plug'):
        return _hybrid(vif)
    return osv_vif.VIFOpenVSwitch(
        **_common(vif), plugin='ovs', bridge_name=_ovs_bridge(vif),
        vif_name=device_name('tap', vif['id']),
        port_profile=_ovs_profile(vif),
        network=_network(vif, _ovs_bridge(vif)))


def neutron_to_osvif_vif_bridge(vif: dict) -> osv_vif.VIFBridge:
    """A port on a Linux bridge."""
    bridge = vif['vif_details'].get('bridge_name') or device_name(
        'brq', vif['network'])
    return osv_vif.VIFBridge(
        **_common(vif), plugin='linux_bridge', bridge_name=bridge,
        vif_name=device_name('tap', vif['id']),
        network=_network(vif, bridge))


def neutron_to_osvif_vif_device(vif: dict) -> osv_vif.VIFHostDevice:
    """A virtual function of a network card, for the container alone.

    :raises Invalid: the port does not say which.
    """
    slot = vif['profile'].get('pci_slot')
    if not slot:
        raise exception.Invalid(_(
            'Port %s is for a PCI device and has no pci_slot in its '
            'binding:profile') % vif['id'])
    return osv_vif.VIFHostDevice(
        **_common(vif), plugin='noop', dev_type='ethernet',
        dev_address=slot, network=_network(vif, None))


def device_name(prefix: str, resource_id: str) -> str:
    """Name of a network device of a port or network."""
    return (prefix + resource_id)[:_NAME_LENGTH]


def _hybrid(vif):
    """A Linux bridge of the port's own stands between, for iptables."""
    return osv_vif.VIFBridge(
        **_common(vif), plugin='ovs',
        bridge_name=device_name('qbr', vif['id']),
        vif_name=device_name('tap', vif['id']),
        port_profile=_ovs_profile(vif),
        network=_network(vif, _ovs_bridge(vif)))


def _common(vif):
    return {'id': vif['id'], 'address': vif['mac'], 'active': True,
            'has_traffic_filtering': bool(
                vif['vif_details'].get('port_filter')),
            'preserve_on_delete': True}


def _ovs_bridge(vif):
    # The parent of a trunk has a bridge of its own.
    return vif['vif_details'].get('bridge_name') or CONF.neutron.ovs_bridge


def _ovs_profile(vif):
    # create_port: a container has no libvirt that would make it.
    return osv_vif.VIFPortProfileOpenVSwitch(
        interface_id=vif['id'], create_port=True,
        datapath_type=vif['vif_details'].get('datapath_type') or 'system')


def _network(vif, bridge):
    made = osv_network.Network(
        id=vif['network'], subnets=osv_subnet.SubnetList(
            objects=list(_subnets(vif).values())))
    if bridge:
        made.bridge = bridge
    if vif['mtu']:
        made.mtu = vif['mtu']
    return made


def _subnets(vif):
    """Each subnet once, with the port's addresses in it."""
    found = {}
    for ip in vif['ips']:
        if ip['subnet'] not in found:
            found[ip['subnet']] = _subnet(ip)
        found[ip['subnet']].ips.objects.append(
            osv_fixed_ip.FixedIP(address=ip['address']))
    return found


def _subnet(ip):
    made = osv_subnet.Subnet(
        cidr=ip['cidr'], dns=list(ip.get('nameservers') or ()),
        ips=osv_fixed_ip.FixedIPList(objects=[]),
        routes=osv_route.RouteList(objects=[
            osv_route.Route(cidr=route['destination'],
                            gateway=route['nexthop'])
            for route in ip.get('routes') or ()]))
    if ip.get('gateway'):
        made.gateway = ip['gateway']
    return made
