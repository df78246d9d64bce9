# SPDX-License-Identifier: Apache-2.0

from zun.compute import node_inventory
from zun.tests import base


def node(**status):
    return {'metadata': {'name': 'n', 'labels': {'zone': 'a'}}, 'spec': {},
            'status': {
                'allocatable': {'cpu': '3920m', 'memory': '24581684Ki',
                                'ephemeral-storage': '267847642337'},
                'nodeInfo': {'architecture': 'amd64', 'osImage': 'Debian',
                             'operatingSystem': 'linux',
                             'kernelVersion': '6.1'},
                'conditions': [{'type': 'Ready', 'status': 'True'}],
                **status}}


CLASSES = [{'metadata': {'name': 'kata'}, 'handler': 'kata-qemu'},
           {'metadata': {'name': 'plain'}, 'handler': 'runc'}]


class NodeInventoryTest(base.BaseTestCase):

    def test_amounts_are_whole_units_of_what_pods_may_have(self):
        found = node_inventory.resources(node(), [])
        self.assertEqual((3, 24005, 249), (
            found.cpus, found.mem_total, found.disk_total))

    def test_facts_of_the_machine(self):
        found = node_inventory.resources(node(), [])
        self.assertEqual(
            ('x86_64', 'linux', 'Debian', '6.1', {'zone': 'a'}),
            (found.architecture, found.os_type, found.os,
             found.kernel_version, found.labels))

    def test_runtimes_are_those_whose_handler_is_there(self):
        found = node_inventory.resources(node(
            runtimeHandlers=[{'name': ''}, {'name': 'runc'}]), CLASSES)
        self.assertEqual(['plain'], found.runtimes)

    def test_all_runtimes_where_handlers_are_not_told(self):
        found = node_inventory.resources(node(), CLASSES)
        self.assertEqual(['kata', 'plain'], found.runtimes)

    def test_counts(self):
        self.assertEqual({'total': 2, 'stopped': 1}, node_inventory.counts([
            {'status': {'phase': 'Running'}},
            {'status': {'phase': 'Failed'}}]))

    def test_problems(self):
        cordoned = node()
        cordoned['spec']['unschedulable'] = True
        away = node(conditions=[{'type': 'Ready', 'status': 'Unknown',
                                 'message': 'gone'}])
        for found, text in ((None, 'no such node'), (cordoned, 'cordoned'),
                            (away, 'gone')):
            self.assertIn(text, node_inventory.problem(found))
        self.assertIsNone(node_inventory.problem(node()))

    def test_no_quantity(self):
        self.assertRaises(ValueError, node_inventory.amount, '5Qi')
