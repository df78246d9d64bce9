# SPDX-License-Identifier: Apache-2.0
from unittest import mock

import fixtures
from oslo_utils import uuidutils

from zun.common import consts
from zun.compute import node_keeper
from zun.container import driver
from zun.container.runtime import base as runtime_base
from zun.container.runtime import kept
from zun import objects
from zun.tests import base
from zun.tests import fixtures as zun_fixtures
from zun.tests.unit.db import utils

MIB = 1 << 20


class NodeKeeperTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(zun_fixtures.Database())
        objects.register_all()
        self.config(group='agent', state_path=self.path('agent'))
        self.images = {}
        runtime = mock.Mock(spec=runtime_base.Runtime)
        runtime.list_images.side_effect = lambda prefix: list(
            self.images.values())
        runtime.remove_image.side_effect = self.images.pop
        self.driver = mock.Mock(spec=driver.ContainerDriver, runtime=runtime)
        self.needed = {}
        self.driver.images_in_use.side_effect = (
            lambda row: self.needed.get(row.uuid))
        self.driver.give_up_layer.return_value = 'given up'
        self.keeper = node_keeper.NodeKeeper(self.driver, 'node-1')
        self.logs = runtime.logs

    def container(self, **fields):
        return utils.create_test_container(
            uuid=uuidutils.generate_uuid(), name=None,
            status=consts.STOPPED, task_state=None, **fields)['uuid']

    def image(self, uuid, generation=1, created=1.0, added=0,
              deployment='zun-'):
        name = kept.image_name(uuid, 'main', generation)
        self.images[name] = runtime_base.RuntimeImage(
            name, 'sha256:1', labels={kept.DEPLOYMENT: deployment},
            created=created, added=added)
        return name

    def stopped(self, **fields):
        """A stopped container and its layer."""
        uuid = self.container()
        name = self.image(uuid, **fields)
        self.needed[uuid] = ({name}, True)
        return uuid, name

    def tidy(self):
        self.keeper.tidy()
        return sorted(self.images)


class TestTidy(NodeKeeperTestCase):

    def test_needed(self):
        __, name = self.stopped()
        self.assertEqual([name], self.tidy())

    def test_container_that_is_no_more(self):
        self.image(uuidutils.generate_uuid())
        self.assertEqual([], self.tidy())

    def test_another_deployment_s(self):
        name = self.image(uuidutils.generate_uuid(), deployment='other-')
        self.assertEqual([name], self.tidy())

    def test_nobody_needs_it(self):
        uuid = self.container()
        self.needed[uuid] = (set(), False)
        self.image(uuid)
        self.assertEqual([], self.tidy())

    def test_nobody_needs_it_yet(self):
        uuid = self.container()
        self.needed[uuid] = (set(), False)
        name = self.image(uuid, created=node_keeper.time.time())
        self.assertEqual([name], self.tidy())

    def test_nobody_can_tell(self):
        name = self.image(self.container())
        self.assertEqual([name], self.tidy())

    def test_worked_on(self):
        uuid = self.container()
        self.needed[uuid] = (set(), False)
        name = self.image(uuid)
        self.useFixture(fixtures.MockPatchObject(
            node_keeper.tasks, 'busy_lanes', return_value={uuid}))
        self.assertEqual([name], self.tidy())

    def save_log(self, uuid):
        source = self.path('0.log')
        with open(source, 'w') as file:
            file.write('x')
        self.logs.save(uuid, 'main', 1, node_keeper.pathlib.Path(source))

    def test_logs(self):
        uuid = self.container()
        self.save_log(uuid)
        self.save_log(uuidutils.generate_uuid())
        self.tidy()
        self.assertEqual([uuid], self.logs.owners())


class TestBound(NodeKeeperTestCase):

    def setUp(self):
        super().setUp()
        self.config(group='agent', kept_layers_size=10)
        self.uuids, self.names = zip(*[
            self.stopped(created=float(number), added=2 * MIB)
            for number in range(1, 5)])

    def row(self, uuid):
        return objects.Container.get_by_uuid(utils.member(), uuid)

    def test_oldest_goes(self):
        self.assertEqual(sorted(self.names[2:]), self.tidy())
        self.assertEqual('given up', self.row(self.uuids[0]).status_reason)
        self.assertNotEqual('given up',
                            self.row(self.uuids[2]).status_reason)

    def test_never_one_in_use(self):
        self.needed[self.uuids[0]] = ({self.names[0]}, False)
        self.assertEqual(sorted([self.names[0], *self.names[2:]]),
                         self.tidy())

    def test_needed_after_all(self):
        self.driver.give_up_layer.side_effect = [None, 'given up',
                                                 'given up']
        self.assertEqual(sorted([self.names[0], self.names[3]]),
                         self.tidy())

    def test_no_limit(self):
        self.config(group='agent', kept_layers_size=0)
        self.assertEqual(4, len(self.tidy()))


class TestEquip(base.TestCase):

    def test_kills_outlive_the_agent(self):
        self.config(group='agent', state_path=self.path('agent'))
        runtime = mock.Mock(spec=runtime_base.Runtime)
        node_keeper.equip(runtime)
        runtime.kills.put('c1', 5.0)
        node_keeper.equip(runtime)
        self.assertEqual(5.0, runtime.kills.get('c1'))
