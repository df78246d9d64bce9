# SPDX-License-Identifier: Apache-2.0

from zun.common import exception
from zun import objects
from zun.tests import base


def node(cpuset, pinned):
    return objects.NUMANode(id=0, cpuset=set(cpuset),
                            pinned_cpus=set(pinned))


class PinCpusTestCase(base.BaseTestCase):

    def test_pins(self):
        item = node([0, 1, 2], [0])
        item.pin_cpus([1])
        self.assertEqual(({0, 1}, {2}, 1), (item.pinned_cpus, item.free_cpus,
                                            item.avail_cpus))

    def test_nothing(self):
        item = node([], [])
        item.pin_cpus([])
        self.assertEqual(set(), item.pinned_cpus)

    def test_pinned_already(self):
        e = self.assertRaises(exception.CPUPinningInvalid,
                              node([0, 1, 2], [0, 1]).pin_cpus, [0, 1])
        self.assertEqual('CPU set to pin [0, 1] must be a subset of free '
                         'CPU set [2]', str(e))

    def test_unknown(self):
        self.assertRaises(exception.CPUPinningUnknown,
                          node([0, 1], []).pin_cpus, [5])

    def test_failure_pins_nothing(self):
        item = node([0, 1], [0])
        self.assertRaises(exception.CPUPinningInvalid, item.pin_cpus, [0, 1])
        self.assertEqual({0}, item.pinned_cpus)


class UnpinCpusTestCase(base.BaseTestCase):

    def test_unpins(self):
        item = node([0, 1, 2], [0, 1])
        item.unpin_cpus([1])
        self.assertEqual({0}, item.pinned_cpus)

    def test_not_pinned(self):
        e = self.assertRaises(exception.CPUUnpinningInvalid,
                              node([0, 1, 2], [0]).unpin_cpus, [1, 2])
        self.assertEqual('CPU set to unpin [1, 2] must be a subset of '
                         'pinned CPU set [0]', str(e))

    def test_unknown(self):
        self.assertRaises(exception.CPUUnpinningUnknown,
                          node([0, 1], []).unpin_cpus, [5])


class TopologyTestCase(base.BaseTestCase):

    def test_there_and_back(self):
        values = {'nodes': [{'id': 0, 'cpuset': [0, 1], 'pinned_cpus': [1],
                             'mem_total': 8, 'mem_available': 4}]}
        topology = objects.NUMATopology._from_dict(values)
        self.assertEqual(values, topology._to_dict())
        self.assertEqual(values['nodes'], topology.to_list())

    def test_change_of_a_node_is_one_of_the_topology(self):
        topology = objects.NUMATopology(nodes=[node([0], [])])
        topology.obj_reset_changes(recursive=True)
        topology.nodes[0].pin_cpus([0])
        self.assertEqual({'nodes'}, topology.obj_what_changed())
