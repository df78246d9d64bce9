# SPDX-License-Identifier: Apache-2.0
import base64
import json

from zun.container.k8s import secrets
from zun.tests import base
from zun.tests.unit.container.k8s import fakes


class TestRegistrySecret(base.BaseTestCase):

    def test_contents(self):
        secret = secrets.registry_secret(fakes.pod(), fakes.UUID, 'r.test',
                                         'user', 'pass:word')
        self.assertEqual('kubernetes.io/dockerconfigjson', secret['type'])
        config = json.loads(base64.b64decode(
            secret['data']['.dockerconfigjson']))
        entry = config['auths']['r.test']
        self.assertEqual(('user', 'pass:word'),
                         (entry['username'], entry['password']))
        self.assertEqual(b'user:pass:word', base64.b64decode(entry['auth']))

    def test_docker_hub(self):
        for server in ('', 'docker.io'):
            secret = secrets.registry_secret(fakes.pod(), fakes.UUID,
                                             server, 'u', 'p')
            config = json.loads(base64.b64decode(
                secret['data']['.dockerconfigjson']))
            self.assertEqual(['https://index.docker.io/v1/'],
                             list(config['auths']))


class TestFileSecret(base.BaseTestCase):

    def test_bytes(self):
        contents = bytes(range(256))
        secret = secrets.file_secret(fakes.pod(), fakes.UUID, 'k', contents)
        self.assertEqual({'k': base64.b64encode(contents).decode()},
                         secret['data'])

    def test_belongs_to_the_pod(self):
        meta = secrets.file_secret(fakes.pod(), fakes.UUID, 'k',
                                   b'')['metadata']
        self.assertEqual([{'apiVersion': 'v1', 'kind': 'Pod',
                           'name': fakes.POD, 'uid': 'u1'}],
                         meta['ownerReferences'])
        self.assertEqual(fakes.NAMESPACE, meta['namespace'])
        self.assertEqual({'zun.openstack.org/managed': 'true',
                          'zun.openstack.org/container': fakes.UUID},
                         meta['labels'])


class TestUsedBy(base.BaseTestCase):

    def test_names(self):
        found = fakes.pod(spec={
            'imagePullSecrets': [{'name': 'a'}],
            'volumes': [{'name': 'v', 'secret': {'secretName': 'b'}},
                        {'name': 'w', 'emptyDir': {}}]})
        self.assertEqual(['a', 'b'], secrets.used_by(found))

    def test_none(self):
        self.assertEqual([], secrets.used_by(fakes.pod()))
