# SPDX-License-Identifier: Apache-2.0

import inspect
from unittest import mock

import ddt
from oslo_utils import timeutils

from zun.common import exception
from zun.compute import rpcapi
from zun.compute.tasks import errors
from zun.compute.tasks import registry
from zun.db import api as db_api
from zun.db.sqlalchemy import task_models
from zun import objects
from zun.tests.contract import facts
from zun.tests.unit.compute.tasks import base

METHODS = facts.load('rpc')['methods']


def _arguments(text):
    """Names of "a, b=None"."""
    return [part.partition('=')[0] for part in text.split(', ')]


@ddt.ddt
class SignatureTestCase(base.TaskTestCase):

    @ddt.data(*sorted(METHODS))
    def test_method_is_the_reference_s(self, name):
        fact = METHODS[name]
        signature = inspect.signature(getattr(rpcapi.API, name))
        self.assertEqual(['self'] + _arguments(fact['arguments']),
                         list(signature.parameters))

    @ddt.data(*sorted(METHODS))
    def test_sends_what_the_reference_sends(self, name):
        fact = METHODS[name]
        api = rpcapi.API(self.context)
        given = {argument: mock.Mock(host='node-1') if argument in
                 ('container', 'capsule', 'image', 'network') else argument
                 for argument in _arguments(fact['arguments'])}
        sent = mock.Mock()
        with mock.patch.object(rpcapi, '_is_up', autospec=True,
                               return_value=True), \
                mock.patch.object(api, '_' + fact['kind'], sent):
            getattr(api, name)(**given)
        server, method = sent.call_args.args
        self.assertEqual(fact['remote_method'], method)
        self.assertEqual(set(fact['sent']), set(sent.call_args.kwargs))
        if fact['server'].endswith('.host'):
            self.assertEqual('node-1', server)
        else:
            self.assertEqual(given.get('host'), server)

    def test_every_method_is_a_kind_or_a_read(self):
        self.assertEqual(
            set(), set(METHODS) - set(registry.KINDS) - rpcapi.READS)
        self.assertEqual(
            set(), set(registry.KINDS) & rpcapi.READS)

    @ddt.data(*sorted(name for name in METHODS
                      if METHODS[name]['host_must_be_up']))
    def test_host_that_is_down_is_told(self, name):
        api = rpcapi.API(self.context)
        given = {argument: argument for argument
                 in _arguments(METHODS[name]['arguments'])}
        given['container'] = mock.Mock(uuid='c-1', host='node-1')
        error = self.assertRaises(exception.ContainerHostNotUp,
                                  getattr(api, name), **given)
        self.assertEqual('Container c-1 host node-1 is not up.', str(error))


class HostTestCase(base.TaskTestCase):

    def setUp(self):
        super().setUp()
        self.api = rpcapi.API(self.context)
        self.container = mock.Mock(uuid='c-1', host='node-1')
        self.manager = mock.Mock()
        self.useFixture(base.Patch(rpcapi, '_manager', self.manager))

    def service(self, **values):
        objects.ZunService(self.context, **{
            'host': 'node-1', 'binary': 'zun-compute', 'forced_down': False,
            'last_seen_up': timeutils.utcnow(), **values}
        ).create(self.context)

    def test_living_host(self):
        self.service()
        self.api.container_top(self.container, None)
        self.manager.container_top.assert_called_once_with(
            self.context, container=self.container, ps_args=None)

    def test_disabled_host_is_up(self):
        self.service(disabled=True)
        self.api.container_top(self.container, None)

    def test_host_forced_down(self):
        self.service(forced_down=True)
        self.assertRaises(exception.ContainerHostNotUp,
                          self.api.container_top, self.container, None)

    def test_silent_host(self):
        self.service(last_seen_up=timeutils.utcnow().replace(year=2020))
        self.assertRaises(exception.ContainerHostNotUp,
                          self.api.container_top, self.container, None)

    def test_container_without_a_host(self):
        self.container.host = None
        self.api.container_top(self.container, None)


class QueueTestCase(base.TaskTestCase):

    def setUp(self):
        super().setUp()
        self.api = rpcapi.API(self.context)
        self.container = objects.Container(
            self.context, uuid=self.new_uuid(), project_id='project-1',
            user_id='user-1', name='web', image='nginx', host='node-1')
        self.container.create(self.context)

    def rows(self):
        with db_api.reader(None) as session:
            return session.execute(task_models.task.select()).all()

    def test_cast_is_part_of_the_transaction(self):
        def change():
            with db_api.writer(self.context):
                self.container.status = 'Restarting'
                self.container.save(self.context)
                self.api.container_reboot(self.container, 10)
                raise RuntimeError
        self.assertRaises(RuntimeError, change)
        self.assertEqual([], self.rows())
        with db_api.writer(self.context):
            self.container.save(self.context)
            self.api.container_reboot(self.container, 10)
        row, = self.rows()
        self.assertEqual(('container_reboot', self.container.uuid, 'compute'),
                         (row.kind, row.lane, row.queue))

    def test_long_network_id_has_a_lane_too(self):
        error = mock.Mock(side_effect=errors.TaskTimeout(
            kind='k', seconds=1, why=''))
        with mock.patch('zun.compute.tasks.queue.wait', error):
            for name in ('net-1', 'n' * 200):
                self.assertRaises(errors.TaskTimeout,
                                  self.api.network_create, name)
        lanes = [row.lane for row in self.rows()]
        self.assertEqual('net-1', lanes[0])
        self.assertEqual(36, len(lanes[1]))

    def test_change_waits_for_its_outcome(self):
        self.operations.add('container_update',
                            lambda context, **kw: {'uuid': kw['patch']})
        self.start_worker()
        with mock.patch.object(rpcapi, '_is_up', autospec=True,
                               return_value=True):
            self.assertEqual({'uuid': 'v1'}, self.api.container_update(
                self.container, 'v1'))

    def test_change_cannot_be_awaited_in_a_transaction(self):
        def wait():
            with db_api.writer(self.context):
                self.api.network_create('net-1')
        self.assertRaises(RuntimeError, wait)
        self.assertEqual([], self.rows())
