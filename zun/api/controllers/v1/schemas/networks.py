# SPDX-License-Identifier: Apache-2.0
"""What requests about networks may hold."""

from zun.api.controllers.v1.schemas import parameter_types

network_create = {
    'type': 'object',
    'properties': {
        'neutron_net_id': parameter_types.neutron_net_id,
        'name': parameter_types.network_name,
    },
    'required': ['name'],
    'additionalProperties': False,
}
