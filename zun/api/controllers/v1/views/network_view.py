# SPDX-License-Identifier: Apache-2.0
"""How networks are shown."""

KEYS = ('uuid', 'name', 'project_id', 'user_id', 'network_id',
        'neutron_net_id')


def format_network(network) -> dict:
    """A ZunNetwork as a network."""
    return {key: getattr(network, key) for key in KEYS}
