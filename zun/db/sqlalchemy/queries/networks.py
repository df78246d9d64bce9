# SPDX-License-Identifier: Apache-2.0
"""Neutron networks that are set up on hosts."""

from zun.common import exception
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import resource
from zun.db.sqlalchemy.queries import statement


def _already_exists(values: statement.Row) -> Exception:
    if values.get('neutron_net_id'):
        return exception.NetworkAlreadyExists(
            field='neutron_net_id', value=values['neutron_net_id'])
    return exception.NetworkAlreadyExists(field='UUID',
                                          value=values.get('uuid'))


_networks = resource.Resource(
    models.Network,
    not_found=lambda value: exception.NetworkNotFound(network=value),
    already_exists=_already_exists)

list_networks = _networks.list_rows
create_network = _networks.create
update_network = _networks.update
get_network_by_uuid = _networks.get
destroy_network = _networks.destroy
