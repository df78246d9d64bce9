# SPDX-License-Identifier: Apache-2.0
"""Neutron as the container service uses it.

Look-ups use the caller's token; ports are written, and a provider network's
physical name is read, as the service account.
"""

import re
import typing

from oslo_log import log as logging
from oslo_utils import uuidutils

from zun.common import clients
from zun.common import exception
from zun.common.i18n import _
from zun.common import policy
from zun import objects
from zun.pci import request as pci_request

LOG = logging.getLogger(__name__)

ATTACH_EXTERNAL = 'network:attach_external_network'
# States in which a port belongs to something else or is of no use.
UNUSABLE_PORT_STATES = ('ACTIVE', 'BUILD', 'ERROR')

_BEGINS_LIKE_AN_ID = re.compile(
    '-'.join('[0-9A-Fa-f]{%d}' % length for length in (8, 4, 4, 4, 12)))


class RequestedNetwork(typing.TypedDict, total=False):
    """One network of a container as it is handed to the compute side."""
    network: str
    port: str
    fixed_ip: str
    preserve_on_delete: bool
    pci_request_id: str | None


class NeutronAPI:
    """The calls to Neutron that one context makes."""

    def __init__(self, context, openstack_clients=None):
        self.context = context
        self._clients = openstack_clients or clients.OpenStackClients(context)

    # -- plain requests ------------------------------------------------
    def _client(self, admin: bool = False) -> clients.Client:
        return self._clients.neutron(admin)

    def query(self, collection: str, admin: bool = False,
              **query) -> list[dict]:
        """Resources of a collection, e.g. ``query('subnets', network_id=x)``.

        :param collection: the plural with dashes as in the path.
        :param query: filters; a list repeats the key; ``fields`` too.
        """
        body = self._client(admin).get(
            '/v2.0/%s' % collection, params=query).json()
        return body[collection.replace('-', '_')]

    def show(self, collection: str, resource_id: str, admin: bool = False,
             **query) -> dict:
        """One resource by id.

        :raises PeerRefused: with ``status`` 404 when it is not there.
        """
        body = self._client(admin).get(
            '/v2.0/%s/%s' % (collection, resource_id), params=query).json()
        return body[_singular(collection)]

    def create(self, collection: str, attributes: dict,
               admin: bool = False) -> dict:
        """Make a resource and return it."""
        key = _singular(collection)
        body = self._client(admin).post(
            '/v2.0/%s' % collection, json={key: attributes}).json()
        return body[key]

    def update(self, collection: str, resource_id: str, attributes: dict,
               admin: bool = False, if_revision: int | None = None) -> dict:
        """Change a resource and return it.

        :param if_revision: refuse (412) unless the resource still has this
            ``revision_number``.
        """
        key = _singular(collection)
        headers = {} if if_revision is None else {
            'If-Match': 'revision_number=%d' % if_revision}
        body = self._client(admin).put(
            '/v2.0/%s/%s' % (collection, resource_id),
            json={key: attributes}, headers=headers).json()
        return body[key]

    def delete(self, collection: str, resource_id: str,
               admin: bool = False) -> None:
        """Remove a resource.

        :raises PeerRefused: with ``status`` 404 when it is not there.
        """
        self._client(admin).delete('/v2.0/%s/%s' % (collection, resource_id))

    # -- look-ups of a request -----------------------------------------
    def _find(self, collection: str, name_or_id: str) -> list[dict]:
        key = 'id' if uuidutils.is_uuid_like(name_or_id) else 'name'
        return self.query(collection, **{key: name_or_id})

    def get_neutron_network(self, network: str) -> dict:
        """The network with this name or id.

        :raises NetworkNotFound: none (404). :raises Conflict: several.
        """
        found = self._find('networks', network)
        if not found:
            raise exception.NetworkNotFound(network=network)
        if len(found) > 1:
            raise exception.Conflict(_(
                'Multiple neutron networks exist with same name. '
                'Please use the uuid instead.'))
        return found[0]

    def get_neutron_port(self, port: str) -> dict:
        """The port with this name or id.

        :raises PortNotFound: none (404). :raises Conflict: several.
        """
        found = self._find('ports', port)
        if not found:
            raise exception.PortNotFound(port=port)
        if len(found) > 1:
            raise exception.Conflict(_(
                'Multiple neutron ports exist with same name. '
                'Please use the uuid instead.'))
        return found[0]

    def get_available_network(self) -> dict:
        """The network of a container that names none: the oldest of the
        project's own, else the oldest that is shared.

        :raises Conflict: there is none at all.
        """
        # A user without a project has no network of their own; without a
        # tenant the query would find everybody's.
        found = self.query(
            'networks', tenant_id=str(self.context.project_id), shared=False)
        found = found or self.query('networks', shared=True)
        if not found:
            raise exception.Conflict(_(
                'There is no neutron network available'))
        return min(found, key=lambda net: net.get('created_at') or '')

    def check_external_network(self, network: dict) -> None:
        """Refuse a network that only an administrator may plug into.

        :raises ExternalNetworkAttachForbidden: 403.
        """
        if not network.get('router:external') or network.get('shared'):
            return
        if not policy.enforce(self.context, ATTACH_EXTERNAL, do_raise=False):
            raise exception.ExternalNetworkAttachForbidden(
                network_uuid=network['id'])

    def ensure_neutron_port_usable(self, port: dict) -> None:
        """Refuse a port of another project, in use, or not bindable.

        :raises PortNotUsable, PortInUse, PortBindingFailed: 400.
        """
        owner = port.get('tenant_id', port.get('project_id'))
        if owner != self.context.project_id:
            raise exception.PortNotUsable(port=port['id'])
        if port.get('device_id'):
            raise exception.PortInUse(port=port['id'])
        if port.get('status') in UNUSABLE_PORT_STATES:
            raise exception.PortNotUsable(port=port['id'])
        if port.get('binding:vif_type') == 'binding_failed':
            raise exception.PortBindingFailed(port=port['id'])

    def find_security_group(self, name_or_id: str) -> str:
        """The id of a security group given by id or name.

        What begins like a uuid may be an id; a name is looked for among
        the project's own groups.

        :raises InvalidValue: none (400). :raises Conflict: several.
        """
        if _BEGINS_LIKE_AN_ID.match(name_or_id) and self.query(
                'security-groups', fields='id', id=name_or_id):
            return name_or_id
        found = self.query('security-groups', fields='id', name=name_or_id,
                           tenant_id=self.context.project_id)
        if not found:
            raise exception.InvalidValue(_(
                'Security group %s not found.') % name_or_id)
        if len(found) > 1:
            raise exception.Conflict(_(
                'Multiple security group matches found for name %s, use an '
                'ID to be more specific.') % name_or_id)
        return found[0]['id']

    def find_security_groups(self, names_or_ids) -> list[str]:
        """The ids of security groups, each looked up once.

        A group given both by name and by id comes twice.
        """
        return [self.find_security_group(name)
                for name in dict.fromkeys(names_or_ids)]

    # -- networks of a container ---------------------------------------
    def request_network(self, net: dict | None) -> RequestedNetwork:
        """Look up one item of a request's ``nets``.

        :param net: may have ``port`` or ``network`` and ``v4-fixed-ip``,
            ``v6-fixed-ip`` or ``fixed_ip``, which count with a network
            only; empty: any network.
        :raises NetworkNotFound, PortNotFound, Conflict, PortNotUsable,
            PortInUse, PortBindingFailed, ExternalNetworkAttachForbidden:
            the request cannot be met.
        """
        net = net or {}
        if net.get('port'):
            return self._request_port(net['port'])
        if not net.get('network'):
            network = self.get_available_network()
            self.check_external_network(network)
            return requested_network(network)
        network = self.get_neutron_network(net['network'])
        self.check_external_network(network)
        return requested_network(
            network, fixed_ip=net.get('v4-fixed-ip') or net.get(
                'v6-fixed-ip') or net.get('fixed_ip') or '')

    def _request_port(self, name_or_id: str) -> RequestedNetwork:
        port = self.get_neutron_port(name_or_id)
        self.ensure_neutron_port_usable(port)
        network = self.get_neutron_network(port['network_id'])
        self.check_external_network(network)
        return requested_network(network, port=port['id'])

    def request_networks(self, nets) -> list[RequestedNetwork]:
        """Look up a request's ``nets`` in their order; none given: one
        entry for the default network.
        """
        return [self.request_network(net) for net in nets or [None]]

    def pci_requests(self, requested_networks: list[RequestedNetwork]
                     ) -> 'objects.ContainerPCIRequests | None':
        """The PCI devices that the vnic types of given ports call for.

        Sets ``pci_request_id`` on each entry (None: no device needed).

        :returns: None when there are none, else one request a port.
        """
        requests = [request for request in map(
            self._pci_request, requested_networks) if request]
        if not requests:
            return None
        return objects.ContainerPCIRequests(requests=requests)

    def _pci_request(self, requested: RequestedNetwork):
        requested['pci_request_id'] = None
        if not requested.get('port'):
            return None
        vnic_type, network_id = self._port_vnic(requested['port'])
        if vnic_type not in pci_request.PCI_VNIC_TYPES:
            return None
        spec = pci_request.spec_of(
            vnic_type, self._physical_network(network_id))
        requested['pci_request_id'] = uuidutils.generate_uuid()
        return objects.ContainerPCIRequest(
            count=1, spec=[spec], request_id=requested['pci_request_id'])

    def _port_vnic(self, port_id: str) -> tuple[str, str]:
        port = self.show('ports', port_id,
                         fields=['binding:vnic_type', 'network_id'])
        return port.get('binding:vnic_type') or 'normal', port['network_id']

    def _physical_network(self, network_id: str) -> str | None:
        # Only administrators see provider attributes.
        network = self.show('networks', network_id, admin=True,
                            fields='provider:physical_network')
        return network.get('provider:physical_network')


def requested_network(network: dict, port: str = '',
                      fixed_ip: str = '') -> RequestedNetwork:
    """The entry of a network for the compute side: a port that was given
    by the user outlives the container, one made for it does not.
    """
    return {'network': network['id'], 'port': port, 'fixed_ip': fixed_ip,
            'router:external': network.get('router:external'),
            'shared': network.get('shared'),
            'preserve_on_delete': bool(port)}


def _singular(collection: str) -> str:
    return collection.removesuffix('s').replace('-', '_')
