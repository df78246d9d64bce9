# SPDX-License-Identifier: Apache-2.0

from unittest import mock

from oslo_utils import uuidutils

from zun.common import clients
from zun.common import consts
from zun.compute.operations import leftovers
from zun.network import neutron
from zun.scheduler.client import report
from zun.tests.unit.compute.operations import base


class TestComparison(base.OperationTestCase):

    def setUp(self):
        super().setUp()
        self.ports = []
        self.held = {}
        for target, name, value in (
                (neutron.NeutronAPI, 'query',
                 lambda api, kind, **query: self.ports),
                (report.SchedulerReportClient, '__init__',
                 lambda client, context: None),
                (report.SchedulerReportClient, 'get_consumers',
                 lambda client, provider: list(self.held))):
            patcher = mock.patch.object(target, name, value)
            patcher.start()
            self.addCleanup(patcher.stop)
        self.comparison = leftovers.Comparison()

    def whole(self, **fields):
        """A container that has what it should have."""
        port = uuidutils.generate_uuid()
        container = self.put_container(
            addresses={'net': [{'port': port,
                                'preserve_on_delete': False}]}, **fields)
        self.ports.append({'id': port, 'device_id': container.uuid})
        self.held[container.uuid] = 'provider'
        return container

    def compare(self, times=2):
        for _ in range(times):
            found = self.comparison.compare(self.context)
        return {(one.what, one.container) for one in found}

    def test_what_fits(self):
        self.whole()
        self.assertEqual(set(), self.compare())

    def test_port_of_no_container(self):
        self.ports.append({'id': 'port', 'device_id': 'gone'})
        self.assertEqual({(leftovers.LOST_PORT, 'gone')}, self.compare())

    def test_allocation_of_no_container(self):
        self.held['gone'] = 'provider'
        self.assertEqual({(leftovers.LOST_ALLOCATION, 'gone')},
                         self.compare())

    def test_container_without_its_port(self):
        container = self.whole()
        self.ports.clear()
        self.assertEqual({(leftovers.NO_PORT, container.uuid)},
                         self.compare())

    def test_container_without_an_allocation(self):
        container = self.whole()
        del self.held[container.uuid]
        self.held['other'] = 'provider'
        self.assertIn((leftovers.NO_ALLOCATION, container.uuid),
                      self.compare())

    def test_creation_has_not_everything_yet(self):
        self.whole(status=consts.CREATING)
        self.ports.clear()
        self.held.clear()
        self.assertEqual(set(), self.compare())

    def test_what_one_comparison_finds_may_be_on_its_way(self):
        self.held['new'] = 'provider'
        self.assertEqual(set(), self.compare(1))

    def test_each_difference_is_told_once(self):
        self.held['gone'] = 'provider'
        with mock.patch.object(leftovers.LOG, 'warning',
                               autospec=True) as warning:
            self.compare(4)
        warning.assert_called_once()

    def test_unknown_provider_has_no_consumers(self):
        self.whole()
        refused = clients.PeerRefused('Placement', 'no', 404)
        with mock.patch.object(report.SchedulerReportClient, 'get_consumers',
                               autospec=True, side_effect=refused):
            found = self.compare()
        self.assertEqual({leftovers.NO_ALLOCATION},
                         {what for what, __ in found})
