# SPDX-License-Identifier: Apache-2.0

from zun.common import clients
from zun.common import context as zun_context
from zun.common import exception
from zun.tests import base
from zun.tests import peers
from zun.volume import cinder_api
from zun.volume import request

VOLUME = '00000000-0000-4000-8000-00000000000c'
WANTED = {'volume': {
    'availability_zone': None, 'backup_id': None,
    'consistencygroup_id': None, 'description': None, 'imageRef': None,
    'metadata': {}, 'name': None, 'size': 2, 'snapshot_id': None,
    'source_volid': None, 'volume_type': None}}


def volume(**kwargs):
    return dict({'id': VOLUME, 'attachments': [], 'multiattach': False},
                **kwargs)


class CinderTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.peers = self.useFixture(peers.Peers())
        self.context = zun_context.RequestContext(
            auth_token=peers.USER_TOKEN, project_id='p', user_id='u')
        self.api = cinder_api.CinderAPI(self.context)

    def answer(self, method, path, body=None, status=200):
        self.peers.answer('cinder', method, '/v3/p/volumes' + path, body,
                          status)

    def asked(self):
        return [(method, path[len('/v3/p/volumes'):]) for _who, _service,
                method, path, _body in self.peers.calls]


class SearchTest(CinderTestCase):

    def test_by_name(self):
        self.answer('GET', '/detail?all_tenants=1&name=v',
                    {'volumes': [volume()]})
        self.assertEqual(VOLUME, self.api.search_volume('v')['id'])

    def test_by_id(self):
        self.answer('GET', '/' + VOLUME, {'volume': volume()})
        self.assertEqual(VOLUME, self.api.search_volume(VOLUME)['id'])

    def test_missing_id(self):
        self.answer('GET', '/' + VOLUME, {}, 404)
        self.assertRaises(exception.VolumeNotFound, self.api.search_volume,
                          VOLUME)

    def test_missing_name(self):
        self.answer('GET', '/detail?all_tenants=1&name=v', {'volumes': []})
        self.assertRaises(exception.VolumeNotFound, self.api.search_volume,
                          'v')

    def test_ambiguous_name(self):
        self.answer('GET', '/detail?all_tenants=1&name=v',
                    {'volumes': [volume(), volume()]})
        self.assertRaises(exception.Conflict, self.api.search_volume, 'v')

    def test_other_refusals_are_told(self):
        self.answer('GET', '/' + VOLUME, {}, 403)
        error = self.assertRaises(clients.PeerRefused,
                                  self.api.search_volume, VOLUME)
        self.assertEqual(403, error.code)


class UsableTest(CinderTestCase):

    def test_free(self):
        self.api.ensure_volume_usable(volume())

    def test_attached(self):
        self.assertRaises(exception.VolumeInUse,
                          self.api.ensure_volume_usable,
                          volume(attachments=[{}]))

    def test_attached_but_for_many(self):
        self.api.ensure_volume_usable(
            volume(attachments=[{}], multiattach=True))

    def test_of_another_project(self):
        self.assertRaises(
            exception.VolumeNotUsable, self.api.ensure_volume_usable,
            volume(attachments=[{}], **{cinder_api.OWNER: 'other'}))


class CreateTest(CinderTestCase):

    def test_request(self):
        self.answer('POST', '', {'volume': volume()}, 202)
        self.assertEqual(VOLUME, self.api.create_volume(2)['id'])
        self.assertEqual(WANTED, self.peers.calls[0][4])

    def test_refusal(self):
        self.answer('POST', '', {'overLimit': {'message': 'too much'}}, 413)
        error = self.assertRaises(exception.VolumeCreateFailed,
                                  self.api.create_volume, 2)
        self.assertEqual('Volume Creation failed: too much (HTTP 413)',
                         str(error))

    def test_error_of_cinder(self):
        self.answer('POST', '', {}, 500)
        error = self.assertRaises(exception.VolumeCreateFailed,
                                  self.api.create_volume, 2)
        self.assertEqual('Volume Creation failed: None (HTTP 500)',
                         str(error))

    def test_cinder_away(self):
        self.peers.refuse('cinder')
        self.assertRaises(clients.PeerUnavailable, self.api.create_volume, 2)

    def test_delete_of_what_is_gone(self):
        self.answer('DELETE', '/' + VOLUME, {}, 404)
        self.api.delete_volume(VOLUME)

    def test_delete_refused(self):
        self.answer('DELETE', '/' + VOLUME, {'badRequest': {
            'message': 'in use'}}, 400)
        self.assertRaises(exception.VolumeDeleteFailed,
                          self.api.delete_volume, VOLUME)


class ActionTest(CinderTestCase):

    def body_of(self, call, *args):
        self.answer('POST', '/%s/action' % VOLUME, None, 202)
        call(VOLUME, *args)
        return self.peers.calls[-1][4]

    def test_bodies(self):
        connector = {'host': 'h'}
        for expected, call, args in (
                ({'os-reserve': None}, self.api.reserve_volume, ()),
                ({'os-unreserve': None}, self.api.unreserve_volume, ()),
                ({'os-begin_detaching': None}, self.api.begin_detaching, ()),
                ({'os-roll_detaching': None}, self.api.roll_detaching, ()),
                ({'os-detach': {'attachment_id': 'a'}}, self.api.detach,
                 ('a',)),
                ({'os-terminate_connection': {'connector': connector}},
                 self.api.terminate_connection, (connector,)),
                ({'os-attach': {'instance_uuid': 'c', 'mountpoint': '/dev/x',
                                'mode': 'rw', 'host_name': 'h'}},
                 self.api.attach, ('/dev/x', 'h', 'c'))):
            self.assertEqual(expected, self.body_of(call, *args))

    def test_connection_info(self):
        self.answer('POST', '/%s/action' % VOLUME,
                    {'connection_info': {'driver_volume_type': 'rbd'}})
        self.assertEqual({'driver_volume_type': 'rbd'},
                         self.api.initialize_connection(VOLUME, {}))


class MountTest(CinderTestCase):

    def resolve(self, *mounts):
        return request.resolve_mounts(self.context, list(mounts))

    def test_existing_volume_stays(self):
        self.answer('GET', '/detail?all_tenants=1&name=v',
                    {'volumes': [volume()]})
        self.assertEqual([request.ResolvedMount('/d', {
            'cinder_volume_id': VOLUME, 'volume_provider': 'cinder',
            'auto_remove': False}, False)],
            self.resolve({'source': 'v', 'destination': '/d', 'size': 1}))

    def test_volume_by_size_goes_with_the_container(self):
        self.answer('POST', '', {'volume': volume()}, 202)
        self.answer('GET', '/' + VOLUME, {'volume': volume()})
        mount = self.resolve({'size': 2, 'destination': '/d'})[0]
        self.assertTrue(mount.fields['auto_remove'])
        self.assertTrue(mount.made)

    def test_bind_holds_its_contents(self):
        mount = self.resolve({'type': 'bind', 'source': 'aGk=',
                              'destination': '/d'})[0]
        self.assertEqual({'contents': 'aGk=', 'volume_provider': 'local',
                          'auto_remove': False}, mount.fields)
        self.assertEqual([], self.asked())

    def test_bind_without_contents_is_an_empty_file(self):
        mount = self.resolve({'type': 'bind', 'size': 1,
                              'destination': '/d'})[0]
        self.assertEqual('', mount.fields['contents'])

    def test_unknown_type(self):
        error = self.assertRaises(
            exception.InvalidValue, self.resolve,
            {'type': 'nfs', 'source': 'v', 'destination': '/d'})
        self.assertIn("'nfs'", str(error))

    def test_size_of_nothing(self):
        self.assertRaises(exception.InvalidValue, self.resolve,
                          {'size': 0, 'destination': '/d'})

    def test_volume_made_for_a_request_that_fails_is_deleted(self):
        self.answer('POST', '', {'volume': volume()}, 202)
        self.answer('GET', '/' + VOLUME, {'volume': volume()})
        self.answer('GET', '/detail?all_tenants=1&name=v', {'volumes': []})
        self.answer('DELETE', '/' + VOLUME, None, 202)
        self.assertRaises(exception.VolumeNotFound, self.resolve,
                          {'size': 2, 'destination': '/d'},
                          {'source': 'v', 'destination': '/e'})
        self.assertEqual(('DELETE', '/' + VOLUME), self.asked()[-1])

    def test_volume_that_cannot_be_read_back_is_deleted(self):
        self.answer('POST', '', {'volume': volume()}, 202)
        self.answer('GET', '/' + VOLUME, {}, 500)
        self.answer('DELETE', '/' + VOLUME, None, 202)
        self.assertRaises(clients.PeerUnavailable, self.resolve,
                          {'size': 2, 'destination': '/d'})
        self.assertEqual(('DELETE', '/' + VOLUME), self.asked()[-1])

    def test_failing_clean_up_does_not_hide_the_reason(self):
        self.answer('POST', '', {'volume': volume()}, 202)
        self.answer('GET', '/' + VOLUME, {}, 404)
        self.answer('DELETE', '/' + VOLUME, {}, 500)
        self.assertRaises(exception.VolumeNotFound, self.resolve,
                          {'size': 2, 'destination': '/d'})

    def test_discard_deletes_only_what_was_made(self):
        self.answer('DELETE', '/' + VOLUME, None, 202)
        fields = {'cinder_volume_id': VOLUME}
        request.discard(self.context, [
            request.ResolvedMount('/d', fields, True),
            request.ResolvedMount('/e', {'cinder_volume_id': 'x'}, False),
            request.ResolvedMount('/f', {'contents': ''}, False)])
        self.assertEqual([('DELETE', '/' + VOLUME)], self.asked())
