# SPDX-License-Identifier: Apache-2.0
"""Neutron ports for containers whose node plugs them through CNI.

Every port is bound to the container's host: nobody binds it later. What
the node has to know of a port goes with the Pod as a *VIF*::

    {"id": port, "network": network, "mac": ..., "mtu": ...,
     "vif_type": ..., "vif_details": {...}, "vnic_type": ...,
     "profile": {...},
     "ips": [{"address": ..., "cidr": ..., "gateway": ..., "version": 4,
              "subnet": ..., "routes": [{"destination", "nexthop"}],
              "nameservers": [...]}]}
"""

import ipaddress

from oslo_log import log as logging

from zun.common import clients
from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.network import driver
from zun.network import neutron
from zun.network import pci_profile
from zun.pci import request as pci_request

LOG = logging.getLogger(__name__)

_UNBOUND = {'device_id': '', 'device_owner': '', consts.BINDING_HOST_ID: None}
_CHANGED_MEANWHILE = 412


class ZunCNI(driver.NetworkDriver):
    """The driver ``cni``."""

    def __init__(self, context, again: bool = False, last: bool = True):
        super().__init__(context, again, last)
        self.neutron = neutron.NeutronAPI(context)

    def plug(self, container, host: str,
             requested_networks: list[dict]) -> driver.Plugged:
        groups = self._group_ids(container.security_groups)
        wanted = _in_order(requested_networks)
        networks, subnets = self._describe(
            requested['network'] for requested in wanted)
        ports, addresses = [], {}
        for requested in wanted:
            port = self._take_port(container, host, requested, groups)
            addresses[requested['network']] = _addresses(
                port, requested['preserve_on_delete'])
            ports.append(port)
        return _plugged(ports, addresses, networks, subnets)

    def attach(self, container, host: str,
               requested_network: dict) -> driver.Plugged:
        network = requested_network['network']
        self._group_ids(container.security_groups)
        if network in (container.addresses or {}):
            raise exception.ZunException(_(
                'Container %(container)s has already connected to the '
                'network %(network)s.')
                % {'container': container.uuid, 'network': network})
        return self.plug(container, host, [requested_network])

    def unplug(self, container, addresses: dict[str, list[dict]]) -> None:
        for port_id, preserve in _ports_of(addresses):
            if preserve:
                self._give_back(port_id)
            else:
                self._delete_port(port_id)

    def left_over(self, container, requested_networks: list[dict]
                  ) -> dict[str, list[dict]]:
        given = {requested.get('port') for requested in requested_networks}
        return {port['network_id']: _addresses(port, port['id'] in given) or [
            {'port': port['id'], 'preserve_on_delete': port['id'] in given}]
            for port in self.neutron.query('ports', admin=True,
                                           device_id=container.uuid)}

    def rebind(self, container, host: str,
               addresses: dict[str, list[dict]]) -> driver.Plugged:
        requested = []
        for network, entries in addresses.items():
            port = self.neutron.get_neutron_port(entries[0]['port'])
            self.neutron.get_neutron_network(network)
            requested.append({
                'network': network, 'port': entries[0]['port'],
                'fixed_ip': '', 'device': self._device_of(port),
                'preserve_on_delete': entries[0]['preserve_on_delete']})
        for port_id, __ in _ports_of(addresses):
            self._give_back(port_id)
        return self.plug(container, host, requested)

    def _device_of(self, port):
        """The PCI device that a port has."""
        return pci_profile.kept(self._profile_of(port))

    def _profile_of(self, port):
        """A port's profile; the owner of a device's port has no sight of
        it.
        """
        if port.get('binding:vnic_type') in pci_request.PCI_VNIC_TYPES:
            port = self.neutron.show('ports', port['id'], admin=True)
        return port.get(consts.BINDING_PROFILE)

    def describe(self, addresses: dict[str, list[dict]]) -> driver.Plugged:
        ports = [self.neutron.show('ports', port_id, admin=True)
                 for port_id, __ in _ports_of(addresses)]
        return _plugged(ports, addresses, *self._describe(
            port['network_id'] for port in ports))

    # -- ports -----------------------------------------------------------
    def _take_port(self, container, host, requested, groups):
        if requested.get('port'):
            port = self._take_users_port(container, host, requested['port'])
        else:
            port = self._left_port(container, requested) or \
                self._make_port(container, host, requested, groups)
        port = self._give_device(container, requested, port)
        if port.get('binding:vif_type') == 'binding_failed':
            raise exception.PortBindingFailed(port=port['id'])
        return port

    def _give_device(self, container, requested, port):
        """Tell Neutron which PCI device a port is for, if any."""
        device = requested.get('device')
        if requested.get('pci_request_id'):
            device = pci_profile.claimed(self.context, container.uuid,
                                         requested['pci_request_id'])
        if not device:
            return port
        profile = {**(port.get(consts.BINDING_PROFILE) or {}), **device}
        return self.neutron.update(
            'ports', port['id'], {consts.BINDING_PROFILE: profile},
            admin=True)

    def _take_users_port(self, container, host, port_id):
        """Bind a port that nobody else has taken since the request."""
        found = self.neutron.show('ports', port_id, admin=True)
        if found.get('device_id') not in ('', None, container.uuid):
            raise exception.PortInUse(port=port_id)
        try:
            return self.neutron.update(
                'ports', port_id, _binding(container, host), admin=True,
                if_revision=found.get('revision_number'))
        except clients.PeerRefused as exc:
            if exc.status == _CHANGED_MEANWHILE:
                raise exception.PortInUse(port=port_id)
            raise

    def _left_port(self, container, requested):
        """The port that an earlier attempt has made."""
        if not self.again:
            return None
        found = self.neutron.query(
            'ports', admin=True, device_id=container.uuid,
            network_id=requested['network'])
        return found[0] if found else None

    def _make_port(self, container, host, requested, groups):
        attributes = {'network_id': requested['network'],
                      'tenant_id': container.project_id,
                      **_binding(container, host)}
        if requested.get('fixed_ip'):
            attributes['fixed_ips'] = [
                {'ip_address': requested['fixed_ip']}]
        if groups:
            attributes['security_groups'] = groups
        return self.neutron.create('ports', attributes, admin=True)

    def _delete_port(self, port_id):
        try:
            self.neutron.delete('ports', port_id, admin=True)
        except clients.PeerRefused as exc:
            if exc.status != 404:
                raise
            LOG.debug('Port %s was gone', port_id)

    def _give_back(self, port_id):
        """Leave a user's port as it was before; it is never deleted."""
        profile = {}
        try:
            found = self.neutron.query('ports', id=port_id)
            profile = pci_profile.without(
                self._profile_of(found[0]) if found else None)
        except clients.PeerError as exc:
            LOG.warning('Port %(port)s cannot be read: %(error)s',
                        {'port': port_id, 'error': exc})
        try:
            self.neutron.update(
                'ports', port_id,
                {**_UNBOUND, consts.BINDING_PROFILE: profile}, admin=True)
        except clients.PeerError as exc:
            if isinstance(exc, clients.PeerUnavailable) and not self.last:
                raise
            LOG.warning('Port %(port)s was not given back: %(error)s',
                        {'port': port_id, 'error': exc})

    def _describe(self, network_ids):
        """Networks and their subnets, both by id.

        :raises NetworkNotFound: there is no such network.
        :raises Invalid: a network has no subnet, so no addresses to give.
        """
        networks, subnets = {}, {}
        for network in dict.fromkeys(network_ids):
            networks[network] = self._network(network)
            found = self.neutron.query('subnets', admin=True,
                                       network_id=network)
            if not found:
                raise exception.Invalid(
                    _('The Neutron network %s has no subnet') % network)
            subnets.update((subnet['id'], subnet) for subnet in found)
        return networks, subnets

    def _network(self, network):
        try:
            return self.neutron.show('networks', network, admin=True)
        except clients.PeerRefused as exc:
            if exc.status == 404:
                raise exception.NetworkNotFound(network=network)
            raise

    # -- security groups -------------------------------------------------
    def _group_ids(self, names) -> list[str]:
        """Ids of the groups of the project with these ids or names."""
        if not names:
            return []
        found = self.neutron.query('security-groups',
                                   tenant_id=self.context.project_id)
        ids = [group['id'] for group in found
               if group['id'] in names or group['name'] in names]
        known = {group['id'] for group in found} | {
            group['name'] for group in found}
        if not known.issuperset(names):
            raise exception.ZunException(_(
                'Any of the security group in %s is not found ')
                % list(names))
        return ids

    def open_ports(self, container) -> str:
        name = _group_name(container)
        if self.again:
            for group in self._groups_named(name):
                self.neutron.delete('security-groups', group['id'])
        attributes = {'name': name}
        if not self.context.auth_token:
            attributes['tenant_id'] = container.project_id
        group = self.neutron.create('security-groups', attributes)
        for text in sorted(container.exposed_ports):
            self._open_port(container, group['id'], text)
        return group['id']

    def _open_port(self, container, group, text):
        port, __, protocol = text.partition('/')
        rule = {'direction': 'ingress', 'protocol': protocol or 'tcp',
                'port_range_min': port, 'port_range_max': port,
                'remote_ip_prefix': '0.0.0.0/0',
                'security_group_id': group}
        try:
            self.neutron.create('security-group-rules', rule)
        except clients.PeerError as exc:
            self._delete_group(group)
            if isinstance(exc, clients.PeerUnavailable):
                raise
            raise exception.ZunException(_(
                'Could not create required security group rules %s for '
                'setting up exported port.') % rule)

    def close_ports(self, container) -> None:
        group = self._own_group(container)
        if group is not None:
            self._delete_group(group)

    def _own_group(self, container):
        """The group that was made for the exposed ports: the last one."""
        groups = container.security_groups or []
        if len(groups) == 1 and not self.again:
            return groups[0]
        named = [group['id'] for group in self._groups_named(
            _group_name(container))]
        if named:
            return named[0]
        return groups[-1] if groups else None

    def _groups_named(self, name):
        return self.neutron.query('security-groups', name=name)

    def _delete_group(self, group):
        try:
            self.neutron.delete('security-groups', group)
        except clients.PeerRefused as exc:
            LOG.warning('Security group %(group)s of the exposed ports '
                        'was not deleted: %(error)s',
                        {'group': group, 'error': exc})

    def add_security_group(self, container, group: str) -> None:
        for port in self._own_ports(container):
            groups = list(port.get('security_groups') or [])
            if self.again and group in groups:
                continue
            self._set_groups(port, groups + [group], 'add')

    def remove_security_group(self, container, group: str) -> None:
        for port in self._own_ports(container):
            groups = list(port.get('security_groups') or [])
            if group in groups:
                groups.remove(group)
            elif self.again:
                continue
            self._set_groups(port, groups, 'remove')

    def _own_ports(self, container):
        own = {port_id for port_id, __ in _ports_of(container.addresses)}
        return [port for port in self.neutron.query(
            'ports', tenant_id=self.context.project_id)
            if port['id'] in own]

    def _set_groups(self, port, groups, verb):
        try:
            self.neutron.update('ports', port['id'],
                                {'security_groups': groups}, admin=True)
        except clients.PeerRefused as exc:
            LOG.warning('Groups of port %(port)s were not changed: '
                        '%(error)s', {'port': port['id'], 'error': exc})
            if verb == 'add':
                raise exception.SecurityGroupCannotBeApplied(str(exc))
            raise exception.SecurityGroupCannotBeRemoved(str(exc))


def _plugged(ports, addresses, networks, subnets):
    return driver.Plugged(
        addresses,
        [vif_of(port, networks[port['network_id']], subnets)
         for port in ports],
        nameservers_of(ports, subnets))


def _in_order(requested_networks):
    """The last network first, then the others; each network once.

    The last one has always become a container's first interface.
    """
    ordered = requested_networks[-1:] + requested_networks[:-1]
    return list({requested['network']: requested
                 for requested in reversed(ordered)}.values())[::-1]


def _binding(container, host):
    return {'device_id': container.uuid,
            'device_owner': consts.DEVICE_OWNER_ZUN,
            consts.BINDING_HOST_ID: host}


def _ports_of(addresses):
    """Pairs of port id and whether it is the user's, each once."""
    return list({entry['port']: entry['preserve_on_delete']
                 for entries in (addresses or {}).values()
                 for entry in entries}.items())


def _addresses(port, preserve):
    return [{'addr': ip['ip_address'],
             'version': ipaddress.ip_address(ip['ip_address']).version,
             'port': port['id'], 'subnet_id': ip['subnet_id'],
             'preserve_on_delete': preserve}
            for ip in port.get('fixed_ips') or ()]


def _group_name(container):
    return consts.NAME_PREFIX + container.uuid


def vif_of(port: dict, network: dict, subnets: dict[str, dict]) -> dict:
    """What the node has to know of a port.

    :param subnets: by id.
    """
    return {
        'id': port['id'], 'network': port['network_id'],
        'mac': port.get('mac_address'), 'mtu': network.get('mtu'),
        'vif_type': port.get('binding:vif_type'),
        'vif_details': port.get('binding:vif_details') or {},
        'vnic_type': port.get('binding:vnic_type'),
        'profile': port.get(consts.BINDING_PROFILE) or {},
        'ips': [_vif_ip(ip, subnets.get(ip['subnet_id']) or {})
                for ip in port.get('fixed_ips') or ()],
    }


def _vif_ip(ip, subnet):
    return {
        'address': ip['ip_address'],
        'version': ipaddress.ip_address(ip['ip_address']).version,
        'subnet': ip['subnet_id'], 'cidr': subnet.get('cidr'),
        'gateway': subnet.get('gateway_ip'),
        'routes': subnet.get('host_routes') or [],
        'nameservers': subnet.get('dns_nameservers') or [],
    }


def nameservers_of(ports, subnets: dict[str, dict]) -> list[str]:
    """Name servers of the subnets that ports have addresses in."""
    return list(dict.fromkeys(
        server for port in ports for ip in port.get('fixed_ips') or ()
        for server in (subnets.get(ip['subnet_id']) or {}).get(
            'dns_nameservers') or ()))
