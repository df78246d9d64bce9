# SPDX-License-Identifier: Apache-2.0
"""Files, sizes, archives, networks, private images and capsules."""

import base64
import io
import tarfile

from keystoneauth1 import exceptions as ks_exc

from zun.tests.functional.standalone import base


class ResourcesTest(base.StandaloneTestCase):

    def test_file_given_in_the_request(self):
        text = base64.b64encode(b'contents of a file').decode()
        uuid = self.running(mounts=[{
            'type': 'bind', 'source': text, 'destination': '/etc/given'}])
        self.assertEqual('contents of a file',
                         self.execute(uuid, 'cat etc/given')[0])

    def test_archive_there_and_back(self):
        uuid = self.running()
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode='w') as archive:
            entry = tarfile.TarInfo('binary')
            data = bytes(range(256))
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        where = self.execute(uuid, 'pwd')[0].strip()
        self.api.post('/containers/%s/put_archive' % uuid, params={
            'path': where}, json={'data': base64.b64encode(
                packed.getvalue()).decode()})
        answer = self.api.get('/containers/%s/get_archive' % uuid, params={
            'path': where + '/binary'}).json()
        with tarfile.open(fileobj=io.BytesIO(base64.b64decode(
                answer['data']))) as archive:
            self.assertEqual(data, archive.extractfile('binary').read())

    def test_more_memory(self):
        uuid = self.running()
        self.api.patch('/containers/' + uuid, json={'memory': '96'})
        pod, = self.pods(uuid)
        self.assertEqual('96', self.show(uuid)['memory'])
        self.assertIn(
            pod['spec']['containers'][0]['resources']['limits']['memory'],
            ('96Mi', str(96 * 2 ** 20)))

    def test_more_memory_than_the_node_has(self):
        uuid = self.running()
        error = self.assertRaises(
            ks_exc.HttpError, self.api.patch, '/containers/' + uuid,
            json={'memory': '4096'})
        self.assertLess(error.http_status, 500)
        self.assertEqual('64', self.show(uuid)['memory'])

    def test_another_network(self):
        uuid = self.running()
        self.act(uuid, 'network_attach', network='shared')
        self.wait_for(lambda: len(self.show(uuid)['addresses']) == 2,
                      'two networks')
        self.act(uuid, 'network_detach', network='shared')
        self.wait_for(lambda: len(self.show(uuid)['addresses']) == 1,
                      'one network')

    def test_private_image(self):
        registry = self.api.post('/registries', json={'registry': {
            'name': 'private', 'domain': '127.0.0.1:5051',
            'username': 'puller', 'password': 'pull-secret'}}).json()[
                'registry']
        self.addCleanup(self.api.delete,
                        '/registries/' + registry['uuid'])
        image = '127.0.0.1:5051/team/private'
        uuid = self.create(image=image)
        shown = self.wait_status(uuid, 'Error')
        self.assertIn('authorize', shown['status_reason'])
        self.running(image=image, registry='private')

    def test_capsule(self):
        template = {'capsuleVersion': 'beta', 'kind': 'capsule',
                    'metadata': {'name': 'pair', 'labels': {'a': 'b'}},
                    'spec': {'containers': [
                        {'image': 'busybox', 'command': ['sleep'],
                         'args': ['600']},
                        {'image': 'busybox', 'command': ['sleep'],
                         'args': ['600']}]}}
        made = self.api.post('/capsules/', json={
            'template': template}).json()
        self.wait_for(lambda: self.api.get('/capsules/' + made[
            'uuid']).json()['status'] == 'Running', 'the capsule')
        pod, = self.pods()
        self.assertEqual(2, len(pod['spec']['containers']))
        self.api.delete('/capsules/' + made['uuid'])
        self.wait_for(lambda: not self.pods(), 'no Pod')
