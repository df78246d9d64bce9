# SPDX-License-Identifier: Apache-2.0
"""Peers that have whatever is asked for, so that requests get far."""

from urllib import parse

from zun.tests.functional.fuzz import rows
from zun.tests import peers
from zun.tests.unit.api import base

NETWORK = {'id': rows.NET, 'name': 'net-a', 'shared': False,
           'router:external': False, 'created_at': '2026-01-01T00:00:00Z',
           'tenant_id': base.PROJECT, 'project_id': base.PROJECT}
PORT_FIELDS = {'id': rows.PORT, 'name': 'port-a', 'network_id': rows.NET,
               'device_id': '', 'status': 'DOWN',
               'binding:vif_type': 'unbound', 'binding:vnic_type': 'normal',
               'fixed_ips': [{'ip_address': '10.0.0.7',
                              'subnet_id': 's-1'}],
               'tenant_id': base.PROJECT, 'project_id': base.PROJECT}
GROUP = {'id': rows.GROUP, 'name': 'default', 'tenant_id': base.PROJECT}
VOLUME = {'id': rows.VOLUME, 'name': 'vol-a', 'size': 1,
          'status': 'available', 'attachments': [], 'multiattach': False}

ALLOCATION = {
    'allocations': {rows.PROVIDER: {'resources': {'VCPU': 1,
                                                  'MEMORY_MB': 512}}},
    'mappings': {'': [rows.PROVIDER]}}
CANDIDATES = {
    'allocation_requests': [ALLOCATION],
    'provider_summaries': {rows.PROVIDER: {
        'resources': {'VCPU': {'capacity': 64, 'used': 0},
                      'MEMORY_MB': {'capacity': 65536, 'used': 0}},
        'traits': [], 'parent_provider_uuid': None,
        'root_provider_uuid': rows.PROVIDER}}}

# (service, collection) -> (name of one, what it is).
COLLECTIONS = {
    ('network', 'networks'): ('network', NETWORK),
    ('network', 'ports'): ('port', PORT_FIELDS),
    ('network', 'security-groups'): ('security_group', GROUP),
    ('volume', 'volumes'): ('volume', VOLUME),
}
PLACEMENT = {
    'traits': {'traits': ['CUSTOM_ZUN_COMPUTE_STATUS_DISABLED']},
    'allocation_candidates': CANDIDATES,
    'allocations': {'allocations': {}},
}


class GenerousPeers(peers.Peers):
    """Each look-up finds one resource, each change is accepted."""

    def handle(self, request) -> tuple[int, dict, bytes]:
        parts = parse.urlsplit(request.url).path.strip('/').split('/')
        if parts[0] == 'identity':
            return super().handle(request)
        if request.method in ('PUT', 'DELETE'):
            return peers.json_answer(204)
        if parts[0] == 'placement':
            return peers.json_answer(200, PLACEMENT.get(parts[1], {}))
        name = next((part for part in parts
                     if (parts[0], part) in COLLECTIONS), None)
        if name is None:
            return peers.json_answer(404, {'message': 'not here'})
        one, resource = COLLECTIONS[parts[0], name]
        if request.method == 'GET' and parts[-1] in (name, 'detail'):
            return peers.json_answer(
                200, {name.replace('-', '_'): [resource]})
        return peers.json_answer(200, {one: resource})
