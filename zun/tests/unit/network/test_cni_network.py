# SPDX-License-Identifier: Apache-2.0
import types

from zun.common import clients
from zun.common import context as zun_context
from zun.common import exception
from zun.network import driver
from zun.tests import base
from zun.tests import peers

UUID = '0c000000-0000-4000-8000-000000000001'
NET, OTHER_NET = 'net-1', 'net-2'
HOST = 'node-1'
SUBNET = {'id': 'sub-1', 'cidr': '10.0.0.0/24', 'gateway_ip': '10.0.0.1',
          'dns_nameservers': ['10.0.0.2', '10.0.0.3'],
          'host_routes': [{'destination': '10.9.0.0/16',
                           'nexthop': '10.0.0.9'}]}


def port(port_id='p1', network=NET, **fields):
    return {'id': port_id, 'network_id': network, 'device_id': UUID,
            'mac_address': 'fa:16:3e:00:00:01',
            'binding:vif_type': 'ovs', 'binding:vif_details': {'x': 1},
            'binding:vnic_type': 'normal', 'binding:profile': {},
            'fixed_ips': [{'ip_address': '10.0.0.5',
                           'subnet_id': 'sub-1'}], **fields}


def requested(network=NET, **fields):
    return {'network': network, 'port': '', 'fixed_ip': '',
            'preserve_on_delete': False, **fields}


def address(port_id='p1', preserve=False):
    return {'addr': '10.0.0.5', 'version': 4, 'port': port_id,
            'subnet_id': 'sub-1', 'preserve_on_delete': preserve}


class NetworkTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.peers = self.useFixture(peers.Peers())
        for network in (NET, OTHER_NET):
            self.answer('GET', 'networks/' + network,
                        network={'id': network, 'mtu': 1442})
            self.answer('GET', 'subnets?network_id=' + network,
                        subnets=[SUBNET])

    def driver(self, again=False, last=True):
        return driver.get_network(zun_context.RequestContext(
            auth_token=peers.USER_TOKEN, project_id='p', user_id='u',
            roles=['member']), again, last)

    def container(self, **fields):
        return types.SimpleNamespace(**{
            'uuid': UUID, 'project_id': 'p', 'security_groups': [],
            'addresses': {}, 'exposed_ports': {}, **fields})

    def answer(self, method, path, status=200, **body):
        self.peers.answer('neutron', method, '/v2.0/' + path, body or None,
                          status)

    def written(self):
        """(who, method, path, body) of each write."""
        return [(who, method, path.removeprefix('/v2.0/'), body)
                for who, __, method, path, body in self.peers.calls
                if method != 'GET']


class TestPlug(NetworkTestCase):

    def plug(self, *networks, container=None, **kwargs):
        return self.driver(**kwargs).plug(
            container or self.container(), HOST, list(networks))

    def test_new_port(self):
        self.answer('POST', 'ports', port=port())
        plugged = self.plug(requested())
        self.assertEqual([('service', 'POST', 'ports', {'port': {
            'network_id': NET, 'tenant_id': 'p', 'device_id': UUID,
            'device_owner': 'compute:zun', 'binding:host_id': HOST}})],
            self.written())
        self.assertEqual({NET: [address()]}, plugged.addresses)

    def test_what_the_node_has_to_know(self):
        self.answer('POST', 'ports', port=port())
        plugged = self.plug(requested())
        self.assertEqual([{
            'id': 'p1', 'network': NET, 'mac': 'fa:16:3e:00:00:01',
            'mtu': 1442, 'vif_type': 'ovs', 'vif_details': {'x': 1},
            'vnic_type': 'normal', 'profile': {}, 'ips': [{
                'address': '10.0.0.5', 'version': 4, 'subnet': 'sub-1',
                'cidr': '10.0.0.0/24', 'gateway': '10.0.0.1',
                'routes': [{'destination': '10.9.0.0/16',
                            'nexthop': '10.0.0.9'}],
                'nameservers': ['10.0.0.2', '10.0.0.3']}]}], plugged.vifs)
        self.assertEqual(['10.0.0.2', '10.0.0.3'], plugged.nameservers)

    def test_fixed_address_and_groups(self):
        self.answer('GET', 'security-groups?tenant_id=p', security_groups=[
            {'id': 'g1', 'name': 'web'}, {'id': 'g2', 'name': 'db'}])
        self.answer('POST', 'ports', port=port())
        self.plug(requested(fixed_ip='10.0.0.7'),
                  container=self.container(security_groups=['web', 'g2']))
        body = self.written()[0][3]['port']
        self.assertEqual(([{'ip_address': '10.0.0.7'}], ['g1', 'g2']),
                         (body['fixed_ips'], body['security_groups']))

    def test_unknown_group(self):
        self.answer('GET', 'security-groups?tenant_id=p',
                    security_groups=[])
        error = self.assertRaises(
            exception.ZunException, self.plug, requested(),
            container=self.container(security_groups=['web']))
        self.assertIn('web', str(error))
        self.assertEqual([], self.written())

    def test_last_network_first(self):
        """It has always been a container's first interface."""
        self.answer('POST', 'ports', port=port('p1', OTHER_NET))
        self.answer('POST', 'ports', port=port('p2', NET))
        plugged = self.plug(requested(NET), requested(OTHER_NET))
        self.assertEqual([OTHER_NET, NET], [
            body['port']['network_id'] for __, __, __, body
            in self.written()])
        self.assertEqual(['p1', 'p2'], [vif['id'] for vif in plugged.vifs])

    def test_port_that_cannot_be_bound(self):
        self.answer('POST', 'ports', port=port(
            **{'binding:vif_type': 'binding_failed'}))
        error = self.assertRaises(exception.PortBindingFailed, self.plug,
                                  requested())
        self.assertIn('p1', str(error))

    def test_no_such_network(self):
        self.answer('GET', 'networks/gone', 404)
        self.assertRaises(exception.NetworkNotFound, self.plug,
                          requested('gone'))

    def test_network_without_subnet(self):
        self.answer('GET', 'networks/bare', network={'id': 'bare'})
        self.answer('GET', 'subnets?network_id=bare', subnets=[])
        self.assertRaises(exception.Invalid, self.plug, requested('bare'))
        self.assertEqual([], self.written())

    def test_neutron_refuses(self):
        self.answer('POST', 'ports', 409, NeutronError={
            'type': 'OverQuota', 'message': 'no more', 'detail': ''})
        error = self.assertRaises(clients.PeerRefused, self.plug,
                                  requested())
        self.assertEqual('no more', error.text)

    def test_port_of_an_earlier_attempt(self):
        self.answer('GET', 'ports?device_id=%s&network_id=%s'
                    % (UUID, NET), ports=[port()])
        plugged = self.plug(requested(), again=True)
        self.assertEqual([], self.written())
        self.assertEqual(['p1'], [vif['id'] for vif in plugged.vifs])


class TestUsersPort(NetworkTestCase):

    GIVEN = requested(port='p1', preserve_on_delete=True)

    def plug(self):
        return self.driver().plug(self.container(), HOST, [self.GIVEN])

    def test_free(self):
        self.answer('GET', 'ports/p1', port=port(device_id='',
                                                 revision_number=7))
        self.answer('PUT', 'ports/p1', port=port())
        self.assertEqual({NET: [address(preserve=True)]},
                         self.plug().addresses)
        self.assertEqual([('service', 'PUT', 'ports/p1', {'port': {
            'device_id': UUID, 'device_owner': 'compute:zun',
            'binding:host_id': HOST}})], self.written())
        self.assertIn('revision_number=7', [
            headers.get('If-Match') for headers in self.peers.headers])

    def test_taken_already(self):
        self.answer('GET', 'ports/p1', port=port())
        self.answer('PUT', 'ports/p1', port=port())
        self.plug()

    def test_in_use_by_another(self):
        self.answer('GET', 'ports/p1', port=port(device_id='other'))
        self.assertRaises(exception.PortInUse, self.plug)
        self.assertEqual([], self.written())

    def test_taken_by_another_meanwhile(self):
        self.answer('GET', 'ports/p1', port=port(device_id='',
                                                 revision_number=7))
        self.answer('PUT', 'ports/p1', 412)
        self.assertRaises(exception.PortInUse, self.plug)

    def test_gone(self):
        self.answer('GET', 'ports/p1', 404)
        self.assertRaises(clients.PeerRefused, self.plug)


class TestUnplug(NetworkTestCase):

    def unplug(self, *entries, **kwargs):
        self.driver(**kwargs).unplug(self.container(),
                                     {NET: list(entries)})

    def test_own_port_is_deleted(self):
        self.answer('DELETE', 'ports/p1', 204)
        self.unplug(address(), address())
        self.assertEqual([('service', 'DELETE', 'ports/p1', None)],
                         self.written())

    def test_gone(self):
        self.answer('DELETE', 'ports/p1', 404)
        self.unplug(address())

    def test_refused(self):
        self.answer('DELETE', 'ports/p1', 409)
        self.assertRaises(clients.PeerRefused, self.unplug, address())

    def give_back(self, status=200, **kwargs):
        self.answer('GET', 'ports?id=p1', ports=[port(
            **{'binding:profile': {'pci_slot': '1', 'mine': 2}})])
        self.answer('PUT', 'ports/p1', status, port=port())
        self.unplug(address(preserve=True), **kwargs)

    def test_users_port_is_given_back(self):
        self.give_back()
        self.assertEqual([('service', 'PUT', 'ports/p1', {'port': {
            'device_id': '', 'device_owner': '', 'binding:host_id': None,
            'binding:profile': {'mine': 2}}})], self.written())

    def test_users_port_that_is_gone(self):
        self.give_back(404)

    def test_neutron_away(self):
        """Tried again, as long as there are attempts left."""
        self.assertRaises(clients.PeerUnavailable, self.give_back, 503,
                          last=False)
        self.give_back(503)

    def test_nothing(self):
        self.driver().unplug(self.container(), {})
        self.driver().unplug(self.container(), None)
        self.assertEqual([], self.peers.calls)


class TestLeftOver(NetworkTestCase):

    def test_ports(self):
        self.answer('GET', 'ports?device_id=' + UUID, ports=[
            port(), port('mine', OTHER_NET), port('bare', 'net-3',
                                                  fixed_ips=[])])
        self.assertEqual(
            {NET: [address()], OTHER_NET: [address('mine', True)],
             'net-3': [{'port': 'bare', 'preserve_on_delete': False}]},
            self.driver().left_over(self.container(),
                                    [requested(port='mine')]))


class TestAttach(NetworkTestCase):

    def test_network_it_is_on(self):
        error = self.assertRaises(
            exception.ZunException, self.driver().attach,
            self.container(addresses={NET: [address()]}), HOST,
            requested())
        self.assertIn('already connected', str(error))

    def test_one_more(self):
        self.answer('POST', 'ports', port=port('p2', OTHER_NET))
        plugged = self.driver().attach(
            self.container(addresses={NET: [address()]}), HOST,
            requested(OTHER_NET))
        self.assertEqual([OTHER_NET], list(plugged.addresses))


class TestRebind(NetworkTestCase):

    def rebind(self):
        return self.driver().rebind(self.container(), HOST,
                                    {NET: [address()]})

    def look_ups(self, ports, networks):
        for key in ('id', 'name'):
            self.answer('GET', 'ports?%s=p1' % key, ports=ports)
            self.answer('GET', 'networks?%s=%s' % (key, NET),
                        networks=networks)

    def test_same_port(self):
        self.look_ups([port(device_id='')], [{'id': NET}])
        self.answer('GET', 'ports/p1', port=port(device_id=''))
        self.answer('PUT', 'ports/p1', port=port())
        self.assertEqual({NET: [address()]}, self.rebind().addresses)
        self.assertEqual(['', UUID], [
            body['port']['device_id'] for __, __, __, body
            in self.written()])

    def test_what_is_gone_changes_nothing(self):
        self.look_ups([], [{'id': NET}])
        self.assertRaises(exception.PortNotFound, self.rebind)
        self.assertEqual([], self.written())

    def test_network_that_is_gone(self):
        self.look_ups([port()], [])
        self.assertRaises(exception.NetworkNotFound, self.rebind)
        self.assertEqual([], self.written())


class TestExposedPorts(NetworkTestCase):

    def open(self, status=201, **kwargs):
        self.answer('GET', 'security-groups?name=zun-' + UUID,
                    security_groups=[{'id': 'old'}])
        self.answer('DELETE', 'security-groups/old', 204)
        self.answer('POST', 'security-groups', 201,
                    security_group={'id': 'g1'})
        self.answer('POST', 'security-group-rules', status,
                    security_group_rule={})
        return self.driver(**kwargs).open_ports(self.container(
            exposed_ports={'80/tcp': {}, '53/udp': {}}))

    def test_group_and_rules(self):
        self.assertEqual('g1', self.open())
        self.assertEqual(
            [('udp', '53'), ('tcp', '80')],
            [(body['security_group_rule']['protocol'],
              body['security_group_rule']['port_range_min'])
             for __, __, path, body in self.written()
             if path == 'security-group-rules'])
        self.assertEqual({'user'}, {who for who, *__ in self.written()})

    def test_group_of_an_earlier_attempt(self):
        self.open(again=True)
        self.assertEqual(('user', 'DELETE', 'security-groups/old', None),
                         self.written()[0])

    def test_rule_that_is_refused(self):
        self.answer('DELETE', 'security-groups/g1', 204)
        error = self.assertRaises(exception.ZunException, self.open, 409)
        self.assertIn('security group rules', str(error))
        self.assertEqual('security-groups/g1', self.written()[-1][2])

    def close(self, *groups, **kwargs):
        self.driver(**kwargs).close_ports(
            self.container(security_groups=list(groups)))

    def test_close(self):
        self.answer('DELETE', 'security-groups/g1', 204)
        self.close('g1')
        self.assertEqual(['security-groups/g1'],
                         [path for __, __, path, __ in self.written()])

    def test_close_by_name_among_others(self):
        self.answer('GET', 'security-groups?name=zun-' + UUID,
                    security_groups=[{'id': 'g2'}])
        self.answer('DELETE', 'security-groups/g2', 204)
        self.close('g1', 'g2', 'g3')
        self.assertEqual(['security-groups/g2'],
                         [path for __, __, path, __ in self.written()])

    def test_close_what_is_gone(self):
        self.answer('DELETE', 'security-groups/g1', 404)
        self.close('g1')

    def test_close_nothing(self):
        self.answer('GET', 'security-groups?name=zun-' + UUID,
                    security_groups=[])
        self.close()
        self.assertEqual([], self.written())


class TestGroupsOfPorts(NetworkTestCase):

    def change(self, verb, groups, status=200, **kwargs):
        self.answer('GET', 'ports?tenant_id=p', ports=[
            port(security_groups=groups), port('other')])
        self.answer('PUT', 'ports/p1', status, port=port())
        getattr(self.driver(**kwargs), verb + '_security_group')(
            self.container(addresses={NET: [address()]}), 'g')
        return [body['port'] for __, __, __, body in self.written()]

    def test_add(self):
        self.assertEqual([{'security_groups': ['d', 'g']}],
                         self.change('add', ['d']))

    def test_add_again(self):
        self.assertEqual([], self.change('add', ['g'], again=True))

    def test_remove(self):
        self.assertEqual([{'security_groups': ['d']}],
                         self.change('remove', ['d', 'g']))

    def test_remove_again(self):
        self.assertEqual([], self.change('remove', ['d'], again=True))

    def test_refused(self):
        self.assertRaises(exception.SecurityGroupCannotBeApplied,
                          self.change, 'add', [], 409)
        self.assertRaises(exception.SecurityGroupCannotBeRemoved,
                          self.change, 'remove', ['g'], 409)


class TestLoad(base.TestCase):

    def test_old_name(self):
        self.config('network', driver='kuryr')
        self.assertEqual(driver.load_network_driver('cni'),
                         driver.load_network_driver('kuryr'))

    def test_unknown_name(self):
        error = self.assertRaises(exception.ConfigInvalid,
                                  driver.load_network_driver, 'calico')
        self.assertIn('calico', str(error))
