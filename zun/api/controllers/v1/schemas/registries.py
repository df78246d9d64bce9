# SPDX-License-Identifier: Apache-2.0
"""What requests about registries may hold."""

from zun.api.controllers.v1.schemas import parameter_types

_text = {
    'type': ['string'],
    'minLength': 1,
}

_properties = {
    'name': parameter_types.registry,
    'domain': _text,
    'username': _text,
    'password': _text,
}

registry_create = {
    'type': 'object',
    'properties': {
        'registry': {
            'type': 'object',
            'properties': _properties,
            'additionalProperties': False,
            'required': ['domain'],
        },
    },
    'required': ['registry'],
    'additionalProperties': False,
}

registry_update = {
    'type': 'object',
    'properties': {
        'registry': {
            'type': 'object',
            'properties': _properties,
            'additionalProperties': False,
        },
    },
    'required': ['registry'],
    'additionalProperties': False,
}
