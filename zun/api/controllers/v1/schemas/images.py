# SPDX-License-Identifier: Apache-2.0
"""What requests about images may hold."""

from zun.api.controllers.v1.schemas import parameter_types

image_create = {
    'type': 'object',
    'properties': {
        'image_id': parameter_types.image_id,
        'repo': parameter_types.repo,
        'tag': parameter_types.tag,
        'size': parameter_types.size,
        'host': parameter_types.image_host,
        'image_pull_policy': parameter_types.image_pull_policy,
    },
    'required': ['repo', 'host'],
    'additionalProperties': False,
}

query_param_search = {
    'type': 'object',
    'properties': {
        'image_driver': parameter_types.image_driver,
        'exact_match': parameter_types.boolean,
    },
    'additionalProperties': False,
}
