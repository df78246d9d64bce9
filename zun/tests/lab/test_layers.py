# SPDX-License-Identifier: Apache-2.0
"""What a container has written outlives its stop, on a real node."""

import os
import pathlib

from zun.common import exception
from zun.compute import node_keeper
from zun.container.runtime import kept
from zun.tests.lab import cloud
from zun.tests.lab import cluster
from zun.tests.lab import test_driver
from zun.tests.lab import tree

# 100 MB, many small files, and whatever a file system knows of.
FILL = r'''
set -e
mkdir -p /data/many /data/private /data/sticky
head -c 100000000 /dev/urandom > /data/big
i=0
while [ $i -lt 1000 ]; do echo "file $i" > /data/many/$i; i=$((i+1)); done
chmod 4755 /data/many/1; chmod 000 /data/many/2; chown 1234:4321 /data/many/3
chmod 700 /data/private; chmod 1777 /data/sticky
ln -s big /data/link; ln -s /nowhere /data/broken; ln /data/many/4 /data/hard
mkfifo /data/fifo; mknod /data/device c 1 3
touch -d '2001-02-03 04:05:06' /data/many/5
mv /etc/group /etc/group2; cp -p /etc/group2 /etc/group
rm -rf /www; rm -f /bin/wc
echo changed >> /etc/passwd
'''
SLEEPS = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.2; done']
COUNTS = ['sh', '-c', 'i=0; while :; do i=$((i+1)); echo $i > /count; '
          'sleep 0.05; done']


class LayerTestCase(test_driver.CloudTestCase):

    def setUp(self):
        super(test_driver.CloudTestCase, self).setUp()
        self.lab = cluster.get()
        self.cloud = self.useFixture(cloud.Cloud(
            self.kubeconfig(), containerd=self.lab.containerd))
        cloud.CONF.set_override('execute_timeout', 60, 'docker')

    def shell(self, container, script):
        """Output of a script that has to succeed."""
        code, output = self.run_in(
            container, "sh -c '%s'" % script.replace("'", "'\"'\"'"))
        self.assertEqual(0, code, output)
        return output

    def fill(self, container):
        self.shell(container, FILL)
        data = self.root(container) / 'data'
        os.setxattr(data / 'many' / '6', 'user.note', bytes(range(256)))
        os.setxattr(data / 'private', 'user.note', b'of a directory')
        os.setxattr(data / 'many' / '7', 'security.capability',
                    bytes.fromhex('0100000200040000000000000000000000000000'))
        os.utime(data / 'many' / '8', ns=(1, 1234567890123456789))

    def assertTree(self, before, container):
        self.assertEqual({}, tree.differences(
            before, tree.describe(self.root(container))))

    def kept(self, container):
        return [image.name for image in self.cloud.runtime.list_images(
            kept.PREFIX + container.uuid)]

    def root(self, container):
        """The files of a running container, as the node sees them."""
        pod = self.cloud.pod(container)
        box = self.cloud.runtime.find(pod['metadata']['uid'], 'main')
        return pathlib.Path('/proc/%d/root' % box.pid)


class TestStopAndStart(LayerTestCase):

    def test_all_that_was_written_is_there_again(self):
        container = self.create()
        self.fill(container)
        before = tree.describe(self.root(container))
        self.assertGreater(len(before), 1000)
        for __ in range(2):
            row = self.act('stop', container, '1', status='Stopped')
            self.assertIsNone(row.status_reason)
            self.act('start', container, status='Running')
            self.assertTree(before, container)
        self.assertEqual(1, len(self.kept(container)))
        second = self.create(image=self.commit(container),
                             image_driver='glance', command=SLEEPS)
        self.assertTree(before, second)
        self.delete(container, second)
        self.assertNothingLeft()

    def commit(self, container):
        """The id of an image made of a container, in Glance."""
        made = self.cloud.ask('container_commit', container, 'snap', 'v1')
        self.addCleanup(self.forget, made['uuid'])
        images = self.cloud.peers.image.images
        self.assertTrue(cloud.wait(
            lambda: images[made['uuid']]['status'] == 'active'))
        return made['uuid']

    def forget(self, image_id):
        for image in self.cloud.runtime.list_images(
                'zun.local/glance/%s:' % image_id):
            self.cloud.runtime.remove_image(image.name)

    def test_all_that_was_said_is_kept(self):
        container = self.create()
        for count in range(1, 4):
            self.act('stop', container, '1', status='Stopped')
            saved = self.cloud.runtime.logs.runs(container.uuid, 'main')
            self.assertEqual(count, len(saved))
            self.assertIn(b'hello', saved[-1][1].read_bytes())
            self.act('start', container, status='Running')
        self.delete(container)

    def test_what_ends_by_itself_is_kept(self):
        container = self.create(
            command=['sh', '-c', 'test -e /mark && sleep 1000; '
                     'echo here > /mark'], wait=False)
        self.cloud.wait_for(container, 'Stopped')
        self.act('start', container, status='Running')
        self.assertEqual('here\n', self.shell(container, 'cat /mark'))
        self.act('kill', container, None, status='Stopped')
        self.assertEqual(1, len(self.kept(container)))
        self.act('start', container, status='Running')
        self.act('reboot', container, '1', status='Running')
        self.assertEqual('here\n', self.shell(container, 'cat /mark'))
        self.delete(container)
        self.assertNothingLeft()

    def test_restart_policy_goes_on_from_the_layer(self):
        container = self.create(
            command=['sh', '-c', 'echo run >> /runs; exit 4'],
            restart_policy={'Name': 'on-failure',
                            'MaximumRetryCount': '2'}, wait=False)
        self.cloud.wait_for(container, 'Stopped')
        self.assertTrue(cloud.wait(lambda: any(
            image.endswith(':3') for image in self.kept(container))))
        self.cloud.ask('container_delete', container, False)
        self.cloud.wait_until_gone(container)

    def test_nothing_is_kept_of_what_is_gone(self):
        container = self.create()
        self.act('stop', container, '1', status='Stopped')
        keeper = node_keeper.NodeKeeper(self.cloud.agent_driver,
                                        self.cloud.host)
        keeper.tidy()
        self.assertEqual(1, len(self.kept(container)))
        self.delete(container)
        keeper.tidy()
        self.assertEqual([], self.kept(container))
        self.assertEqual([], self.cloud.runtime.logs.owners())
        self.assertNothingLeft()

    def test_oldest_layer_goes_where_there_is_no_room(self):
        cloud.CONF.set_override('kept_layers_size', 6, 'agent')
        first, second = self.create(), self.create()
        for container in (first, second):
            self.shell(container, 'head -c 2000000 /dev/urandom > /data')
            self.act('stop', container, '1', status='Stopped')
        node_keeper.NodeKeeper(self.cloud.agent_driver,
                               self.cloud.host).tidy()
        self.assertEqual(([], 1), (self.kept(first),
                                   len(self.kept(second))))
        self.assertIn('kept_layers_size',
                      self.cloud.row(first).status_reason)
        for container in (first, second):
            self.act('start', container, status='Running')
        self.assertEqual((1, 0), tuple(
            self.run_in(one, 'ls /data')[0] for one in (first, second)))
        self.delete(first, second)


class TestPause(LayerTestCase):

    def count(self, container):
        return int((self.root(container) / 'count').read_text() or 0)

    def test_counter_stands_still(self):
        container = self.create(command=COUNTS)
        self.assertTrue(cloud.wait(
            lambda: (self.root(container) / 'count').exists()))
        self.act('pause', container, status='Paused')
        before = self.count(container)
        self.assertRaises(exception.Conflict, self.run_in, container, 'true')
        self.assertEqual(before, self.count(container))
        self.act('unpause', container, status='Running')
        self.assertTrue(cloud.wait(
            lambda: self.count(container) > before))
        self.act('pause', container, status='Paused')
        # A frozen process can't end, so it is thawed to be stopped.
        self.act('stop', container, '1', status='Stopped')
        self.delete(container)
        self.assertNothingLeft()
