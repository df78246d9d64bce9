# SPDX-License-Identifier: Apache-2.0
"""/v1/networks: Neutron networks made usable for containers."""

import pecan

from zun.api.controllers import base
from zun.api.controllers.v1.schemas import networks as schema
from zun.api.controllers.v1.views import network_view
from zun.api import utils
from zun.api import validation
from zun.common import exception
from zun.common.i18n import _
from zun.common import policy
from zun.compute import api as compute_api
from zun import objects


class NetworkController(base.Controller):
    """Makes and removes networks; administrators only."""

    @base.Controller.api_version('1.1')
    @validation.enforce_content_types(('application/json',))
    @validation.validated(schema.network_create)
    def post(self, **network_dict):
        """Make a network usable; its name is Neutron's."""
        context = pecan.request.context
        policy.enforce(context, 'network:create')
        neutron_net_id = utils.required(
            network_dict.get('neutron_net_id', utils.MISSING),
            'neutron_net_id')
        network = compute_api.API(context).network_create(context,
                                                          neutron_net_id)
        return network_view.format_network(network)

    @base.Controller.api_version('1.27')
    def delete(self, network_ident, **kwargs):
        """Remove a network, named by its Neutron id."""
        context = pecan.request.context
        policy.enforce(context, 'network:delete')
        context.all_projects = True
        networks = objects.ZunNetwork.list(
            context, filters={'neutron_net_id': network_ident}, limit=1)
        if not networks:
            raise exception.NetworkNotFound(_(
                'Neutron network %s could not be found.') % network_ident)
        compute_api.API(context).network_delete(context, networks[0])
        pecan.response.status = 204
