# SPDX-License-Identifier: Apache-2.0
import base64
import datetime
from unittest import mock

from zun.common import consts
from zun.common import exception
from zun.container import errors
from zun.db import api as db_api
from zun import objects
from zun.tests.unit.compute.operations import base
from zun.tests.unit.container import fake_driver

PROXY = 'proxy-1'


class ExecTestCase(base.OperationTestCase):

    def setUp(self):
        super().setUp()
        self.container = self.put_container()

    def call(self, method, *args, **kwargs):
        """Read something, as the API does in its own process."""
        return getattr(self.manager, 'container_' + method)(
            self.context, *args, **kwargs)

    def open(self, token):
        return db_api.open_terminal_session(
            self.context, token, self.container.uuid, PROXY)


# Reads by name and their further arguments.
READS = (('logs', (True, True, False, None, None)),
         ('exec', ('ls', True, False)), ('exec', ('sh', False, True)),
         ('top', (None,)), ('stats', ()), ('resize', ('1', '2')),
         ('get_archive', ('/x', False)), ('put_archive', ('/x', b'', False)))


class TestAllReads(ExecTestCase):

    def test_never_made(self):
        container = self.new_container()
        for name, args in (*READS, ('attach', ())):
            error = self.assertRaises(exception.Invalid, self.call, name,
                                      container, *args)
            self.assertIn('uncreated', str(error))

    def test_engine_has_lost_it(self):
        for name, args in READS:
            container = self.put_container()
            self.engine.containers.clear()
            error = self.assertRaises(exception.Conflict, self.call, name,
                                      container, *args)
            self.assertIn("'Error' state", str(error))
            self.assertRow(container, status=consts.ERROR)

    def test_of_one_that_is_being_deleted(self):
        """Its row is left alone."""
        self.container.status = consts.DELETING
        self.container.save(self.context)
        self.engine.containers.clear()
        self.assertRaises(errors.ContainerMissing, self.call, 'stats',
                          self.container)
        self.assertRow(self.container, status=consts.DELETING)


class TestShow(ExecTestCase):

    def test_values_are_saved(self):
        self.engine.containers[self.container.container_id][1] = (
            fake_driver.EXITED)
        self.call('show', self.container)
        self.assertRow(self.container, status=consts.STOPPED)

    def test_engine_has_lost_it(self):
        self.engine.containers.clear()
        shown = self.call('show', self.container)
        self.assertEqual(consts.ERROR, shown.status)

    def test_never_made(self):
        container = self.new_container()
        self.assertIs(container, self.call('show', container))


class TestLogs(ExecTestCase):

    def setUp(self):
        super().setUp()
        self.engine.show_logs = mock.Mock(return_value=b'text')

    def logs(self, tail=None, since=None):
        data = self.call('logs', self.container, True, False, True, tail,
                         since)
        self.assertEqual(b'text', data)
        return self.engine.show_logs.call_args.kwargs

    def test_streams(self):
        asked = self.logs()
        self.assertEqual(
            {'stdout': True, 'stderr': False, 'timestamps': True,
             'tail': None, 'since': None}, asked)

    def test_tail(self):
        for given, count in ((None, None), ('all', None), ('7', 7), (0, 0),
                             ('', None)):
            self.assertEqual(count, self.logs(tail=given)['tail'])

    def test_since(self):
        for given, moment in (
                (None, None),
                ('1767323045', datetime.datetime(2026, 1, 2, 3, 4, 5)),
                (1767323045, datetime.datetime(2026, 1, 2, 3, 4, 5)),
                ('2026-01-02 03:04:05,678', datetime.datetime(
                    2026, 1, 2, 3, 4, 5, 678000))):
            self.assertEqual(moment, self.logs(since=given)['since'])

    def test_no_time(self):
        for given in ('yesterday', '-5', '0', '9' * 30, '1.5'):
            error = self.assertRaises(exception.Invalid, self.logs,
                                      since=given)
            self.assertIn(given, str(error))


class TestExec(ExecTestCase):

    def test_run(self):
        self.assertEqual(
            {'output': b'done\n', 'exit_code': 0, 'exec_id': None,
             'token': None},
            self.call('exec', self.container, 'ls -l "a b"', True, False))
        self.assertEqual(['ls', '-l', 'a b'], self.engine.command)

    def test_bad_quotes(self):
        error = self.assertRaises(
            exception.Invalid, self.call, 'exec', self.container, '"',
            True, False)
        self.assertIn('"', str(error))

    def test_interactive(self):
        made = self.call('exec', self.container, 'sh -i', False, True)
        self.assertEqual((None, None), (made['output'],
                                        made['exit_code']))
        known, = objects.ExecInstance.list_by_container_id(
            self.context, self.container.id)
        self.assertEqual((made['exec_id'], made['token']),
                         (known.exec_id, known.token))
        terminal = self.open(made['token'])
        self.assertEqual(('exec', ['sh', '-i'], True), (
            terminal.kind, terminal.command, terminal.tty))

    def test_token_opens_one_terminal(self):
        token = self.call('exec', self.container, 'sh', False,
                          True)['token']
        self.assertIsNotNone(self.open(token))
        self.assertIsNone(self.open(token))

    def test_not_running(self):
        self.engine.containers[self.container.container_id][1] = (
            fake_driver.EXITED)
        self.assertRaises(errors.NotRunning, self.call, 'exec',
                          self.container, 'sh', False, True)

    def test_resize(self):
        made = self.call('exec', self.container, 'sh', False, True)
        self.call('exec_resize', made['exec_id'], '24', 80)
        self.assertEqual((24, 80), self.open(made['token']).size)

    def test_resize_of_none(self):
        error = self.assertRaises(exception.Invalid, self.call,
                                  'exec_resize', 'x', 1, 1)
        self.assertIn('no such exec instance: x', str(error))

    def test_bad_size(self):
        for size in ((None, 1), (1, 'wide')):
            self.assertRaises(exception.Invalid, self.call, 'exec_resize',
                              'x', *size)
            self.assertRaises(exception.Invalid, self.call, 'resize',
                              self.container, *size)


class TestAttach(ExecTestCase):

    def test_token(self):
        token = self.call('attach', self.container)
        self.assertRow(self.container, websocket_token=token)
        self.assertIn('/containers/%s/attach/ws' %
                      self.container.container_id,
                      self.row(self.container).websocket_url)
        self.assertEqual(('attach', []), (
            (terminal := self.open(token)).kind, terminal.command))

    def test_resize(self):
        token = self.call('attach', self.container)
        self.call('resize', self.container, 24, 80)
        self.assertEqual((24, 80), self.open(token).size)


class TestArchives(ExecTestCase):

    def test_get(self):
        self.assertEqual((b'tar', {'name': '/x'}), self.call(
            'get_archive', self.container, '/x', False))

    def test_get_in_base64(self):
        data, __ = self.call('get_archive', self.container, '/x', True)
        self.assertEqual(b'tar', base64.b64decode(data))

    def test_put(self):
        self.call('put_archive', self.container, '/x', b'\0\xff', False)
        self.assertEqual(b'\0\xff', self.engine.archive)

    def test_put_base64(self):
        self.call('put_archive', self.container, '/x',
                  base64.b64encode(b'\0\xff').decode(), True)
        self.assertEqual(b'\0\xff', self.engine.archive)

    def test_put_what_is_no_base64(self):
        self.assertRaises(exception.Base64Exception, self.call,
                          'put_archive', self.container, '/x', 'ab', True)
