# SPDX-License-Identifier: Apache-2.0
"""What requests about services may hold."""

from zun.api.controllers.v1.schemas import parameter_types

_binary = {
    'type': 'string',
    'minLength': 1,
    'maxLength': 255,
}

_service = {
    'host': parameter_types.host,
    'binary': _binary,
}

query_param_enable = {
    'type': 'object',
    'properties': _service,
    'additionalProperties': False,
}

query_param_disable = {
    'type': 'object',
    'properties': {
        **_service,
        'disabled_reason': {'type': 'string', 'minLength': 1,
                            'maxLength': 255},
    },
    'additionalProperties': False,
}

query_param_force_down = {
    'type': 'object',
    'properties': {
        **_service,
        'forced_down': parameter_types.boolean,
    },
    'additionalProperties': False,
}
