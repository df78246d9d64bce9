# SPDX-License-Identifier: Apache-2.0
"""Tests of the actions of containers."""

import fixtures

from zun.common import consts
from zun.common import exception
from zun.compute import rpcapi
from zun.db import api as db_api
from zun.tests.unit.api import base
from zun.tests.unit.api.controllers.v1 import container_base

# Action, state it is done in, the method of the host, the recorded action.
CASTS = (('start', consts.STOPPED, 'container_start', 'start'),
         ('stop', consts.RUNNING, 'container_stop', 'stop'),
         ('reboot', consts.RUNNING, 'container_reboot', 'reboot'),
         ('pause', consts.RUNNING, 'container_pause', 'pause'),
         ('unpause', consts.PAUSED, 'container_unpause', 'unpause'),
         ('kill', consts.RUNNING, 'container_kill', 'kill'),
         ('rebuild', consts.RUNNING, 'container_rebuild', 'rebuild'))


class OperationsTestCase(container_base.ContainersTestCase):

    def setUp(self) -> None:
        super().setUp()
        # The call's own look at the host; services are written as up.
        self.useFixture(fixtures.MonkeyPatch(
            'zun.servicegroup.api.ServiceGroup.service_is_up',
            lambda _self, _service: True))

    def act(self, action: str, body=None, **kwargs):
        return self.post('/v1/containers/web/' + action, body, **kwargs)

    def look(self, action: str, **kwargs):
        return self.get('/v1/containers/web/' + action, **kwargs)

    def arguments(self) -> dict:
        """The arguments of the only call, less the container."""
        (_kind, _host, _method, arguments), = self.calls
        return {key: value for key, value in arguments.items()
                if key != 'container'}


class CastTest(OperationsTestCase):

    def test_action_and_task_are_recorded(self):
        for number, (action, state, method, name) in enumerate(CASTS):
            row = self.create('c%d' % number, status=state)
            del self.calls[:]
            answer = self.post('/v1/containers/c%d/%s' % (number, action),
                               None)
            self.assertEqual((202, None), (answer.status_int, answer.json),
                             action)
            self.assertEqual([('cast', 'compute-1', method)],
                             [call[:3] for call in self.calls])
            self.assertEqual([name], self.actions(row))

    def test_wrong_state(self):
        self.create(status=consts.ERROR)
        for action, _state, _method, _name in CASTS[1:6]:
            if action == 'reboot':
                continue
            self.assert_error(self.act(action), 409,
                              'invalid-state-exception')
        self.assertEqual([], self.calls)

    def test_other_project(self):
        self.create(project_id=base.OTHER_PROJECT)
        for action, _state, _method, _name in CASTS:
            self.assert_error(self.act(action), 404, 'container-not-found')

    def test_status_of_a_reboot_and_a_rebuild(self):
        for action, status in (('reboot', consts.RESTARTING),
                               ('rebuild', consts.REBUILDING)):
            self.create(action)
            self.post('/v1/containers/%s/%s' % (action, action), None)
            row = db_api.get_container_by_name(
                self.context, consts.TYPE_CONTAINER, action)
            self.assertEqual(status, row['status'])

    def test_failed_cast_changes_nothing(self):
        row = self.create()

        def cast(*args, **kwargs):
            raise ValueError('full')
        rpcapi.API._cast = cast
        self.assertEqual(500, self.act('reboot').status_int)
        self.assertEqual(consts.RUNNING, self.row()['status'])
        self.assertEqual([], self.actions(row))

    def test_timeout_of_a_stop(self):
        self.create()
        self.act('stop?timeout=5')
        self.assertEqual({'timeout': '5'}, self.arguments())

    def test_signal(self):
        self.create()
        self.act('kill', {'signal': 'SIGHUP'})
        self.assertEqual({'signal': 'SIGHUP'}, self.arguments())

    def test_rebuild_from_another_image(self):
        self.create()
        self.act('rebuild', {'image': 'redis', 'image_driver': 'docker'})
        self.assertEqual('redis', self.row()['image'])

    def test_rebuild_of_what_stands_still(self):
        self.create(status=consts.STOPPED)
        self.act('rebuild')
        self.assertFalse(self.arguments()['run'])

    def test_resize(self):
        self.create()
        answer = self.act('resize_container', {'cpu': '2'})
        self.assertEqual(202, answer.status_int, answer.text)
        self.assertEqual({'patch': {'cpu': 2.0}}, self.arguments())

    def test_resize_is_new_in_1_19(self):
        self.create()
        self.assertEqual(406, self.act('resize_container', {'cpu': 2},
                                       version='1.18').status_int)


class StreamTest(OperationsTestCase):

    def test_logs(self):
        self.create()
        self.answers['container_logs'] = 'hello'
        answer = self.look('logs?stdout=no&tail=5')
        self.assertEqual('hello', answer.json)
        self.assertEqual({'stdout': False, 'stderr': True, 'tail': '5',
                          'timestamps': False, 'since': None},
                         self.arguments())

    def test_command(self):
        self.create()
        self.answers['container_exec'] = {
            'output': 'x', 'exit_code': 0, 'exec_id': None, 'token': None}
        answer = self.act('execute?command=ls')
        self.assertEqual({'output': 'x', 'exit_code': 0, 'exec_id': None,
                          'proxy_url': None}, answer.json)
        self.assertEqual({'command': 'ls', 'run': True,
                          'interactive': False}, self.arguments())

    def test_terminal_of_a_command(self):
        row = self.create()
        self.answers['container_exec'] = {
            'output': None, 'exit_code': None, 'exec_id': 'e1',
            'token': 'secret'}
        answer = self.act('execute?command=sh&interactive=true&run=false')
        self.assertTrue(answer.json['proxy_url'].endswith(
            '?token=secret&uuid=%s&exec_id=e1' % row['uuid']))

    def test_no_command(self):
        self.create()
        self.assert_error(self.act('execute'), 400,
                          'invalid-parameter-value')

    def test_policy_comes_before_arguments(self):
        self.create(project_id=base.OTHER_PROJECT)
        self.assert_error(self.act('execute'), 404, 'container-not-found')

    def test_size_of_a_commands_terminal(self):
        self.create()
        ident = 'a' * 64
        self.act('execute_resize?exec_id=%s&h=10&w=20' % ident)
        self.assertEqual({'exec_id': ident, 'height': '10', 'width': '20'},
                         self.arguments())

    def test_terminal(self):
        row = self.create(interactive=True)
        self.answers['container_attach'] = 'secret'
        self.assertTrue(self.look('attach').json.endswith(
            '?token=secret&uuid=' + row['uuid']))

    def test_terminal_of_a_container_that_has_none(self):
        self.create()
        self.assert_error(self.look('attach'), 400, 'no-interactive-flag')

    def test_size_of_a_terminal(self):
        self.create()
        self.act('resize?h=10&w=20')
        self.assertEqual({'height': '10', 'width': '20'}, self.arguments())


class LookTest(OperationsTestCase):

    def test_top(self):
        self.create()
        self.answers['container_top'] = {'Titles': ['PID']}
        self.assertEqual({'Titles': ['PID']},
                         self.look('top?ps_args=-aux').json)
        self.assertEqual({'ps_args': '-aux'}, self.arguments())

    def test_stats(self):
        self.create()
        self.answers['container_stats'] = {'CPU %': 1}
        self.assertEqual({'CPU %': 1}, self.look('stats').json)

    def test_archive(self):
        self.create()
        self.answers['container_get_archive'] = ('ZGF0YQ==', {'size': 4})
        answer = self.look('get_archive?path=/etc')
        self.assertEqual({'data': 'ZGF0YQ==', 'stat': {'size': 4}},
                         answer.json)
        self.assertEqual({'path': '/etc', 'encode_data': True},
                         self.arguments())

    def test_archive_is_not_encoded_before_1_25(self):
        self.create()
        self.answers['container_get_archive'] = ('data', {})
        self.look('get_archive?path=/etc', version='1.24')
        self.assertFalse(self.arguments()['encode_data'])

    def test_unpacking(self):
        self.create()
        answer = self.act('put_archive?path=/', {'data': 'ZGF0YQ=='})
        self.assertEqual(200, answer.status_int, answer.text)
        self.assertEqual({'path': '/', 'data': 'ZGF0YQ==',
                          'decode_data': True}, self.arguments())

    def test_unpacking_nothing(self):
        self.create()
        self.assert_error(self.act('put_archive?path=/'), 400,
                          'invalid-parameter-value')

    def test_commit(self):
        self.create()
        self.answers['container_commit'] = {'uuid': 'i'}
        answer = self.act('commit?repository=my/image&tag=1')
        self.assertEqual((202, {'uuid': 'i'}),
                         (answer.status_int, answer.json))
        self.assertEqual({'repository': 'my/image', 'tag': '1'},
                         self.arguments())

    def test_failure_on_the_host(self):
        self.create()
        self.answers['container_stats'] = exception.DockerError('no cgroup')
        detail = self.assert_error(self.look('stats'), 409,
                                   'operation-failed')
        self.assertIn('no cgroup', detail)

    def test_refusal_of_the_host(self):
        self.create()
        self.answers['container_stats'] = exception.InvalidValue('a value')
        self.assert_error(self.look('stats'), 400, 'invalid-value')


class LostHostTest(container_base.ContainersTestCase):
    """The host's service does not report."""

    def test_reads_fail_with_503(self):
        self.create(host='lost')
        for action in ('logs', 'stats', 'top'):
            detail = self.assert_error(
                self.get('/v1/containers/web/' + action), 503,
                'container-host-not-up')
            self.assertIn('lost', detail)

    def test_commit_ends_its_action(self):
        row = self.create(host='lost')
        self.assert_error(
            self.post('/v1/containers/web/commit?repository=my/image', None),
            503, 'container-host-not-up')
        action, = db_api.actions_get(self.context, row['uuid'])
        self.assertEqual('Error', action['message'])

    def test_delete_records_nothing(self):
        row = self.create(host='lost', status=consts.STOPPED)
        self.assert_error(self.delete('/v1/containers/web'), 503,
                          'container-host-not-up')
        self.assertEqual([], self.actions(row))
