# SPDX-License-Identifier: Apache-2.0

from keystoneauth1 import exceptions as ks_exc

from zun.common import clients
from zun.common import context as zun_context
from zun.common import keystone
from zun.tests import base
from zun.tests import peers


def user_context(**kwargs):
    return zun_context.RequestContext(
        auth_token=peers.USER_TOKEN, project_id='p', user_id='u', **kwargs)


class ClientTest(base.TestCase):

    def setUp(self):
        super().setUp()
        self.peers = self.useFixture(peers.Peers())
        self.clients = clients.OpenStackClients(user_context())

    def refusal(self, status, body):
        self.peers.answer('neutron', 'GET', '/v2.0/x', body, status)
        return self.assertRaises(
            clients.PeerError, self.clients.neutron().get, '/v2.0/x')

    def test_caller_token_is_used(self):
        self.peers.answer('neutron', 'GET', '/v2.0/x', {})
        self.clients.neutron().get('/v2.0/x')
        self.assertEqual('user', self.peers.calls[0][0])

    def test_admin_asks_as_service(self):
        self.peers.answer('neutron', 'GET', '/v2.0/x', {})
        self.clients.neutron(admin=True).get('/v2.0/x')
        self.assertEqual('service', self.peers.calls[0][0])

    def test_placement_is_asked_as_service(self):
        self.peers.answer('placement', 'GET', '/traits', {})
        self.clients.placement().get('/traits', microversion='1.6')
        self.assertEqual('service', self.peers.calls[0][0])
        self.assertEqual('placement 1.6',
                         self.peers.headers[0]['OpenStack-API-Version'])

    def test_context_without_token_asks_as_service(self):
        self.peers.answer('neutron', 'GET', '/v2.0/x', {})
        context = zun_context.get_admin_context()
        clients.OpenStackClients(context).neutron().get('/v2.0/x')
        self.assertEqual('service', self.peers.calls[0][0])

    def test_service_shows_a_service_token_to_cinder(self):
        self.peers.answer('cinder', 'GET', '/v3/p/volumes/1', {})
        self.clients.cinder(admin=True).get('/volumes/1')
        self.assertEqual(peers.SERVICE_TOKEN,
                         self.peers.headers[0]['X-Service-Token'])

    def test_request_id_is_passed_on(self):
        context = user_context(request_id='req-1')
        self.peers.answer('neutron', 'GET', '/v2.0/x', {})
        clients.OpenStackClients(context).neutron().get('/v2.0/x')
        self.assertEqual('req-1',
                         self.peers.headers[0]['X-OpenStack-Request-ID'])

    def test_one_token_serves_many_requests(self):
        self.peers.answer('neutron', 'GET', '/v2.0/x', {})
        for _attempt in range(3):
            clients.OpenStackClients(user_context()).neutron().get('/v2.0/x')
        self.assertEqual([peers.USER_TOKEN], self.peers.tokens)

    def test_catalogue_of_the_request_spares_the_identity_service(self):
        context = user_context(auth_token_info=peers.token_document())
        self.peers.answer('neutron', 'GET', '/v2.0/x', {})
        clients.OpenStackClients(context).neutron().get('/v2.0/x')
        self.assertEqual([], self.peers.tokens)
        self.assertEqual('user', self.peers.calls[0][0])

    def test_refusal_of_neutron(self):
        error = self.refusal(403, {'NeutronError': {
            'message': 'no way', 'type': 'X', 'detail': ''}})
        self.assertIsInstance(error, clients.PeerRefused)
        self.assertEqual(403, error.code)
        self.assertEqual('Neutron refused the request: no way (HTTP 403)',
                         str(error))

    def test_error_of_the_peer_means_unavailable(self):
        error = self.refusal(500, {})
        self.assertIsInstance(error, clients.PeerUnavailable)
        self.assertEqual((503, 500), (error.code, error.status))

    def test_too_many_requests_means_unavailable(self):
        self.assertIsInstance(self.refusal(429, {}), clients.PeerUnavailable)

    def test_odd_refusal_is_a_bad_request(self):
        self.assertEqual(400, self.refusal(418, {}).code)

    def test_refused_connection_means_unavailable(self):
        self.peers.refuse('neutron')
        error = self.assertRaises(clients.PeerUnavailable,
                                  self.clients.neutron().get, '/v2.0/x')
        self.assertEqual((503, None), (error.code, error.status))

    def test_identity_service_away_means_unavailable(self):
        self.peers.refuse('keystone')
        self.assertRaises(clients.PeerUnavailable,
                          self.clients.neutron().get, '/v2.0/x')

    def test_peer_missing_in_the_catalogue_means_unavailable(self):
        document = peers.token_document()
        del document['token']['catalog'][0]
        context = user_context(auth_token_info=document)
        self.assertRaises(
            clients.PeerUnavailable,
            clients.OpenStackClients(context).neutron().get, '/v2.0/x')

    def test_no_service_account_means_unavailable(self):
        self.config('keystone_auth', auth_type=None)
        error = self.assertRaises(clients.PeerUnavailable,
                                  self.clients.placement)
        self.assertIn('[keystone_auth]', str(error))


class ErrorTextTest(base.BaseTestCase):

    def text(self, status, body):
        import requests
        answer = requests.Response()
        answer.status_code = status
        answer._content = body
        return clients.error_text(answer)

    def test_cinder(self):
        self.assertEqual('gone', self.text(
            404, b'{"itemNotFound": {"code": 404, "message": "gone"}}'))

    def test_placement(self):
        self.assertEqual('bad', self.text(
            400, b'{"errors": [{"status": 400, "detail": "bad"}]}'))

    def test_flat(self):
        self.assertEqual('m', self.text(400, b'{"message": "m"}'))

    def test_none(self):
        for body in (b'', b'<html>', b'[]', b'{}', b'{"error": "x"}'):
            self.assertIsNone(self.text(400, body))


class SessionTest(base.TestCase):

    def setUp(self):
        super().setUp()
        keystone.reset()
        self.addCleanup(keystone.reset)

    def test_certificate_authority_and_key_of_the_group(self):
        self.config('neutron_client', ca_file='/ca', cert_file='/c',
                    key_file='/k')
        self.assertEqual({'verify': '/ca', 'cert': ('/c', '/k')},
                         keystone.tls('neutron_client'))

    def test_insecure_wins(self):
        self.config('cinder_client', ca_file='/ca', insecure=True)
        self.assertIs(False, keystone.tls('cinder_client')['verify'])

    def test_sessions_are_shared_by_equal_settings(self):
        self.assertIs(keystone.session(), keystone.session())
        self.assertIsNot(keystone.session(), keystone.session(verify=False))

    def test_silence_has_a_limit(self):
        self.assertEqual(keystone.TIMEOUT, keystone.session().timeout)

    def test_no_identity_service_is_said(self):
        error = self.assertRaises(ks_exc.MissingAuthPlugin,
                                  keystone.auth_url)
        self.assertIn('auth_url', str(error))
