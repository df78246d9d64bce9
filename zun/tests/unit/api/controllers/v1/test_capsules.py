# SPDX-License-Identifier: Apache-2.0
"""Tests of /v1/capsules."""

import json

import fixtures
from oslo_utils import uuidutils

from zun.common import consts
from zun.db import api as db_api
from zun.tests.unit.api import base

UUID = 'ca000000-0000-4000-8000-000000000001'
NODE = 'ad000000-0000-4000-8000-000000000001'
PROVIDER = 'af000000-0000-4000-8000-000000000001'
NET = 'de000000-0000-4000-8000-000000000001'
VOLUMES = '/v3/p/volumes'
VOLUME = 'f0000000-0000-4000-8000-000000000001'


def template(containers=None, name='blog', **spec) -> dict:
    return {'template': {
        'kind': 'capsule', 'metadata': {'name': name} if name else {},
        'spec': {'containers': containers or [{'image': 'nginx'}], **spec}}}


class CapsulesTestCase(base.ApiTestCase):

    def create(self, number: int = 1, **values) -> dict:
        return db_api.create_container(self.context, {
            'uuid': uuidutils.generate_uuid(), 'name': 'pod-%d' % number,
            'container_type': consts.TYPE_CAPSULE, 'host': 'compute-1',
            'status': consts.RUNNING, 'project_id': base.PROJECT,
            'user_id': base.USER, 'labels': {'app': 'web'},
            'restart_policy': {'Name': 'always', 'MaximumRetryCount': '0'},
            **values})

    def create_member(self, capsule: dict,
                      kind: int = consts.TYPE_CAPSULE_CONTAINER,
                      **values) -> dict:
        return db_api.create_container(self.context, {
            'uuid': uuidutils.generate_uuid(), 'name': 'member',
            'container_type': kind, 'capsule_id': capsule['id'],
            'project_id': base.PROJECT, **values})

    def rows(self, kind: int = consts.TYPE_ANY) -> list[dict]:
        return db_api.list_containers(self.context, kind)


class ShowTest(CapsulesTestCase):

    def test_capsule_is_shown_with_its_containers(self):
        capsule = self.create()
        self.create_member(capsule, name='main')
        self.create_member(capsule, consts.TYPE_CAPSULE_INIT_CONTAINER,
                           name='first')
        shown = self.get('/v1/capsules/pod-1').json
        self.assertEqual(['main'], [c['name'] for c in shown['containers']])
        self.assertEqual(['first'],
                         [c['name'] for c in shown['init_containers']])

    def test_old_form_names_labels_otherwise(self):
        self.create()
        shown = self.get('/v1/capsules/pod-1', version='1.31').json
        self.assertEqual('pod-1', shown['meta_name'])
        self.assertEqual({'app': 'web'}, shown['meta_labels'])
        self.assertEqual('always', shown['restart_policy'])
        self.assertNotIn('name', shown)

    def test_old_form_leaves_out_a_policy_that_is_empty(self):
        self.create(restart_policy=None)
        response = self.get('/v1/capsules', version='1.31')
        self.assertNotIn('restart_policy', response.json['capsules'][0])

    def test_members_do_not_see_the_host(self):
        self.create()
        self.assertNotIn('host', self.get('/v1/capsules/pod-1').json)

    def test_admins_see_the_host(self):
        self.create()
        shown = self.get('/v1/capsules/pod-1', headers=base.ADMIN).json
        self.assertEqual('compute-1', shown['host'])

    def test_capsule_of_another_project_is_not_found(self):
        self.create(uuid=UUID, project_id=base.OTHER_PROJECT)
        self.assert_error(self.get('/v1/capsules/' + UUID), 404,
                          'container-not-found')

    def test_container_is_no_capsule(self):
        self.create(container_type=consts.TYPE_CONTAINER, name='web')
        self.assert_error(self.get('/v1/capsules/web'), 404,
                          'container-not-found')

    def test_list_shows_the_own_project(self):
        self.create(1)
        self.create(2, project_id=base.OTHER_PROJECT)
        capsules = self.get('/v1/capsules').json['capsules']
        self.assertEqual(['pod-1'], [c['name'] for c in capsules])

    def test_registry_of_a_container_is_shown_by_uuid(self):
        registry = db_api.create_registry(self.context, {
            'domain': 'r.test', 'project_id': base.PROJECT})
        self.create_member(self.create(), registry_id=registry['id'])
        shown = self.get('/v1/capsules/pod-1').json
        self.assertEqual(registry['uuid'],
                         shown['containers'][0]['registry_id'])

    def test_statements_do_not_grow_with_capsules(self):
        def ask():
            self.get('/v1/capsules')
        self.create_member(self.create(1))
        few = self.count_statements(ask)
        for number in range(2, 12):
            self.create_member(self.create(number))
        self.assertEqual(few, self.count_statements(ask))


class DeleteTest(CapsulesTestCase):

    def test_delete_is_queued(self):
        self.create(uuid=UUID)
        response = self.delete('/v1/capsules/pod-1')
        self.assertEqual(204, response.status_int)
        (kind, server, method, arguments), = self.calls
        self.assertEqual(('cast', 'compute-1', 'container_delete'),
                         (kind, server, method))
        self.assertIs(False, arguments['force'])
        self.assertEqual('container_deleting', self.rows()[0]['task_state'])

    def setUp(self) -> None:
        super().setUp()
        db_api.create_zun_service(self.context, {
            'host': 'compute-1', 'binary': 'zun-compute'})

    def test_capsule_without_a_host_goes_at_once(self):
        self.create_member(self.create(host=None))
        self.delete('/v1/capsules/pod-1')
        self.assertEqual([], self.rows())
        self.assertEqual([], self.calls)

    def test_host_that_is_down_changes_nothing(self):
        self.create(host='gone')
        response = self.delete('/v1/capsules/pod-1')
        self.assertEqual(503, response.status_int)
        self.assertIsNone(self.rows()[0]['task_state'])
        self.assertEqual([], db_api.actions_get(self.context,
                                                self.rows()[0]['uuid']))

    def test_members_do_not_delete_in_all_projects(self):
        self.create()
        self.assert_error(self.delete('/v1/capsules/pod-1?all_projects=1'),
                          403, 'policy-not-authorized')


class CreateTest(CapsulesTestCase):

    def setUp(self) -> None:
        super().setUp()
        db_api.create_compute_node(self.context, {
            'uuid': NODE, 'hostname': 'compute-1', 'rp_uuid': PROVIDER,
            'cpus': 8, 'mem_total': 8192, 'mem_free': 8192})
        db_api.create_zun_service(self.context, {
            'host': 'compute-1', 'binary': 'zun-compute',
            'availability_zone': 'nova'})
        self.peers.answer(
            'neutron', 'GET', '/v2.0/networks?tenant_id=%s&shared=False'
            % base.PROJECT,
            {'networks': [{'id': NET, 'shared': False,
                           'router:external': False}]})
        self.scheduled: list = []

        def select(_self, context, containers, extra_spec):
            self.scheduled.append((containers[0], extra_spec))
            return [{'host': 'compute-1', 'nodename': 'compute-1',
                     'limits': {}}]
        self.useFixture(fixtures.MonkeyPatch(
            'zun.scheduler.client.query.SchedulerClient.'
            'select_destinations', select))

    def test_capsule_is_written_and_queued(self):
        answer = self.post('/v1/capsules', template())
        self.assertEqual(202, answer.status_int, answer.text)
        self.assertEqual('Creating', answer.json['status'])
        capsule, = self.rows(consts.TYPE_CAPSULE)
        self.assertEqual(answer.json['uuid'], capsule['uuid'])
        member, = self.rows(consts.TYPE_CAPSULE_CONTAINER)
        self.assertEqual(capsule['id'], member['capsule_id'])
        (kind, server, method, arguments), = self.calls
        self.assertEqual(('cast', 'compute-1', 'container_create'),
                         (kind, server, method))

    def test_containers_are_named_after_the_capsule(self):
        answer = self.post('/v1/capsules', template()).json
        self.assertRegex(answer['containers'][0]['name'],
                         r'^capsule-blog-[a-z]+-\d+$')

    def test_containers_of_a_nameless_capsule_are_named_after_its_uuid(self):
        answer = self.post('/v1/capsules', template(name=None)).json
        self.assertIn(answer['uuid'], answer['containers'][0]['name'])

    def test_place_is_looked_for_by_the_whole_need(self):
        self.post('/v1/capsules', template([
            {'image': 'a1', 'resources': {'requests': {'cpu': 1}}},
            {'image': 'b1', 'resources': {'requests': {'memory': 64}}}]))
        (capsule, extra_spec), = self.scheduled
        self.assertEqual((1.0, '64'), (capsule.cpu, capsule.memory))

    def test_members_do_not_choose_when_images_are_pulled(self):
        self.post('/v1/capsules', template([
            {'image': 'nginx', 'imagePullPolicy': 'Never'}]))
        member, = self.rows(consts.TYPE_CAPSULE_CONTAINER)
        self.assertEqual('always', member['image_pull_policy'])

    def test_admins_choose_when_images_are_pulled(self):
        self.post('/v1/capsules', template([
            {'image': 'nginx', 'imagePullPolicy': 'Never'}]),
            headers=base.ADMIN)
        member, = self.rows(consts.TYPE_CAPSULE_CONTAINER)
        self.assertEqual('never', member['image_pull_policy'])

    def test_init_container_sets_no_field_beyond_the_language(self):
        self.post('/v1/capsules', template(initContainers=[
            {'image': 'bb', 'privileged': True, 'host': 'mine'}]))
        member, = self.rows(consts.TYPE_CAPSULE_INIT_CONTAINER)
        self.assertFalse(member['privileged'])
        self.assertIsNone(member['host'])

    def test_template_may_be_text(self):
        answer = self.post('/v1/capsules', {
            'template': json.dumps(template()['template'])})
        self.assertEqual(202, answer.status_int)

    def test_template_of_a_wrong_type_is_refused(self):
        for wrong in (None, 5, [], '[]', '5', '"x"', '', '{'):
            response = self.post('/v1/capsules', {'template': wrong})
            self.assertEqual(400, response.status_int, repr(wrong))
        self.assertEqual([], self.rows())

    def test_request_without_a_token_is_refused(self):
        headers = {name: value for name, value in base.MEMBER.items()
                   if name != 'X-Auth-Token'}
        response = self.post('/v1/capsules', template(), headers=headers)
        self.assertEqual(401, response.status_int)
        self.assertEqual([], self.rows())

    def test_no_row_is_left_when_the_network_service_is_away(self):
        self.peers.refuse('neutron')
        response = self.post('/v1/capsules', template())
        self.assertEqual(503, response.status_int)
        self.assertEqual([], self.rows())

    def test_members_have_different_names(self):
        answer = self.post('/v1/capsules', template(
            [{'image': 'nginx'} for _number in range(60)]))
        names = [member['name'] for member in answer.json['containers']]
        self.assertEqual(60, len(set(names)))

    def test_volume_is_mapped_where_it_is_mounted(self):
        self.peers.answer('cinder', 'GET', VOLUMES + '/' + VOLUME, {
            'volume': {'id': VOLUME, 'attachments': []}})
        answer = self.post('/v1/capsules', template(
            [{'image': 'nginx', 'volumeMounts': [
                {'name': 'data', 'mountPath': '/data'}]}, {'image': 'redis'}],
            volumes=[{'name': 'data', 'cinder': {'volumeID': VOLUME}}]))
        self.assertEqual(202, answer.status_int, answer.text)
        mappings = self.calls[0][3]['requested_volumes']
        self.assertEqual([answer.json['containers'][0]['uuid']],
                         list(mappings))
        volume, = db_api.list_volumes(self.context)
        self.assertEqual(VOLUME, volume['cinder_volume_id'])

    def test_volume_that_nothing_mounts_is_refused(self):
        self.peers.answer('cinder', 'GET', VOLUMES + '/' + VOLUME, {
            'volume': {'id': VOLUME, 'attachments': []}})
        self.assert_error(self.post('/v1/capsules', template(
            volumes=[{'name': 'data', 'cinder': {'volumeID': VOLUME}}])),
            400, 'invalid')
        self.assertEqual([], self.rows())

    def test_volume_after_one_that_nothing_mounts_is_not_asked_for(self):
        self.peers.answer('cinder', 'GET', VOLUMES + '/' + VOLUME, {
            'volume': {'id': VOLUME, 'attachments': []}})
        self.assert_error(self.post('/v1/capsules', template(
            volumes=[{'name': 'a1', 'cinder': {'volumeID': VOLUME}},
                     {'name': 'b1', 'cinder': {'volumeID': UUID}}])),
            400, 'invalid')
        self.assertEqual(VOLUMES + '/' + VOLUME, self.peers.calls[-1][3])

    def test_made_volume_is_deleted_when_the_next_is_missing(self):
        self.peers.answer('cinder', 'POST', VOLUMES, {
            'volume': {'id': VOLUME}}, status=202)
        self.peers.answer('cinder', 'GET', VOLUMES + '/' + UUID, status=404)
        self.peers.answer('cinder', 'DELETE', VOLUMES + '/' + VOLUME,
                          status=202)
        response = self.post('/v1/capsules', template(
            [{'image': 'nginx', 'volumeMounts': [
                {'name': 'a1', 'mountPath': '/a'},
                {'name': 'b1', 'mountPath': '/b'}]}],
            volumes=[{'name': 'a1', 'cinder': {'size': 1}},
                     {'name': 'b1', 'cinder': {'volumeID': UUID}}]))
        self.assertEqual(404, response.status_int, response.text)
        self.assertEqual('DELETE', self.peers.calls[-1][2])
        self.assertEqual([], self.rows())
