# SPDX-License-Identifier: Apache-2.0
import base64
import json
import os

from zun.common import exception
from zun.common.k8s import client
from zun.common.k8s import errors
from zun.conf import CONF
from zun.tests import base
from zun.tests.unit.common.k8s import server

POD = {'metadata': {'name': 'a', 'namespace': 'n'}}


class ClientTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.server = self.useFixture(server.Server())
        self.config('kubernetes', api_server=self.server.url,
                    connect_timeout=5, request_timeout=5)
        self.cluster = self.server.cluster()

    def answer(self, *answers):
        self.server.answers.extend(answers)

    def asked(self):
        return [request[:2] for request in self.server.asked]


class TestRequests(ClientTestCase):

    def test_paths(self):
        for resource, namespace, name, path in (
                (client.PODS, 'n', 'a', '/api/v1/namespaces/n/pods/a'),
                (client.PODS, None, None, '/api/v1/pods'),
                (client.NODES, None, 'a', '/api/v1/nodes/a'),
                (client.NODES, 'n', 'a', '/api/v1/nodes/a'),
                (client.LEASES, 'n', 'a', '/apis/coordination.k8s.io/v1'
                                          '/namespaces/n/leases/a')):
            self.assertEqual(path, resource.path(namespace, name))

    def test_get(self):
        self.answer((200, POD))
        self.assertEqual(POD, self.cluster.get(client.PODS, 'a', 'n'))
        self.assertEqual([('GET', '/api/v1/namespaces/n/pods/a')],
                         self.asked())

    def test_find(self):
        self.answer((404, {'message': 'no'}), (200, POD))
        self.assertIsNone(self.cluster.find(client.PODS, 'a', 'n'))
        self.assertEqual(POD, self.cluster.find(client.PODS, 'a', 'n'))

    def test_list_of_many_pages(self):
        self.answer(
            (200, {'items': [1, 2], 'metadata': {'continue': 'more'}}),
            (200, {'items': [3], 'metadata': {'resourceVersion': '7'}}))
        self.assertEqual(([1, 2, 3], '7'), self.cluster.list(
            client.PODS, labels='a=b', fields='c=d'))
        queries = [request[2] for request in self.server.asked]
        self.assertEqual([None, 'more'], [query.get('continue')
                                          for query in queries])
        for query in queries:
            self.assertEqual(('a=b', 'c=d'), (query['labelSelector'],
                                              query['fieldSelector']))

    def test_create_and_replace(self):
        self.answer((201, POD), (200, POD))
        self.cluster.create(client.PODS, POD, 'n')
        self.cluster.replace(client.PODS, 'a', POD, 'n')
        self.assertEqual([('POST', '/api/v1/namespaces/n/pods'),
                          ('PUT', '/api/v1/namespaces/n/pods/a')],
                         self.asked())
        self.assertEqual(POD, self.server.asked[0][4])

    def test_patch(self):
        self.answer((200, POD))
        self.cluster.patch(client.PODS, 'a', {'x': 1}, 'n',
                           content_type=client.STRATEGIC_PATCH,
                           subresource='resize')
        method, path, __, headers, body = self.server.asked[0]
        self.assertEqual(('PATCH', '/api/v1/namespaces/n/pods/a/resize',
                          {'x': 1}), (method, path, body))
        self.assertEqual(client.STRATEGIC_PATCH, headers['Content-Type'])

    def test_delete(self):
        self.answer((200, {}), (200, {}))
        self.cluster.delete(client.PODS, 'a', 'n', grace=0, uid='u',
                            version='7')
        self.cluster.delete(client.PODS, 'a', 'n')
        first, second = (request[4] for request in self.server.asked)
        self.assertEqual((0, {'uid': 'u', 'resourceVersion': '7'}),
                         (first['gracePeriodSeconds'],
                          first['preconditions']))
        self.assertNotIn('gracePeriodSeconds', second)
        self.assertNotIn('preconditions', second)

    def test_token(self):
        path = self.path('token')
        self.config('kubernetes', token_file=path)
        cluster = client.Cluster(client.load_configuration())
        for token in ('first', 'second'):
            with open(path, 'w') as file:
                file.write(token + '\n')
            self.answer((200, POD))
            cluster.get(client.PODS, 'a', 'n')
            self.assertEqual('Bearer ' + token,
                             self.server.asked[-1][3]['Authorization'])

    def test_token_that_cannot_be_read(self):
        self.config('kubernetes', token_file=self.path('none'))
        cluster = client.Cluster(client.load_configuration())
        self.assertRaises(errors.Unavailable, cluster.get, client.PODS, 'a')


class TestErrors(ClientTestCase):

    def get(self):
        return self.cluster.get(client.PODS, 'a', 'n')

    def test_answer(self):
        self.answer((422, {'message': 'spec: bad'}))
        error = self.assertRaises(errors.Invalid, self.get)
        self.assertIn('spec: bad', str(error))

    def test_overloaded(self):
        self.answer((429, {}, {'Retry-After': '3'}))
        self.assertEqual(3, self.assertRaises(
            errors.Unavailable, self.get).retry_after)

    def test_read_over_a_connection_gone_stale(self):
        self.answer(server.RESET, (200, POD))
        self.assertEqual(POD, self.get())

    def test_write_is_not_repeated(self):
        """Whether the server has done it is not known."""
        self.answer(server.RESET)
        self.assertRaises(errors.Unavailable, self.cluster.create,
                          client.PODS, POD, 'n')
        self.assertEqual(1, len(self.server.asked))

    def test_server_that_is_away(self):
        cluster = self.server.cluster(host='http://127.0.0.1:9')
        error = self.assertRaises(errors.Unavailable, cluster.get,
                                  client.PODS, 'a')
        self.assertTrue(error.transient)


class TestConfiguration(base.TestCase):

    def load(self):
        return client.load_configuration(CONF.kubernetes)

    def kubeconfig(self, **cluster):
        document = {
            'apiVersion': 'v1', 'kind': 'Config', 'current-context': 'one',
            'clusters': [{'name': name, 'cluster': {
                'server': 'https://%s.test' % name, **cluster}}
                for name in ('one', 'two')],
            'users': [{'name': 'u', 'user': {'token': 'secret'}}],
            'contexts': [{'name': name, 'context': {
                'cluster': name, 'user': 'u'}} for name in ('one', 'two')]}
        path = self.path('kubeconfig')
        with open(path, 'w') as file:
            json.dump(document, file)
        self.config('kubernetes', kubeconfig=path)

    def test_kubeconfig(self):
        self.kubeconfig()
        self.assertEqual('https://one.test', self.load().host)
        self.config('kubernetes', context='two')
        self.assertEqual('https://two.test', self.load().host)

    def test_authority(self):
        data = base64.b64encode(b'certificate').decode()
        self.kubeconfig(**{'certificate-authority-data': data})
        with open(self.load().ssl_ca_cert, 'rb') as file:
            self.assertEqual(b'certificate', file.read())
        self.config('kubernetes', ca_file='/etc/ca.pem')
        self.assertEqual('/etc/ca.pem', self.load().ssl_ca_cert)

    def test_options_over_kubeconfig(self):
        self.kubeconfig()
        self.config('kubernetes', cert_file='/c', key_file='/k',
                    insecure=True, pool_size=7)
        made = self.load()
        self.assertEqual(
            ('/c', '/k', False, 7),
            (made.cert_file, made.key_file, made.verify_ssl,
             made.connection_pool_maxsize))

    def test_nothing_said(self):
        self.assertNotIn('KUBERNETES_SERVICE_HOST', os.environ)
        error = self.assertRaises(exception.ConfigInvalid, self.load)
        self.assertIn('kubeconfig', str(error))

    def test_file_that_is_not_there(self):
        self.config('kubernetes', kubeconfig=self.path('none'))
        self.assertRaises(exception.ConfigInvalid, self.load)


class TestShared(base.TestCase):

    def setUp(self):
        super().setUp()
        self.config('kubernetes', api_server='http://127.0.0.1:1')
        client.reset()
        self.addCleanup(client.reset)

    def test_one_for_all(self):
        first = client.get_cluster()
        self.assertIs(first, client.get_cluster())
        client.reset()
        self.assertIsNot(first, client.get_cluster())
