# SPDX-License-Identifier: Apache-2.0
"""Tells the service and Placement about one node, time and again."""

from collections.abc import Callable
import threading

from oslo_log import log as logging

from zun.common import context as zun_context
from zun.common.k8s import client
from zun.compute import compute_node_tracker
from zun.compute import node_inventory
import zun.conf
from zun.servicegroup import heartbeat

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)

# The agent of a node answers for the binary that the reference ran there.
BINARY = 'zun-compute'
MANAGED = 'zun.openstack.org/managed=true'
FIRST_RETRY = 1.0


class NodeReporter:
    """Heartbeats and inventory of a node.

    :param host: name of the Kubernetes Node, and of the host.
    """

    def __init__(self, host: str):
        self.host = host
        self._heartbeat = heartbeat.Heartbeat(host, BINARY)
        self._tracker = compute_node_tracker.ComputeNodeTracker(host)
        self._stopping = threading.Event()
        self._threads = [
            self._repeat('heartbeat', self.beat, self._beat_interval),
            self._repeat('inventory', self.report, lambda: float(
                CONF.compute.resource_provider_association_refresh))]

    def start(self) -> None:
        """Begin to report."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Report no more."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def beat(self) -> None:
        """Show that the node can be worked with."""
        self._heartbeat.beat(zun_context.get_admin_context())

    def report(self) -> None:
        """Write what the node has to its row and to Placement.

        :raises KubernetesError: the cluster failed, or has no such node.
        :raises PeerError: Placement failed; the row is written.
        """
        cluster = client.get_cluster()
        node = cluster.get(client.NODES, self.host)
        problem = node_inventory.problem(node)
        if problem:
            LOG.warning('%(host)s takes no containers: %(problem)s',
                        {'host': self.host, 'problem': problem})
        classes = cluster.list(client.RUNTIME_CLASSES)[0]
        pods = cluster.list(
            client.PODS, labels=MANAGED,
            fields='spec.nodeName=%s' % self.host)[0]
        self._tracker.update_available_resources(
            zun_context.get_admin_context(all_projects=True),
            node_inventory.resources(node, classes, pods))

    @staticmethod
    def _beat_interval() -> float:
        # Two may be lost before the service counts as down.
        return min(CONF.periodic_interval_max, CONF.service_down_time / 3)

    def _repeat(self, name: str, action: Callable[[], None],
                interval: Callable[[], float]) -> threading.Thread:
        """A thread that does something at intervals, sooner after errors."""
        def run():
            pause = FIRST_RETRY
            while True:
                try:
                    action()
                    pause = FIRST_RETRY
                    wait = interval()
                except Exception as error:
                    LOG.warning('The %(name)s of %(host)s failed and is '
                                'tried again: %(error)s',
                                {'name': name, 'host': self.host,
                                 'error': error})
                    wait = min(pause, interval())
                    pause *= 2
                if self._stopping.wait(wait):
                    return
        return threading.Thread(target=run, name=name, daemon=True)
