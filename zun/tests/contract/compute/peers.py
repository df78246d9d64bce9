# SPDX-License-Identifier: Apache-2.0
"""The peers of a case: those of the API's recordings, and what changes.

A fault may have ``skip`` and ``times`` (counts of requests that match),
``action`` (of Cinder) and ``ends`` (the end of the path).
"""

import copy
import ipaddress
import json

from zun.tests.contract import peers

_ID = 'dddddddd-0000-4000-8000-%012d'
_MADE = {'ports': 'port', 'security-groups': 'security_group',
         'security-group-rules': 'security_group_rule'}


class Peers(peers.Peers):
    """Services that can be written to; ``calls`` is the log."""

    def __init__(self, spec: dict) -> None:
        super().__init__(spec)
        self._counts = [0] * len(self._spec.get('faults', ()))
        self._made = 0
        self._body = None

    def _log(self, service, method, path, query, data, headers) -> None:
        self._body = copy.deepcopy(data)
        super()._log(service, method, path, query, self._body, headers)

    def _fault(self, service: str, method: str, path: str) -> dict | None:
        for number, fault in enumerate(self._spec.get('faults', ())):
            if not self._meets(fault, service, method, path):
                continue
            self._counts[number] += 1
            late = self._counts[number] - fault.get('skip', 0)
            if not 0 < late <= fault.get('times', late):
                continue
            if fault.get('refuse'):
                raise peers.Refused()
            return fault
        return None

    def _meets(self, fault, service, method, path) -> bool:
        action = fault.get('action')
        return (fault.get('service', service) == service and
                fault.get('method', method) == method and
                fault.get('path', '') in path and
                path.endswith(fault.get('ends', '')) and
                (action is None or action in (self._body or {})))

    def _neutron(self, method: str, path: str, query: list, data):
        parts = path.strip('/').split('/')
        plural = parts[1] if len(parts) > 1 else ''
        if method == 'GET' or plural not in _MADE:
            return super()._neutron(method, path, query, data)
        single, name = _MADE[plural], plural.replace('-', '_')
        items = self._spec.setdefault('neutron', {}).setdefault(name, [])
        if method == 'POST':
            items.append(self._make(name, data[single]))
            return peers._json(201, {single: items[-1]})
        for item in items:
            if item['id'] == parts[2]:
                break
        else:
            return peers._neutron_error(
                single.capitalize() + 'NotFound',
                '%s %s could not be found.' % (single.capitalize(), parts[2]))
        if method == 'DELETE':
            items.remove(item)
            return peers._json(204)
        item.update(data[single])
        return peers._json(200, {single: item})

    def _make(self, name: str, wanted: dict) -> dict:
        self._made += 1
        made = {**wanted, 'id': _ID % self._made}
        if name == 'ports':
            made.update(fixed_ips=self._fixed(wanted), status='DOWN', **{
                'mac_address': 'fa:16:3e:00:00:%02x' % self._made,
                'binding:vif_type': 'ovs'})
        return made

    def _fixed(self, wanted: dict) -> list[dict]:
        """The addresses that a new port gets."""
        subnets = [subnet for subnet in self._spec['neutron']['subnets']
                   if subnet['network_id'] == wanted['network_id']]
        asked = [ip['ip_address'] for ip in wanted.get('fixed_ips') or ()]
        if asked:
            return [{'ip_address': address, 'subnet_id': subnet['id']}
                    for address in asked for subnet in subnets
                    if ipaddress.ip_address(address) in
                    ipaddress.ip_network(subnet['cidr'])]
        return [{'ip_address': self._address(subnet),
                 'subnet_id': subnet['id']} for subnet in subnets]

    def _address(self, subnet: dict) -> str:
        network = ipaddress.ip_network(subnet['cidr'])
        number = str(100 + self._made)
        # An IPv6 address ends with the same digits, as text.
        return str(network[int(number, 10 if network.version == 4 else 16)])

    def _placement(self, method: str, path: str, query: list, data):
        if not path.startswith('/allocations/'):
            return super()._placement(method, path, query, data)
        consumers = self._spec.setdefault('placement', {}).setdefault(
            'consumers', {})
        uuid = path.rpartition('/')[2]
        if method == 'GET':
            return peers._json(200, consumers.get(uuid, {'allocations': {}}))
        if method == 'PUT':
            consumers[uuid] = json.loads(json.dumps(data))
            return peers._json(204)
        return peers._json(204 if consumers.pop(uuid, None) else 404)
