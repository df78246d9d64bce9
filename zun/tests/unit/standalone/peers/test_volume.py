# SPDX-License-Identifier: Apache-2.0

import json

from zun.standalone.peers import service
from zun.standalone.peers import volume
from zun.tests import base

USER = service.Caller('u', 'p', ('member',))
OTHER = service.Caller('o', 'q', ('member',))


class VolumeTest(base.TestCase):

    def setUp(self):
        super().setUp()
        self.service = volume.Volume(self.path('volumes'))
        _, answer = self.ask('POST', '/volumes', {'volume': {'size': 1}})
        self.uuid = answer['volume']['id']

    def ask(self, method, path, body=None, caller=USER):
        status, _, data = self.service.handle(service.Request(
            method, '/v3/p' + path, [], {}, json.dumps(body or {}).encode(),
            'http://x', caller))
        return status, json.loads(data or b'null')

    def act(self, action, **body):
        return self.ask('POST', '/volumes/%s/action' % self.uuid,
                        {action: body})

    def status(self):
        return self.ask('GET', '/volumes/' + self.uuid)[1]['volume'][
            'status']

    def test_life_of_an_attachment(self):
        seen = [self.status()]
        for action, body in (
                ('os-reserve', {}),
                ('os-attach', {'instance_uuid': 'c', 'mountpoint': '/x'}),
                ('os-begin_detaching', {}), ('os-detach', {})):
            self.assertEqual(202, self.act(action, **body)[0])
            seen.append(self.status())
        self.assertEqual(['available', 'attaching', 'in-use', 'detaching',
                          'available'], seen)

    def test_only_a_free_volume_can_be_reserved(self):
        self.act('os-reserve')
        self.assertEqual(400, self.act('os-reserve')[0])

    def test_connection(self):
        _, answer = self.act('os-initialize_connection', connector={})
        self.assertEqual('local', answer['connection_info'][
            'driver_volume_type'])

    def test_attached_volume_stays(self):
        self.act('os-attach', instance_uuid='c')
        self.assertEqual(400, self.ask('DELETE',
                                       '/volumes/' + self.uuid)[0])

    def test_size_must_be_a_number(self):
        for size in (0, 'x', None):
            self.assertEqual(400, self.ask('POST', '/volumes', {
                'volume': {'size': size}})[0])

    def test_another_project_sees_nothing(self):
        self.assertEqual(404, self.ask(
            'GET', '/volumes/' + self.uuid, caller=OTHER)[0])

    def test_new_attachment_api(self):
        _, answer = self.ask('POST', '/attachments', {'attachment': {
            'volume_uuid': self.uuid, 'instance_uuid': 'c'}})
        uid = answer['attachment']['id']
        self.assertEqual('reserved', self.status())
        _, answer = self.ask('PUT', '/attachments/' + uid, {'attachment': {
            'connector': {'host': 'h'}}})
        self.assertEqual('local', answer['attachment']['connection_info'][
            'driver_volume_type'])
        self.ask('DELETE', '/attachments/' + uid)
        self.assertEqual('available', self.status())
