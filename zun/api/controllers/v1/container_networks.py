# SPDX-License-Identifier: Apache-2.0
"""Security groups and networks of a container."""

import pecan

from zun.api.controllers import base
from zun.api.controllers.v1 import container_access as access
from zun.api.controllers.v1.container_states import validate_container_state
from zun.api.controllers.v1.schemas import containers as schema
from zun.api.controllers.v1.views import container_networks_view as view
from zun.api import utils as api_utils
from zun.api import validation
from zun.common import exception
from zun.common.i18n import _
from zun.compute import api as compute
from zun.network import neutron


def _neutron(context) -> neutron.NeutronAPI:
    api_utils.require_token(context)
    return neutron.NeutronAPI(context)


def _group_name(params: dict) -> str:
    return api_utils.required(params.get('name', api_utils.MISSING), 'name')


class ContainerNetworks(base.Controller):
    """The part of the containers' controller about networks."""

    @base.Controller.api_version('1.1', '1.14')
    @validation.validated(schema.security_group)
    def add_security_group(self, container_ident, **security_group):
        """Add a security group to the ports of a container."""
        context = pecan.request.context
        container = access.find_for(container_ident,
                                    'container:add_security_group')
        validate_container_state(container, 'add_security_group')
        group = _neutron(context).find_security_group(
            _group_name(security_group))
        if group in (container.security_groups or ()):
            raise exception.InvalidValue(
                _('Security group %s has been added to container.') % group)
        compute.API(context).add_security_group(context, container, group)
        pecan.response.status = 202

    @base.Controller.api_version('1.1', '1.14')
    @validation.validated(schema.security_group)
    def remove_security_group(self, container_ident, **security_group):
        """Take a security group away from the ports of a container."""
        context = pecan.request.context
        container = access.find_for(container_ident,
                                    'container:remove_security_group')
        validate_container_state(container, 'remove_security_group')
        group = _neutron(context).find_security_group(
            _group_name(security_group))
        if group not in (container.security_groups or ()):
            raise exception.InvalidValue(
                _('Security group %s was not added to container.') % group)
        compute.API(context).remove_security_group(context, container, group)
        pecan.response.status = 202

    @base.Controller.api_version('1.6')
    @validation.validated_query(schema.query_network_detach)
    def network_detach(self, container_ident, **kwargs):
        """Take the interface on a network away from a container."""
        context = pecan.request.context
        container = access.find_for(container_ident,
                                    'container:network_detach')
        network = _attached_network(context, container_ident, container,
                                    kwargs)
        compute.API(context).network_detach(context, container, network)
        pecan.response.status = 202

    @base.Controller.api_version('1.8')
    @validation.validated_query(schema.network_attach)
    @validation.validated(schema.network_attach)
    def network_attach(self, container_ident, **kwargs):
        """Give a container an interface on one more network."""
        context = pecan.request.context
        container = access.find_for(container_ident,
                                    'container:network_attach')
        requested = _neutron(context).request_network(kwargs)
        if requested['network'] in (container.addresses or {}):
            raise exception.Invalid(_already_connected(
                container_ident, kwargs))
        compute.API(context).network_attach(context, container, requested)

    @base.Controller.api_version('1.13', '1.17')
    def network_list(self, container_ident, **kwargs):
        """The addresses of a container."""
        container = access.find(container_ident)
        return {'networks': view.addresses(container.addresses or {})}

    @base.Controller.api_version('1.18')
    def network_list(self, container_ident, **kwargs):  # noqa: F811
        """The ports of a container with their addresses."""
        container = access.find(container_ident)
        return {'networks': view.ports(container.addresses or {})}


def _already_connected(ident: str, params: dict) -> str:
    if params.get('port'):
        return _("Cannot attach port '%(port)s' to container "
                 "'%(container)s' because another port on the same network "
                 "is already attached to this container.") % {
                     'port': params['port'], 'container': ident}
    return _("Network '%(network)s' is already connected to container "
             "'%(container)s'.") % {'network': params.get('network'),
                                    'container': ident}


def _attached_network(context, ident: str, container,
                      params: dict) -> str:
    """The id of the network that a detach means.

    :raises Invalid: the container isn't on it, or hasn't the port.
    """
    api = _neutron(context)
    addresses = container.addresses or {}
    if params.get('port'):
        port = api.get_neutron_port(params['port'])
        if _has_port(addresses, port):
            return port['network_id']
        kind, name = _('Port'), params['port']
    else:
        network = api.get_neutron_network(params['network'])['id']
        if network in addresses:
            return network
        kind, name = _('Network'), params['network']
    raise exception.Invalid(
        _("%(kind)s '%(name)s' is not attached to container "
          "'%(container)s'.") % {'kind': kind, 'name': name,
                                 'container': ident})


def _has_port(addresses: dict, port: dict) -> bool:
    return any(entry.get('port') == port['id']
               for entry in addresses.get(port['network_id'], ()))
