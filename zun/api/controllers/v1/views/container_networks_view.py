# SPDX-License-Identifier: Apache-2.0
"""How the networks of a container are shown.

They come from the container's `addresses`: network id to a list of
``{addr, port, subnet_id, version, preserve_on_delete}``.
"""


def _address(entry: dict) -> dict:
    return {'ip_address': entry.get('addr'),
            'subnet_id': entry.get('subnet_id'),
            'version': entry.get('version')}


def addresses(networks: dict) -> list[dict]:
    """One item an address, as up to version 1.17."""
    return [{'net_id': network, 'port_id': entry.get('port'),
             **_address(entry)}
            for network, entries in networks.items() for entry in entries]


def ports(networks: dict) -> list[dict]:
    """One item a port with its addresses, as from version 1.18.

    Addresses without a port come together, under the port None.
    """
    shown = {}
    for network, entries in networks.items():
        for entry in entries:
            port = entry.get('port')
            item = shown.setdefault((network, port), {
                'net_id': network, 'port_id': port, 'fixed_ips': []})
            item['fixed_ips'].append(_address(entry))
    return list(shown.values())
