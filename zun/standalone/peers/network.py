# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Neutron: networks, subnets, ports, security groups."""

import datetime
import ipaddress
import secrets
from typing import Any
import uuid

from zun.standalone.peers import service

#: Path of a collection → key of a list, key of one resource.
COLLECTIONS = {
    'networks': ('networks', 'network'),
    'subnets': ('subnets', 'subnet'),
    'ports': ('ports', 'port'),
    'security-groups': ('security_groups', 'security_group'),
    'security-group-rules': ('security_group_rules', 'security_group_rule'),
    'routers': ('routers', 'router'),
    'floatingips': ('floatingips', 'floatingip'),
    'extensions': ('extensions', 'extension'),
}
_NO_FILTER = ('fields', 'limit', 'marker', 'sort_key', 'sort_dir',
              'page_reverse')
_ADMIN_ONLY = ('binding:host_id', 'binding:profile')
#: Attributes of a port that go when its host goes.
_UNBOUND = {'binding:vif_type': 'unbound', 'binding:vif_details': {},
            'status': 'DOWN'}


class Network(service.Service):
    """Resources by collection; addresses from the subnets' pools."""

    ROUTES = (
        ('GET', '', 'versions'), ('GET', '/', 'versions'),
        ('GET', '/v2.0', 'version'),
        ('GET', '/v2.0/{kind}', 'index'),
        ('POST', '/v2.0/{kind}', 'create'),
        ('GET', '/v2.0/{kind}/{uid}', 'show'),
        ('PUT', '/v2.0/{kind}/{uid}', 'update'),
        ('DELETE', '/v2.0/{kind}/{uid}', 'delete'),
    )

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, dict[str, dict[str, Any]]] = {
            kind: {} for kind in COLLECTIONS}

    def dump(self) -> Any:
        return self.rows

    def load(self, state: Any) -> None:
        self.rows = state

    def error(self, refused: service.Refused) -> service.Reply:
        return service.reply(refused.status, {'NeutronError': {
            'type': refused.kind or 'HTTPException',
            'message': refused.message, 'detail': ''}})

    def seed(self, kind: str, row: dict[str, Any]) -> dict[str, Any]:
        """Put a row in as it is, with the usual attributes filled in."""
        row = dict(_common(), **row)
        self.rows[kind][row['id']] = row
        return row

    def add_network(self, name: str, project: str, cidr: str,
                    shared: bool = False) -> dict[str, Any]:
        """A network with one subnet; its first address is the gateway."""
        network = self.seed('networks', {
            'name': name, 'project_id': project, 'tenant_id': project,
            'shared': shared, 'router:external': False, 'status': 'ACTIVE',
            'admin_state_up': True, 'mtu': 1450, 'subnets': []})
        self._new_subnets({'network_id': network['id'], 'cidr': cidr,
                           'name': name + '-subnet', 'ip_version':
                           ipaddress.ip_network(cidr).version}, project)
        return network

    # requests

    def versions(self, request: service.Request) -> service.Reply:
        """Version discovery."""
        return service.reply(200, {'versions': [{
            'id': 'v2.0', 'status': 'CURRENT', 'links': [
                {'rel': 'self', 'href': request.base + '/v2.0/'}]}]})

    def version(self, request: service.Request) -> service.Reply:
        """What is below /v2.0."""
        return service.reply(200, {'resources': [
            {'name': one, 'collection': many, 'links': []}
            for many, one in COLLECTIONS.values()]})

    def index(self, request: service.Request, kind: str) -> service.Reply:
        """A collection, filtered."""
        many, _ = self._names(kind)
        if kind == 'security-groups':
            self._default_group(request.who.project_id)
        filters = service.grouped(request.query, _NO_FILTER)
        fixed = filters.pop('fixed_ips', [])
        rows = [r for r in self.rows[kind].values()
                if self._visible(request.who, r) and
                service.matches(r, filters) and _has_addresses(r, fixed)]
        return service.reply(200, {many: [
            _fields(request, r) for r in rows]})

    def show(self, request: service.Request, kind: str, uid: str
             ) -> service.Reply:
        """One resource."""
        _, one = self._names(kind)
        return service.reply(200, {one: _fields(
            request, self._find(request, kind, uid))})

    def create(self, request: service.Request, kind: str) -> service.Reply:
        """Make a resource."""
        many, one = self._names(kind)
        body = request.json().get(one)
        if not isinstance(body, dict):
            raise service.Refused(400, 'Unable to find \'%s\' in request '
                                  'body' % one, 'HTTPBadRequest')
        project = request.who.project_id
        if request.who.admin:
            project = (body.get('project_id') or body.get('tenant_id') or
                       project)
        else:
            _check_admin_only(body)
        maker = getattr(self, '_new_' + many, None)
        if maker is None:
            raise service.Refused(404, 'The resource could not be found.',
                                  'HTTPNotFound')
        return service.reply(201, {one: maker(body, project)})

    def update(self, request: service.Request, kind: str, uid: str
               ) -> service.Reply:
        """Change a resource; obeys ``If-Match: revision_number=N``."""
        many, one = self._names(kind)
        row = self._find(request, kind, uid)
        wanted = request.headers.get('if-match', '')
        if wanted.startswith('revision_number=') and (
                wanted.partition('=')[2] != str(row['revision_number'])):
            raise service.Refused(
                412, 'Constrained to %s, but current revision is %d' % (
                    wanted.partition('=')[2], row['revision_number']),
                'RevisionNumberConstraintFailed')
        body = request.json().get(one) or {}
        if not request.who.admin:
            _check_admin_only(body)
        if kind == 'ports':
            body = self._port_changes(row, body)
        row.update(body)
        row['revision_number'] += 1
        row['updated_at'] = _now()
        return service.reply(200, {one: row})

    def delete(self, request: service.Request, kind: str, uid: str
               ) -> service.Reply:
        """Remove a resource that is not in use."""
        row = self._find(request, kind, uid)
        if kind == 'networks' and any(
                p['network_id'] == uid for p in self.rows['ports'].values()):
            raise service.Refused(
                409, 'Unable to complete operation on network %s. There are '
                'one or more ports still in use on the network.' % uid,
                'NetworkInUse')
        if kind == 'security-groups':
            self._check_group_free(uid)
        for other in ('subnets', 'security-group-rules'):
            key = ('network_id' if other == 'subnets'
                   else 'security_group_id')
            for child in list(self.rows[other].values()):
                if child.get(key) == uid and kind != 'ports':
                    del self.rows[other][child['id']]
        if kind == 'security-group-rules':
            group = self.rows['security-groups'][row['security_group_id']]
            group['security_group_rules'] = [
                r for r in group['security_group_rules'] if r['id'] != uid]
        del self.rows[kind][uid]
        return service.reply(204)

    # making

    def _new_networks(self, body: dict[str, Any], project: str
                      ) -> dict[str, Any]:
        return self.seed('networks', {
            'shared': False, 'router:external': False, 'status': 'ACTIVE',
            'admin_state_up': True, 'mtu': 1450, 'subnets': [], **body,
            'project_id': project, 'tenant_id': project})

    def _new_subnets(self, body: dict[str, Any], project: str
                     ) -> dict[str, Any]:
        network = self.rows['networks'].get(body.get('network_id', ''))
        if network is None:
            raise _missing('network', body.get('network_id', ''))
        try:
            cidr = ipaddress.ip_network(body['cidr'])
        except (KeyError, ValueError):
            raise service.Refused(400, 'Invalid input for cidr.',
                                  'HTTPBadRequest') from None
        first, last = cidr[1], cidr[-2]
        subnet = self.seed('subnets', {
            'name': '', 'enable_dhcp': True, 'dns_nameservers': [],
            'host_routes': [], 'ip_version': cidr.version,
            'gateway_ip': str(first), 'subnetpool_id': None,
            'allocation_pools': [{'start': str(first + 1),
                                  'end': str(last)}], **body,
            'project_id': project, 'tenant_id': project})
        network['subnets'].append(subnet['id'])
        return subnet

    def _new_ports(self, body: dict[str, Any], project: str
                   ) -> dict[str, Any]:
        network = self.rows['networks'].get(body.get('network_id', ''))
        if network is None:
            raise _missing('network', body.get('network_id', ''))
        groups = body.get('security_groups')
        if groups is None:
            groups = [self._default_group(project)['id']]
        self._check_groups(groups)
        port = {
            'name': '', 'admin_state_up': True, 'device_id': '',
            'device_owner': '', 'binding:host_id': '', 'binding:profile': {},
            'binding:vnic_type': 'normal', 'allowed_address_pairs': [],
            'extra_dhcp_opts': [], 'port_security_enabled': True,
            'dns_name': '', 'dns_assignment': [], **_UNBOUND, **body,
            'project_id': project, 'tenant_id': project,
            'security_groups': groups}
        port['mac_address'] = body.get('mac_address') or _mac()
        port['fixed_ips'] = self._addresses(network, body.get('fixed_ips'))
        port = self.seed('ports', port)
        port.update(self._binding(port))
        return port

    def _new_security_groups(self, body: dict[str, Any], project: str
                             ) -> dict[str, Any]:
        group = self.seed('security-groups', {
            'description': '', 'stateful': True, 'shared': False, **body,
            'security_group_rules': [], 'project_id': project,
            'tenant_id': project})
        for version in ('IPv4', 'IPv6'):
            self._new_security_group_rules({
                'security_group_id': group['id'], 'direction': 'egress',
                'ethertype': version}, project)
        return group

    def _new_security_group_rules(self, body: dict[str, Any], project: str
                                  ) -> dict[str, Any]:
        group = self.rows['security-groups'].get(
            body.get('security_group_id', ''))
        if group is None:
            raise _missing('SecurityGroup', body.get('security_group_id'))
        rule = {'direction': 'ingress', 'ethertype': 'IPv4',
                'protocol': None, 'port_range_min': None,
                'port_range_max': None, 'remote_ip_prefix': None,
                'remote_group_id': None, 'description': '', **body,
                'project_id': project, 'tenant_id': project}
        same = ('direction', 'ethertype', 'protocol', 'port_range_min',
                'port_range_max', 'remote_ip_prefix', 'remote_group_id')
        for other in group['security_group_rules']:
            if all(str(other[k]) == str(rule[k]) for k in same):
                raise service.Refused(
                    409, 'Security group rule already exists. Rule id is %s.'
                    % other['id'], 'SecurityGroupRuleExists')
        rule = self.seed('security-group-rules', rule)
        group['security_group_rules'].append(rule)
        return rule

    def _default_group(self, project: str) -> dict[str, Any]:
        for group in self.rows['security-groups'].values():
            if group['project_id'] == project and group['name'] == 'default':
                return group
        return self._new_security_groups({'name': 'default'}, project)

    # ports

    def _port_changes(self, port: dict[str, Any], body: dict[str, Any]
                      ) -> dict[str, Any]:
        body = {k: v for k, v in body.items() if k not in ('id',)}
        for key in _ADMIN_ONLY:
            if key in body and body[key] is None:
                body[key] = '' if key == 'binding:host_id' else {}
        if 'security_groups' in body:
            self._check_groups(body['security_groups'])
        if 'fixed_ips' in body:
            network = self.rows['networks'][port['network_id']]
            body['fixed_ips'] = self._addresses(
                network, body['fixed_ips'], port['id'])
        if 'binding:host_id' in body:
            body.update(self._binding(body))
        return body

    @staticmethod
    def _binding(port: dict[str, Any]) -> dict[str, Any]:
        if not port.get('binding:host_id'):
            return dict(_UNBOUND)
        return {'binding:vif_type': 'ovs', 'status': 'ACTIVE',
                'binding:vif_details': {
                    'port_filter': True, 'connectivity': 'l2',
                    'bridge_name': 'br-int', 'datapath_type': 'system',
                    'ovs_hybrid_plug': False}}

    def _addresses(self, network: dict[str, Any], wanted: Any,
                   own: str = '') -> list[dict[str, str]]:
        subnets = [s for s in self.rows['subnets'].values()
                   if s['network_id'] == network['id']]
        taken = {ip['ip_address'] for p in self.rows['ports'].values()
                 if p['network_id'] == network['id'] and p['id'] != own
                 for ip in p['fixed_ips']}
        if wanted is None:
            chosen: dict[int, dict[str, Any]] = {}
            for subnet in subnets:
                chosen.setdefault(subnet['ip_version'], subnet)
            wanted = [{'subnet_id': s['id']} for s in chosen.values()]
        return [self._address(network, subnets, taken, w) for w in wanted]

    def _address(self, network: dict[str, Any],
                 subnets: list[dict[str, Any]], taken: set[str],
                 wanted: dict[str, Any]) -> dict[str, str]:
        address = wanted.get('ip_address')
        for subnet in subnets:
            if wanted.get('subnet_id', subnet['id']) != subnet['id']:
                continue
            cidr = ipaddress.ip_network(subnet['cidr'])
            if not address:
                address = _free(subnet, taken)
                if address is None:
                    continue
            elif ipaddress.ip_address(address) not in cidr:
                continue
            if address in taken:
                raise service.Refused(
                    409, 'IP address %s already allocated in subnet %s' % (
                        address, subnet['id']), 'IpAddressAlreadyAllocated')
            taken.add(address)
            return {'subnet_id': subnet['id'], 'ip_address': address}
        if address:
            raise service.Refused(
                400, 'Invalid input for operation: IP address %s is not a '
                'valid IP for any subnet on the specified network.'
                % address, 'InvalidInput')
        raise service.Refused(
            409, 'No more IP addresses available on network %s.'
            % network['id'], 'IpAddressGenerationFailure')

    # checks

    def _find(self, request: service.Request, kind: str, uid: str
              ) -> dict[str, Any]:
        _, one = self._names(kind)
        row = self.rows[kind].get(uid)
        if row is None or not self._visible(request.who, row):
            raise _missing(one, uid)
        return row

    @staticmethod
    def _visible(caller: service.Caller, row: dict[str, Any]) -> bool:
        return bool(caller.admin or row.get('shared') or
                    row.get('router:external') or
                    row.get('project_id') == caller.project_id)

    @staticmethod
    def _names(kind: str) -> tuple[str, str]:
        if kind not in COLLECTIONS:
            raise service.Refused(404, 'The resource could not be found.',
                                  'HTTPNotFound')
        return COLLECTIONS[kind]

    def _check_groups(self, groups: list[str]) -> None:
        for uid in groups:
            if uid not in self.rows['security-groups']:
                raise _missing('SecurityGroup', uid)

    def _check_group_free(self, uid: str) -> None:
        if any(uid in p['security_groups']
               for p in self.rows['ports'].values()):
            raise service.Refused(409, 'Security Group %s in use.' % uid,
                                  'SecurityGroupInUse')


def _check_admin_only(body: dict[str, Any]) -> None:
    for key in _ADMIN_ONLY:
        if key in body:
            raise service.Refused(
                403, 'rule:create_port:%s is disallowed by policy' % key,
                'PolicyNotAuthorized')


def _missing(one: str, uid: Any) -> service.Refused:
    words = ''.join(w.capitalize() for w in one.split('_'))
    if one == 'SecurityGroup':
        return service.Refused(404, 'Security group %s does not exist' % uid,
                               'SecurityGroupNotFound')
    return service.Refused(404, '%s %s could not be found.' % (words, uid),
                           words + 'NotFound')


def _fields(request: service.Request, row: dict[str, Any]) -> dict[str, Any]:
    wanted = [v for k, v in request.query if k == 'fields']
    return {k: v for k, v in row.items() if k in wanted} if wanted else row


def _has_addresses(row: dict[str, Any], wanted: list[str]) -> bool:
    """The ``fixed_ips=ip_address=A`` and ``subnet_id=S`` filters."""
    for text in wanted:
        key, _, value = text.partition('=')
        if not any(ip.get(key) == value for ip in row.get('fixed_ips', [])):
            return False
    return True


def _free(subnet: dict[str, Any], taken: set[str]) -> str | None:
    for pool in subnet['allocation_pools']:
        address = ipaddress.ip_address(pool['start'])
        end = ipaddress.ip_address(pool['end'])
        while address <= end:
            if str(address) not in taken:
                return str(address)
            address += 1
    return None


def _mac() -> str:
    return 'fa:16:3e:' + ':'.join(
        '%02x' % secrets.randbelow(256) for _ in range(3))


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime(
        '%Y-%m-%dT%H:%M:%SZ')


def _common() -> dict[str, Any]:
    return {'id': str(uuid.uuid4()), 'name': '', 'description': '',
            'created_at': _now(), 'updated_at': _now(),
            'revision_number': 1, 'tags': []}
