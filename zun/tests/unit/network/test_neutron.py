# SPDX-License-Identifier: Apache-2.0

from oslo_utils import uuidutils

from zun.common import clients
from zun.common import context as zun_context
from zun.common import exception
from zun.network import neutron
from zun.tests import base
from zun.tests import peers

NET = '00000000-0000-4000-8000-00000000000a'
PORT = '00000000-0000-4000-8000-00000000000b'


def network(**kwargs):
    return dict({'id': NET, 'name': 'net', 'router:external': False,
                 'shared': False}, **kwargs)


def port(**kwargs):
    return dict({'id': PORT, 'name': 'port', 'network_id': NET,
                 'tenant_id': 'p', 'device_id': '', 'status': 'DOWN'},
                **kwargs)


class NeutronTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.peers = self.useFixture(peers.Peers())
        self.api = neutron.NeutronAPI(self.context())

    def context(self, **kwargs):
        return zun_context.RequestContext(**dict(
            {'auth_token': peers.USER_TOKEN, 'project_id': 'p',
             'user_id': 'u', 'roles': ['member']}, **kwargs))

    def answer(self, path, **body):
        self.peers.answer('neutron', 'GET', '/v2.0/' + path, body)

    def asked(self):
        return [(who, path[len('/v2.0/'):]) for who, _service, _method, path,
                _body in self.peers.calls]


class LookUpTest(NeutronTestCase):

    def test_network_by_name(self):
        self.answer('networks?name=net', networks=[network()])
        self.assertEqual(NET, self.api.get_neutron_network('net')['id'])

    def test_network_by_id(self):
        self.answer('networks?id=' + NET, networks=[network()])
        self.assertEqual(NET, self.api.get_neutron_network(NET)['id'])

    def test_id_without_dashes_counts_as_id(self):
        bare = NET.replace('-', '')
        self.answer('networks?id=' + bare, networks=[])
        self.assertRaises(exception.NetworkNotFound,
                          self.api.get_neutron_network, bare)

    def test_ambiguous_network(self):
        self.answer('networks?name=net', networks=[network(), network()])
        error = self.assertRaises(exception.Conflict,
                                  self.api.get_neutron_network, 'net')
        self.assertIn('Multiple neutron networks', str(error))

    def test_port_not_found(self):
        self.answer('ports?name=x', ports=[])
        error = self.assertRaises(exception.PortNotFound,
                                  self.api.get_neutron_port, 'x')
        self.assertEqual('Neutron port x could not be found.', str(error))

    def test_ambiguous_port(self):
        self.answer('ports?name=x', ports=[port(), port()])
        self.assertRaises(exception.Conflict, self.api.get_neutron_port, 'x')

    def test_oldest_own_network_is_the_default(self):
        self.answer('networks?tenant_id=p&shared=False', networks=[
            network(id='new', created_at='2025-01-02T00:00:00Z'),
            network(id='old', created_at='2025-01-01T00:00:00Z')])
        self.assertEqual('old', self.api.get_available_network()['id'])

    def test_shared_network_when_there_is_no_own(self):
        self.answer('networks?tenant_id=p&shared=False', networks=[])
        self.answer('networks?shared=True', networks=[network(shared=True)])
        self.assertEqual(NET, self.api.get_available_network()['id'])

    def test_no_network_at_all(self):
        self.answer('networks?tenant_id=p&shared=False', networks=[])
        self.answer('networks?shared=True', networks=[])
        self.assertRaises(exception.Conflict, self.api.get_available_network)

    def test_neutron_refusing_is_told(self):
        self.peers.answer('neutron', 'GET', '/v2.0/networks?name=net', {},
                          403)
        error = self.assertRaises(clients.PeerRefused,
                                  self.api.get_neutron_network, 'net')
        self.assertEqual(403, error.code)


class PortCheckTest(NeutronTestCase):

    def check(self, expected, **kwargs):
        error = self.assertRaises(
            expected, self.api.ensure_neutron_port_usable, port(**kwargs))
        self.assertEqual(400, error.code)

    def test_usable(self):
        self.api.ensure_neutron_port_usable(port())

    def test_unknown_state_is_usable(self):
        self.api.ensure_neutron_port_usable(port(status='N/A'))

    def test_owner_comes_first(self):
        self.check(exception.PortNotUsable, tenant_id='other', device_id='x')

    def test_use_comes_before_state(self):
        self.check(exception.PortInUse, device_id='x', status='ERROR')

    def test_state_comes_before_binding(self):
        for status in ('ACTIVE', 'BUILD', 'ERROR'):
            self.check(exception.PortNotUsable, status=status,
                       **{'binding:vif_type': 'binding_failed'})

    def test_binding(self):
        self.check(exception.PortBindingFailed,
                   **{'binding:vif_type': 'binding_failed'})


class ExternalNetworkTest(NeutronTestCase):

    def test_member_may_not_plug_into_an_external_network(self):
        error = self.assertRaises(
            exception.ExternalNetworkAttachForbidden,
            self.api.check_external_network,
            network(**{'router:external': True}))
        self.assertEqual(403, error.code)

    def test_shared_external_network_is_open_to_all(self):
        self.api.check_external_network(
            network(shared=True, **{'router:external': True}))

    def test_administrator_may(self):
        api = neutron.NeutronAPI(self.context(roles=['admin']))
        api.check_external_network(network(**{'router:external': True}))


class SecurityGroupTest(NeutronTestCase):

    def test_by_name_in_the_own_project(self):
        self.answer('security-groups?fields=id&name=sg&tenant_id=p',
                    security_groups=[{'id': '1'}])
        self.assertEqual('1', self.api.find_security_group('sg'))

    def test_by_id(self):
        self.answer('security-groups?fields=id&id=' + NET,
                    security_groups=[{'id': NET}])
        self.assertEqual(NET, self.api.find_security_group(NET))

    def test_name_that_looks_like_an_id(self):
        self.answer('security-groups?fields=id&id=' + NET,
                    security_groups=[])
        self.answer('security-groups?fields=id&name=%s&tenant_id=p' % NET,
                    security_groups=[{'id': '1'}])
        self.assertEqual('1', self.api.find_security_group(NET))

    def test_not_found(self):
        self.answer('security-groups?fields=id&name=x&tenant_id=p',
                    security_groups=[])
        error = self.assertRaises(exception.InvalidValue,
                                  self.api.find_security_group, 'x')
        self.assertEqual('Security group x not found.', str(error))

    def test_ambiguous(self):
        self.answer('security-groups?fields=id&name=x&tenant_id=p',
                    security_groups=[{'id': '1'}, {'id': '2'}])
        self.assertRaises(exception.Conflict,
                          self.api.find_security_group, 'x')

    def test_each_name_is_looked_up_once(self):
        self.answer('security-groups?fields=id&name=a&tenant_id=p',
                    security_groups=[{'id': '1'}])
        self.assertEqual(['1'], self.api.find_security_groups(['a', 'a']))
        self.assertEqual(1, len(self.asked()))


class RequestedNetworkTest(NeutronTestCase):

    def test_network_with_addresses_prefers_version_4(self):
        self.answer('networks?name=net', networks=[network()])
        self.assertEqual(
            {'network': NET, 'port': '', 'fixed_ip': '10.0.0.9',
             'router:external': False, 'shared': False,
             'preserve_on_delete': False},
            self.api.request_network({
                'network': 'net', 'v4-fixed-ip': '10.0.0.9',
                'v6-fixed-ip': 'fe80::1'}))

    def test_port_outlives_the_container(self):
        self.answer('ports?name=port', ports=[port()])
        self.answer('networks?id=' + NET, networks=[network()])
        requested = self.api.request_network({'port': 'port'})
        self.assertEqual((PORT, '', True), (
            requested['port'], requested['fixed_ip'],
            requested['preserve_on_delete']))

    def test_unusable_port_is_refused_before_its_network_is_read(self):
        self.answer('ports?name=port', ports=[port(device_id='x')])
        self.assertRaises(exception.PortInUse, self.api.request_network,
                          {'port': 'port'})
        self.assertEqual(1, len(self.asked()))

    def test_no_wish_means_the_default_network(self):
        self.answer('networks?tenant_id=p&shared=False',
                    networks=[network()])
        self.assertEqual([NET], [item['network'] for item in
                                 self.api.request_networks([])])


class PciRequestTest(NeutronTestCase):

    def requested(self, vnic_type):
        self.answer('ports/%s?fields=binding:vnic_type&fields=network_id'
                    % PORT, port={'binding:vnic_type': vnic_type,
                                  'network_id': NET})
        self.answer('networks/%s?fields=provider:physical_network' % NET,
                    network={'provider:physical_network': 'physnet1'})
        entry = {'network': NET, 'port': PORT}
        return entry, self.api.pci_requests([entry])

    def test_virtual_function(self):
        for vnic_type in ('direct', 'macvtap', 'virtio-forwarder'):
            entry, found = self.requested(vnic_type)
            request = found.requests[0]
            self.assertEqual([{'physical_network': 'physnet1'}],
                             request.spec)
            self.assertEqual(1, request.count)
            self.assertTrue(uuidutils.is_uuid_like(request.request_id))
            self.assertEqual(request.request_id, entry['pci_request_id'])
            self.peers._answers.clear()

    def test_physical_function(self):
        _entry, found = self.requested('direct-physical')
        self.assertEqual([{'physical_network': 'physnet1',
                           'dev_type': 'PF'}], found.requests[0].spec)

    def test_ordinary_port_needs_no_device(self):
        entry, found = self.requested('normal')
        self.assertIsNone(found)
        self.assertIsNone(entry['pci_request_id'])

    def test_provider_network_is_read_as_the_service(self):
        self.requested('direct')
        self.assertEqual(['user', 'service'],
                         [who for who, _path in self.asked()])

    def test_network_needs_no_device_and_no_request(self):
        entry = {'network': NET, 'port': ''}
        self.assertIsNone(self.api.pci_requests([entry]))
        self.assertEqual([], self.asked())
        self.assertIsNone(entry['pci_request_id'])


class WriteTest(NeutronTestCase):

    def test_port_is_made_as_the_service(self):
        self.peers.answer('neutron', 'POST', '/v2.0/ports',
                          {'port': {'id': PORT}}, 201)
        made = self.api.create('ports', {'network_id': NET}, admin=True)
        self.assertEqual(PORT, made['id'])
        self.assertEqual(('service', {'port': {'network_id': NET}}),
                         (self.peers.calls[0][0], self.peers.calls[0][4]))

    def test_update_can_ask_for_a_revision(self):
        self.peers.answer('neutron', 'PUT', '/v2.0/ports/1',
                          {'port': {'id': '1'}})
        self.api.update('ports', '1', {'name': 'x'}, if_revision=7)
        self.assertEqual('revision_number=7',
                         self.peers.headers[0]['If-Match'])

    def test_group_rule_has_its_own_key(self):
        self.peers.answer('neutron', 'POST', '/v2.0/security-group-rules',
                          {'security_group_rule': {'id': '1'}}, 201)
        self.assertEqual({'id': '1'}, self.api.create(
            'security-group-rules', {'direction': 'ingress'}))

    def test_delete_of_what_is_gone(self):
        self.peers.answer('neutron', 'DELETE', '/v2.0/ports/1', {}, 404)
        error = self.assertRaises(clients.PeerRefused, self.api.delete,
                                  'ports', '1')
        self.assertEqual(404, error.status)
