# SPDX-License-Identifier: Apache-2.0
"""The listener and who asks it, over real TLS."""

import ssl
from unittest import mock

import urllib3

from zun.common import exception
from zun.common import process
from zun.common import tickets
from zun.compute.streams import application
from zun.compute.streams import server
from zun.container import errors
from zun.container.k8s import streams
from zun.container.runtime import base as runtime_base
from zun.tests import base
from zun.tests import certificates

NODE = 'node-1'
CONTAINER = mock.Mock(uuid='c-1', spec_set=['uuid'])
POD = {'spec': {'nodeName': NODE}, 'status': {'hostIP': '127.0.0.1'}}


class Driver:
    """Answers as told.

    :ivar asked: operation, container, arguments, data of each request
    """

    def __init__(self):
        self.asked = []
        self.answer = ({}, b'')

    def on_node(self, *asked):
        self.asked.append(asked)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class StreamTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.authority = self.useFixture(certificates.Authority())
        cert, key = self.authority.issue(NODE)
        client_cert, client_key = self.authority.issue('zun-api')
        self.config(
            group='agent', stream_ca_file=self.authority.ca_file,
            stream_cert_file=cert, stream_key_file=key,
            stream_client_cert_file=client_cert,
            stream_client_key_file=client_key, stream_port=0,
            stream_host='127.0.0.1')
        self.driver = Driver()
        patch = mock.patch.object(application, '_container', autospec=True,
                                  side_effect=lambda uuid: uuid)
        patch.start()
        self.addCleanup(patch.stop)
        listener = server.StreamServer(self.driver)
        listener.start()
        self.addCleanup(listener.stop)
        self.port = listener.port
        self.config(group='agent', stream_port=self.port)

    def ask(self, operation='logs', pod=POD, data=None, **arguments):
        return streams.ask(pod, operation, CONTAINER, arguments, data)


class TestAnswers(StreamTestCase):

    def test_document_and_bytes(self):
        self.driver.answer = ({'name': 'f'}, b'\0\xff' * 100000)
        self.assertEqual(self.driver.answer,
                         self.ask('get_archive', path='/f'))
        self.assertEqual([('get_archive', 'c-1', {'path': '/f'}, None)],
                         self.driver.asked)

    def test_large_document(self):
        self.driver.answer = ({'Titles': ['x' * 100000]}, b'')
        self.assertEqual(self.driver.answer, self.ask('top'))

    def test_nothing(self):
        self.assertEqual(({}, b''), self.ask())

    def test_data(self):
        data = b'\1\2' * 50000
        self.ask('put_archive', data=data, path='/f')
        self.assertEqual(('put_archive', 'c-1', {'path': '/f'}, data),
                         self.driver.asked[0])

    def test_errors(self):
        for error, expected in (
                (exception.Invalid('bad path'), exception.Invalid),
                (exception.Conflict('busy'), exception.Conflict),
                (errors.NotRunning(container='c-1'), errors.NotRunning),
                (errors.ContainerMissing(container='c-1'),
                 errors.ContainerMissing),
                (runtime_base.NotSupported('vm'), streams.AgentAway),
                (RuntimeError('boom'), streams.AgentAway)):
            self.driver.answer = error
            self.assertRaises(expected, self.ask)


class TestWhoMayAsk(StreamTestCase):

    def post(self, path='/v1/logs', ticket=None, body=b'', cert=True):
        group = streams.CONF.agent
        context = ssl.create_default_context(cafile=group.stream_ca_file)
        if cert:
            context.load_cert_chain(group.stream_client_cert_file,
                                    group.stream_client_key_file)
        with urllib3.HTTPSConnectionPool(
                '127.0.0.1', self.port, retries=False, ssl_context=context,
                server_hostname=NODE, assert_hostname=NODE,
                timeout=10) as pool:
            headers = {} if ticket is None else {streams.TICKET: ticket}
            return pool.request('POST', path, body=body,
                                headers=headers).status

    def ticket(self, operation='logs', **arguments):
        return tickets.issue(tickets.Ticket(operation, 'c-1', arguments))

    def test_nobody_without_a_certificate(self):
        self.assertRaises((urllib3.exceptions.HTTPError, OSError),
                          self.post, ticket=self.ticket(), cert=False)
        self.assertEqual([], self.driver.asked)

    def test_nobody_without_a_ticket(self):
        self.assertEqual(403, self.post())

    def test_ticket_for_another_operation(self):
        self.assertEqual(403, self.post(ticket=self.ticket('top')))

    def test_ticket_for_other_data(self):
        ticket = self.ticket('put_archive', path='/',
                             digest=tickets.digest(b'good'))
        self.assertEqual(403, self.post('/v1/put_archive', ticket, b'evil'))
        self.assertEqual(200, self.post('/v1/put_archive', ticket, b'good'))

    def test_data_without_a_word_in_the_ticket(self):
        self.assertEqual(200, self.post(ticket=self.ticket(), body=b'x'))
        self.assertIsNone(self.driver.asked[0][3])

    def test_unknown_operation(self):
        for path in ('/v1/reboot', '/', '/v1/', '/v1/../logs'):
            self.assertEqual(404, self.post(path, self.ticket()))
        self.assertEqual([], self.driver.asked)


class TestWhoIsAsked(StreamTestCase):

    def test_other_node_of_that_address(self):
        pod = {**POD, 'spec': {'nodeName': 'node-2'}}
        self.assertRaises(streams.AgentAway, self.ask, pod=pod)
        self.assertEqual([], self.driver.asked)

    def test_nobody_there(self):
        self.config(group='agent', stream_port=1)
        self.assertRaises(streams.AgentAway, self.ask)

    def test_pod_without_a_node(self):
        self.assertRaises(streams.AgentAway, self.ask, pod={
            'spec': {}, 'status': {}})

    def test_configured(self):
        self.assertTrue(streams.is_configured())
        self.config(group='agent', stream_client_cert_file=None)
        self.assertFalse(streams.is_configured())


class TestConfiguration(base.TestCase):

    def test_off(self):
        self.assertFalse(server.is_wanted())

    def test_in_part(self):
        self.config(group='agent', stream_cert_file='/c')
        self.assertRaises(process.StartError, server.is_wanted)

    def test_files_that_are_no_good(self):
        self.config(group='agent', stream_cert_file='/none',
                    stream_key_file='/none', stream_ca_file='/none')
        self.assertTrue(server.is_wanted())
        self.assertRaises(process.StartError, server.StreamServer, None)
