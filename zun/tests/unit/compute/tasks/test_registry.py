# SPDX-License-Identifier: Apache-2.0

import inspect

from zun.compute import manager
from zun.compute import rpcapi
from zun.compute.tasks import registry
from zun.tests import base


class RegistryTestCase(base.BaseTestCase):

    def test_manager_runs_every_kind(self):
        made = registry.from_manager(manager.Manager(driver=object()))
        self.assertEqual(set(registry.KINDS), set(made.kinds()))

    def test_failed_hooks_belong_to_kinds(self):
        hooks = {name[:-len('_failed')] for name, _
                 in inspect.getmembers(manager.Manager, callable)
                 if name.endswith('_failed')}
        self.assertEqual(set(), hooks - set(registry.KINDS))

    def test_manager_takes_what_is_sent(self):
        for name in set(registry.KINDS) | rpcapi.READS:
            parameters = inspect.signature(
                getattr(manager.Manager, name)).parameters
            self.assertEqual(['self', 'context'], list(parameters)[:2], name)

    def test_lanes_name_arguments(self):
        for kind in registry.KINDS.values():
            if kind.lane is None:
                continue
            parameters = inspect.signature(
                getattr(manager.Manager, kind.name)).parameters
            self.assertIn(kind.lane.partition('.')[0], parameters, kind.name)

    def test_kind_without_an_operation(self):
        self.assertIsNone(registry.Registry().find('noop'))
