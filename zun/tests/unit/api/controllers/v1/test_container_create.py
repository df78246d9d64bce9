# SPDX-License-Identifier: Apache-2.0
"""Tests of POST /v1/containers."""

import fixtures

from zun.common import consts
from zun.common import exception
from zun.compute import rpcapi
from zun.db import api as db_api
from zun.tests.unit.api import base
from zun.tests.unit.api.controllers.v1 import container_base
from zun.tests.unit.api.controllers.v1.container_base import NET

CLIENT = 'zun.scheduler.client.'
VOLUMES = '/v3/p/volumes'
VOLUME = 'f0000000-0000-4000-8000-000000000001'


class CreateTestCase(container_base.ContainersTestCase):
    """`compute-1` is chosen for every container."""

    def setUp(self) -> None:
        super().setUp()
        self.peers.answer(
            'neutron', 'GET', '/v2.0/networks?tenant_id=%s&shared=False'
            % base.PROJECT,
            {'networks': [{'id': NET, 'shared': False,
                           'router:external': False}]})
        self.scheduled: list = []
        self.released: list = []
        self.failure: Exception | None = None

        def select(_self, context, containers, extra_spec):
            if self.failure:
                raise self.failure
            self.scheduled.append(extra_spec)
            return [{'host': 'compute-1', 'nodename': 'compute-1',
                     'limits': {'cpu': 8}}]
        self.useFixture(fixtures.MonkeyPatch(
            CLIENT + 'query.SchedulerClient.select_destinations', select))
        self.useFixture(fixtures.MonkeyPatch(
            CLIENT + 'report.SchedulerReportClient.'
            'delete_allocation_for_container',
            lambda _self, uuid: self.released.append(uuid)))

    def make(self, query: str = '', version: str = '1.40', headers=None,
             **body):
        return self.post('/v1/containers' + query,
                         {'image': 'nginx', **body}, version=version,
                         headers=headers)

    def made(self, **kwargs) -> dict:
        """The row of a container that is made."""
        answer = self.make(**kwargs)
        self.assertEqual(202, answer.status_int, answer.text)
        return self.row()

    def assert_refused(self, status: int, code: str, **kwargs) -> str:
        """Nothing is written or queued for a request."""
        detail = self.assert_error(self.make(**kwargs), status, code)
        self.assertEqual([], self.rows())
        self.assertEqual([], self.calls)
        return detail


class CreateTest(CreateTestCase):

    def test_row_action_and_task(self):
        answer = self.make(name='web')
        self.assertEqual(202, answer.status_int, answer.text)
        self.assertEqual('Creating', answer.json['status'])
        row = self.row()
        self.assertEqual('http://localhost/v1/containers/' + row['uuid'],
                         answer.headers['Location'])
        (kind, host, method, arguments), = self.calls
        self.assertEqual(('cast', 'compute-1', 'container_create'),
                         (kind, host, method))
        self.assertEqual(
            (row['uuid'], False, {'cpu': 8}),
            (arguments['container'].uuid, arguments['run'],
             arguments['limits']))
        self.assertEqual(['create'], self.actions(row))

    def test_run(self):
        self.make('?run=true')
        self.assertTrue(self.calls[0][3]['run'])

    def test_a_name_is_made_up(self):
        self.assertRegex(self.made()['name'], '^[a-z]+-[0-9]+-container$')

    def test_defaults(self):
        row = self.made()
        self.assertEqual((1.0, '512', 'shared', False), (
            row['cpu'], row['memory'], row['cpu_policy'],
            row['auto_remove']))

    def test_all_members(self):
        row = self.made(
            name='web', command=['sleep', '60'], entrypoint=['/init'],
            cpu=0.5, memory='64', disk=1, workdir='/srv',
            environment={'A': 'b'}, labels={'app': 'web'}, hostname='box',
            interactive=True, tty=True, auto_heal=True, runtime='runc',
            restart_policy={'Name': 'on-failure', 'MaximumRetryCount': '3'},
            healthcheck={'cmd': 'true', 'interval': 5},
            exposed_ports={'80': {}}, image_pull_policy='never',
            headers=base.ADMIN)
        for key, value in {
                'command': ['sleep', '60'], 'entrypoint': ['/init'],
                'cpu': 0.5, 'memory': '64', 'disk': 1, 'workdir': '/srv',
                'environment': {'A': 'b'}, 'labels': {'app': 'web'},
                'hostname': 'box', 'interactive': True, 'tty': True,
                'auto_heal': True, 'runtime': 'runc',
                'restart_policy': {'Name': 'on-failure',
                                   'MaximumRetryCount': '3'},
                'healthcheck': {'test': 'true', 'interval': 5},
                'exposed_ports': {'80/tcp': {}},
                'image_pull_policy': 'never'}.items():
            self.assertEqual(value, row[key], key)

    def test_placement_of_a_container(self):
        self.made(hints={'label:zone': 'a'}, availability_zone='nova')
        spec, = self.scheduled
        self.assertEqual(({'label:zone': 'a'}, 'nova'),
                         (spec['hints'], spec['availability_zone']))

    def test_no_image(self):
        detail = self.assert_error(
            self.post('/v1/containers', {}), 400, 'schema-validation-error')
        self.assertIn("'image' is a required property", detail)

    def test_other_content_type(self):
        answer = self.request('POST', '/v1/containers', headers={
            **base.MEMBER, 'Content-Type': 'text/plain'})
        self.assertEqual(415, answer.status_int)

    def test_no_truth_value(self):
        self.assert_refused(400, 'schema-validation-error',
                            query='?run=perhaps')

    def test_without_a_token(self):
        headers = {key: value for key, value in base.MEMBER.items()
                   if key != 'X-Auth-Token'}
        answer = self.make(headers=headers)
        self.assertEqual(401, answer.status_int, answer.text)
        self.assertEqual([], self.rows())

    def test_name_that_is_taken(self):
        self.config('compute', unique_container_name_scope='project')
        self.create()
        self.assert_error(self.make(name='web'), 409,
                          'container-already-exists')


class VersionTest(CreateTestCase):

    def test_members_of_later_versions(self):
        # Schemas change in 1.20, so these are told by name before it.
        for member, value, first in (
                ('auto_remove', True, '1.3'), ('runtime', 'runc', '1.5'),
                ('hostname', 'box', '1.9'), ('privileged', True, '1.21'),
                ('exposed_ports', {'80': {}}, '1.24')):
            before = '1.%d' % (int(first[2:]) - 1)
            detail = self.assert_refused(
                400, 'invalid-param-in-version', version=before,
                headers=base.ADMIN, **{member: value})
            self.assertIn(first, detail)

    def test_command_is_a_line_before_1_20(self):
        row = self.made(version='1.19', command='sh -c "sleep 60"')
        self.assertEqual(['sh', '-c', 'sleep 60'], row['command'])

    def test_line_that_cannot_be_split(self):
        self.assert_refused(400, 'invalid-value', version='1.19',
                            command='"sleep')

    def test_tty_follows_interactive_before_1_36(self):
        self.assertTrue(self.made(version='1.35', interactive=True)['tty'])

    def test_tty_alone_since_1_36(self):
        row = self.made(interactive=True)
        self.assertEqual((True, False), (row['interactive'], row['tty']))


class PolicyTest(CreateTestCase):

    def test_privileged_is_for_nobody_by_default(self):
        for headers in (base.MEMBER, base.ADMIN):
            self.assert_refused(403, 'policy-not-authorized',
                                privileged=True, headers=headers)

    def test_host_is_for_administrators(self):
        self.assert_refused(403, 'policy-not-authorized', host='compute-1')


class QuotaTest(CreateTestCase):

    def test_over_the_quota(self):
        self.config('quota', cpu=2)
        detail = self.assert_refused(403, 'over-quota', cpu=3)
        self.assertIn('cpu', detail)

    def test_nulls(self):
        for member in ('cpu', 'memory', 'disk'):
            detail = self.assert_refused(400, 'invalid-value',
                                         **{member: None})
            self.assertIn(member, detail)

    def test_no_number(self):
        self.config('quota', cpu=-1)
        self.assert_refused(400, 'invalid-value', cpu=float('nan'))


class FailureTest(CreateTestCase):

    def test_no_host(self):
        self.failure = exception.NoValidHost(reason='full')
        answer = self.make()
        self.assertEqual(202, answer.status_int, answer.text)
        row = self.row()
        self.assertEqual((consts.ERROR, 'There are not enough hosts '
                          'available.'),
                         (row['status'], row['status_reason']))
        self.assertEqual([], self.calls)

    def test_peer_that_is_away(self):
        self.peers.refuse('neutron')
        self.assert_refused(503, 'peer-unavailable')

    def test_placement_that_refuses(self):
        self.failure = exception.Conflict('taken')
        self.assert_refused(409, 'conflict')

    def test_claim_is_given_back(self):
        def cast(*args, **kwargs):
            raise ValueError('full')
        rpcapi.API._cast = cast
        self.assertEqual(500, self.make().status_int)
        self.assertEqual([], self.rows())
        self.assertEqual(1, len(self.released))

    def test_volume_that_is_not_there(self):
        self.peers.answer('cinder', 'GET', VOLUMES + '/' + VOLUME,
                          status=404)
        self.peers.answer('cinder', 'GET', VOLUMES + '?name=' + VOLUME,
                          {'volumes': []})
        self.assert_refused(404, 'volume-not-found', mounts=[
            {'source': VOLUME, 'destination': '/data'}])

    def test_volume_that_was_made_is_deleted(self):
        self.peers.answer('cinder', 'POST', VOLUMES, {
            'volume': {'id': VOLUME}}, status=202)
        self.peers.answer('cinder', 'GET', VOLUMES + '/' + VOLUME, {
            'volume': {'id': VOLUME, 'attachments': [],
                       'status': 'available'}})
        self.peers.answer('cinder', 'DELETE', VOLUMES + '/' + VOLUME,
                          status=202)
        self.failure = exception.Conflict('taken')
        self.assert_refused(409, 'conflict', mounts=[
            {'size': '1', 'destination': '/data'}])
        self.assertIn(('DELETE', VOLUMES + '/' + VOLUME),
                      [call[2:4] for call in self.peers.calls])


class MountTest(CreateTestCase):

    def test_volume(self):
        self.peers.answer('cinder', 'GET', VOLUMES + '/' + VOLUME, {
            'volume': {'id': VOLUME, 'attachments': [],
                       'status': 'available'}})
        row = self.made(mounts=[{'source': VOLUME, 'destination': '/data'}])
        mapping, = self.calls[0][3]['requested_volumes'][row['uuid']]
        self.assertEqual(('/data', VOLUME), (
            mapping.container_path, mapping.cinder_volume_id))

    def test_file(self):
        row = self.made(mounts=[{'type': 'bind', 'source': 'aGVsbG8=',
                                 'destination': '/etc/motd'}])
        mapping, = self.calls[0][3]['requested_volumes'][row['uuid']]
        self.assertEqual('local', mapping.volume_provider)


class RegistryTest(CreateTestCase):

    def test_by_name(self):
        registry = db_api.create_registry(self.context, {
            'uuid': container_base.NODE, 'domain': 'r.test', 'name': 'mine',
            'project_id': base.PROJECT, 'user_id': base.USER})
        self.assertEqual(registry['id'],
                         self.made(registry='mine')['registry_id'])

    def test_unknown(self):
        self.assert_refused(404, 'registry-not-found', registry='mine')


class ImageTest(CreateTestCase):

    def setUp(self) -> None:
        super().setUp()
        self.config('api', enable_image_validation=True)

    def test_known(self):
        self.answers['image_search'] = [{'image': 'nginx'}]
        self.made()

    def test_unknown(self):
        self.answers['image_search'] = []
        self.assert_error(self.make(), 400, 'image-not-found')
        self.assertEqual([], self.rows())

    def test_ambiguous(self):
        self.answers['image_search'] = [{'image': 'a'}, {'image': 'b'}]
        self.assert_error(self.make(), 409, 'conflict')
