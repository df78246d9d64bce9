# SPDX-License-Identifier: Apache-2.0
"""Sandboxes joined to a bridge by a pair of virtual devices."""

import os_vif

from zun.cni.binding import base
from zun.cni.binding import links
from zun.network import os_vif_util

_USERSPACE = 'netdev'


class _VethDriver(base.BaseBindingDriver):
    """One end in the sandbox, the other one on the node."""

    @staticmethod
    def _make_pair(plug, netns):
        """Make both ends; the one inside gets ready meanwhile."""
        vif = plug.vif
        links.make_veth(vif.device, netns, plug.name, vif.mac, vif.mtu)

        def furnish():
            if vif.details.get('datapath_type') == _USERSPACE:
                links.leave_no_checksum(plug.name)
            links.configure(plug.name, vif)
        return links.begin_inside(netns, furnish)

    @staticmethod
    def _instance(plug):
        return os_vif_util.osvif_instance(plug.instance)

    def _unplug(self, plug):
        os_vif.unplug(plug.osvif, self._instance(plug))
        links.delete(plug.vif.device)


class VIFOpenVSwitchDriver(_VethDriver):
    """The node's end is a port of Open vSwitch: native ML2/OVS, and OVN."""

    def connect(self, plug, netns):
        self.switch.forget(plug.vif.device)
        inside = self._make_pair(plug, netns)
        try:
            os_vif.plug(plug.osvif, self._instance(plug))
        finally:
            inside.result()

    def disconnect(self, plug, netns):
        self._unplug(plug)

    def is_left(self, plug):
        return links.exists(plug.vif.device) or self.switch.has(
            plug.vif.device)

    def is_plugged(self, plug):
        return links.exists(plug.vif.device) and self.switch.has(
            plug.vif.device, plug.vif.id)

    def await_active(self, plug, timeout):
        return self.switch.await_wired(plug.vif.device, timeout)


class BridgeDriver(_VethDriver):
    """The node's end is on a Linux bridge.

    Either one of the port's own that leads to Open vSwitch (the hybrid
    plug of ML2/OVS with iptables), which os-vif makes, or the network's.
    """

    def connect(self, plug, netns):
        osvif = plug.osvif
        hybrid = _is_hybrid(osvif)
        if hybrid:
            self.switch.forget(_ovs_port(plug))
            os_vif.plug(osvif, self._instance(plug))
        self._make_pair(plug, netns).result()
        links.join_bridge(plug.vif.device, osvif.bridge_name,
                          make=not hybrid)

    def disconnect(self, plug, netns):
        if _is_hybrid(plug.osvif):
            self._unplug(plug)
        else:
            # The bridge is the agent's to remove with its last port.
            links.delete(plug.vif.device)

    def is_left(self, plug):
        if links.exists(plug.vif.device):
            return True
        osvif = plug.osvif
        return _is_hybrid(osvif) and (
            links.exists(osvif.bridge_name) or
            self.switch.has(_ovs_port(plug)))

    def is_plugged(self, plug):
        return links.exists(plug.vif.device) and (
            not _is_hybrid(plug.osvif) or
            self.switch.has(_ovs_port(plug), plug.vif.id))

    def await_active(self, plug, timeout):
        if not _is_hybrid(plug.osvif):
            return True
        return self.switch.await_wired(_ovs_port(plug), timeout)


def _is_hybrid(osvif):
    return osvif.plugin == 'ovs'


def _ovs_port(plug):
    return os_vif_util.device_name('qvo', plug.vif.id)
