# SPDX-License-Identifier: Apache-2.0
"""Images from registries and Glance on a real node, and back."""

import io
import json

from oslo_utils import uuidutils

from zun.compute import api as compute_api
from zun.image.glance import driver
from zun.image.oci import archive
from zun import objects
from zun.tests.lab import cloud
from zun.tests.lab import node_case
from zun.tests.unit.image.oci import archives


def renamed(source, name):
    """A Docker archive with the same layers and another configuration.

    The kubelet knows images by their configuration, and keeps those that it
    has pulled with a password from those who have none.
    """
    source.seek(0)
    with archive.Archive(source, 1 << 30) as found:
        contents = found.contents()
        config = json.loads(found.read(contents.config_path))
        config['config'] = {**config.get('config', {}),
                            'Labels': {'name': name}}
        return archives.tar({
            'c.json': config, 'manifest.json': [{
                'Config': 'c.json', 'RepoTags': ['inner:v1'],
                'Layers': contents.layers}],
            **{path: found.open(path)[0].read()
               for path in contents.layers}})


class TestRegistries(node_case.NodeTestCase):

    def image(self, repo, tag='latest'):
        """Ask for an image on the node as ``POST /v1/images`` does."""
        context = self.cloud.request()
        image = objects.Image(
            context, project_id=context.project_id, repo=repo, tag=tag,
            user_id=context.user_id, host=self.cloud.host)
        image.pull(context)
        compute_api.API(context).image_pull(context, image, self.cloud.host)
        return image

    def row(self, image):
        return objects.Image.get_by_uuid(self.cloud.context, image.uuid)

    def test_pulled_image_is_on_the_node(self):
        image = self.image('cirros')
        self.assertTrue(cloud.wait(lambda: self.row(image).size))
        self.assertTrue(self.runtime.image('docker.io/library/cirros:latest'))
        row = self.row(image)
        there = self.runtime.usable('cirros:latest')
        self.assertEqual((there.digest, str(there.size)),
                         (row.image_id, row.size))
        compute_api.API(self.cloud.request()).image_delete(
            self.cloud.request(), image, self.cloud.host)
        self.assertTrue(cloud.wait(lambda: not objects.Image.list(
            self.cloud.context)))
        self.assertIsNone(self.runtime.image(
            'docker.io/library/cirros:latest'))

    def test_image_that_does_not_exist(self):
        image = self.image('nowhere')
        other = self.image('cirros')
        self.assertTrue(cloud.wait(lambda: self.row(other).size))
        self.assertIsNone(self.row(image).size)

    def test_private_registry(self):
        context = self.cloud.request()
        registry = objects.Registry(
            context, project_id=context.project_id, name='r',
            user_id=context.user_id, domain=self.private,
            username=node_case.USER, password=node_case.PASSWORD)
        registry.create(context)
        container = self.create(image='team/private', registry=registry,
                                registry_id=registry.id,
                                image_pull_policy='always')
        self.assertEqual('Running', container.status,
                         container.status_reason)
        refused = self.create(image=self.private + '/team/private',
                              image_pull_policy='always')
        self.assertEqual('Error', refused.status)
        self.delete(container, refused)

    def names(self, text, exact):
        return [item['name'] for item in compute_api.API(
            self.cloud.request()).image_search(
                self.cloud.request(), text, 'docker', exact)]

    def test_search(self):
        self.assertIn('busybox', self.names('busy', False))
        self.assertEqual(['busybox'], self.names('busybox:latest', True))
        self.assertEqual([], self.names('busybox:none', True))
        self.assertEqual([], self.names(self.private + '/team/private',
                                        True))


class TestGlance(node_case.NodeTestCase):

    def put(self, name):
        """Busybox as an archive in Glance; its id there."""
        self.runtime.pull('busybox')
        out = io.BytesIO()
        self.runtime.export_archive('docker.io/library/busybox:latest', out)
        return self.cloud.peers.image.seed(
            {'name': name, 'container_format': 'docker',
             'disk_format': 'raw', 'visibility': 'public'},
            renamed(out, name))['id']

    def forget(self, image_id):
        for image in self.runtime.list_images(
                'zun.local/glance/%s:' % image_id):
            self.runtime.remove_image(image.name)

    def test_image_runs_and_what_it_becomes_too(self):
        name = 'app-' + uuidutils.generate_uuid()
        image_id = self.put(name)
        self.addCleanup(self.forget, image_id)
        container = self.create(image=name, image_driver='glance')
        self.assertEqual('Running', container.status,
                         container.status_reason)
        self.assertEqual('Never', self.cloud.pod(container)['spec'][
            'containers'][0]['imagePullPolicy'])
        self.output(container, 'mkdir /mine; echo some > /mine/file')
        made = self.cloud.ask('container_commit', container, 'snap', 'v2')
        self.addCleanup(self.forget, made['uuid'])
        images = self.cloud.peers.image.images
        self.assertTrue(cloud.wait(
            lambda: images[made['uuid']]['status'] == 'active'))
        self.assertEqual(('docker', ['v2'], 'snap'), tuple(
            images[made['uuid']][key]
            for key in ('container_format', 'tags', 'name')))
        self.assertEqual([], self.runtime.list_images(
            'zun.local/commit/%s:' % container.uuid))
        second = self.create(image=made['uuid'], image_driver='glance')
        self.assertEqual('Running', second.status, second.status_reason)
        self.assertEqual('some', self.output(second, 'cat /mine/file'))
        self.delete(container, second)

    def test_registry_of_the_deployment(self):
        cloud.CONF.set_override('image_registry', self.hub + '/own',
                                'kubernetes')
        name = 'app-' + uuidutils.generate_uuid()
        image_id = self.put(name)
        container = self.create(image=name, image_driver='glance')
        self.assertEqual('Running', container.status,
                         container.status_reason)
        image = self.cloud.pod(container)['spec']['containers'][0]['image']
        self.assertIn('%s/own/glance/%s@sha256:' % (self.hub, image_id),
                      image)
        self.cloud.ask('container_commit', container, 'snap', 'v2')
        place, path = driver.own_registry()
        self.assertTrue(cloud.wait(lambda: place.manifest(
            '%s%s/snap' % (path, container.project_id), 'v2')))
        self.delete(container)

    def test_what_is_no_archive(self):
        name = 'bad-' + uuidutils.generate_uuid()
        self.cloud.peers.image.seed(
            {'name': name, 'container_format': 'docker',
             'visibility': 'public'}, b'no archive')
        container = self.create(image=name, image_driver='glance')
        self.assertEqual('Error', container.status)
        self.assertIn('archive', container.status_reason)
        self.delete(container)
