# SPDX-License-Identifier: Apache-2.0
"""What requests about quotas and quota classes may hold."""

# -1 is no limit.
_limit = {
    'type': ['integer', 'string'],
    'pattern': '^-?[0-9]+$',
    'minimum': -1,
}

query_param_update = {
    'type': 'object',
    'properties': {
        'containers': _limit,
        'memory': _limit,
        'cpu': _limit,
        'disk': _limit,
    },
    'additionalProperties': False,
}
