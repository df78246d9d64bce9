# SPDX-License-Identifier: Apache-2.0
"""Peers in memory, and what kills a worker between two of its calls."""

import itertools

from zun.common import consts
from zun.common import exception
from zun.compute.operations import base
from zun.network import driver


class Killed(BaseException):
    """The worker has died; nothing of it runs any more."""


class Tripwire:
    """Kills the worker at one of the moments around its calls.

    :ivar moments: how many have been passed.
    :ivar fatal: number of the moment to die at; None lets it live.
    """

    def __init__(self):
        self.moments = 0
        self.fatal = None

    def pass_moment(self) -> None:
        self.moments += 1
        if self.moments == self.fatal:
            raise Killed()


class Tripping:
    """A thing whose methods have a moment before and after each call."""

    def __init__(self, thing, wire: Tripwire):
        self._thing = thing
        self._wire = wire

    def __getattr__(self, name):
        method = getattr(self._thing, name)
        if not callable(method):
            return method

        def call(*args, **kwargs):
            self._wire.pass_moment()
            result = method(*args, **kwargs)
            self._wire.pass_moment()
            return result

        return call


class Network:
    """Neutron, as far as containers are concerned.

    :ivar ports: id to device_id; empty for a user's port in no use.
    :ivar groups: ids of security groups made for exposed ports, to the
        container's uuid.
    :ivar faults: method to errors that its next calls raise; None works.
    :ivar half: make so many ports, then fail.
    """

    def __init__(self):
        self.ports = {}
        self.own_ports = set()
        self.groups = {}
        self.faults = {}
        self.half = None
        self.members = {}
        self._numbers = itertools.count(1)

    def fail(self, name):
        faults = self.faults.get(name)
        if faults:
            fault = faults.pop(0)
            if fault is not None:
                raise fault

    def new_id(self, kind):
        return '%s-%d' % (kind, next(self._numbers))


class NetworkDriver(driver.NetworkDriver):
    """The driver of :class:`Network`."""

    def __init__(self, context, network: Network, again: bool, last: bool):
        super().__init__(context, again, last)
        self._network = network

    def plug(self, container, host, requested_networks):
        self._network.fail('plug')
        addresses = {}
        for requested in requested_networks:
            if self._network.half is not None and (
                    len(addresses) == self._network.half):
                raise exception.PortBindingFailed(port='x')
            port = requested.get('port') or self._port(container,
                                                       requested)
            self._network.ports[port] = container.uuid
            addresses[requested['network']] = [{
                'addr': '10.0.0.5', 'version': 4, 'port': port,
                'subnet_id': 's', 'preserve_on_delete':
                    requested['preserve_on_delete']}]
        return self._plugged(addresses)

    def _port(self, container, requested):
        known = self._network.ports
        if self.again:
            for port, device in known.items():
                if device == container.uuid and port.startswith(
                        requested['network']):
                    return port
        port = self._network.new_id(requested['network'])
        self._network.own_ports.add(port)
        return port

    @staticmethod
    def _plugged(addresses):
        return driver.Plugged(addresses, [
            {'id': entry['port']} for entries in addresses.values()
            for entry in entries], ['10.0.0.2'])

    def attach(self, container, host, requested_network):
        return self.plug(container, host, [requested_network])

    def unplug(self, container, addresses):
        self._network.fail('unplug')
        for entry in itertools.chain(*(addresses or {}).values()):
            if entry['preserve_on_delete']:
                self._network.ports[entry['port']] = ''
            else:
                self._network.ports.pop(entry['port'], None)

    def left_over(self, container, requested_networks):
        left = [port for port, device in self._network.ports.items()
                if device == container.uuid]
        return {port.rpartition('-')[0]: [{
            'port': port, 'preserve_on_delete':
                port not in self._network.own_ports}] for port in left}

    def rebind(self, container, host, addresses):
        self._network.fail('rebind')
        return self._plugged(addresses)

    def describe(self, addresses):
        return self._plugged(addresses)

    def open_ports(self, container):
        self._network.fail('open_ports')
        if self.again:
            self.close_ports(container)
        group = self._network.new_id('group')
        self._network.groups[group] = container.uuid
        return group

    def close_ports(self, container):
        self._network.groups = {
            group: uuid for group, uuid in self._network.groups.items()
            if uuid != container.uuid}

    def add_security_group(self, container, group):
        self._network.fail('add_security_group')
        self._network.members.setdefault(container.uuid, set()).add(group)

    def remove_security_group(self, container, group):
        self._network.fail('remove_security_group')
        self._network.members.setdefault(container.uuid,
                                         set()).discard(group)


class Placement:
    """Allocations by consumer.

    :ivar full: no more than there is fits.
    """

    def __init__(self):
        self.allocations = {}
        self.faults = []
        self.full = False

    def delete_allocation_for_container(self, consumer):
        if self.faults:
            raise self.faults.pop(0)
        return self.allocations.pop(consumer, None) is not None

    def update_allocation(self, consumer, rp_uuid, resources):
        if self.full or consumer not in self.allocations:
            return False
        self.allocations[consumer].update(resources)
        return True


class Parts(base.Parts):
    """The fakes, as operations find them."""

    def __init__(self, engine, network: Network, placement: Placement,
                 wire: Tripwire):
        tripping = Tripping(engine, wire)
        super().__init__(tripping, tripping)
        self._network = network
        self._placement = Tripping(placement, wire)
        self._wire = wire

    def network(self, context):
        task = base.journal(context)
        return Tripping(NetworkDriver(
            context, self._network, task.attempt > 1,
            task.attempt >= task.max_attempts), self._wire)

    def placement(self, context):
        return self._placement


REQUESTED = {'network': 'net', 'port': '', 'fixed_ip': '',
             'preserve_on_delete': False}

VALUES = {
    'cpu': 1.0, 'memory': '512', 'disk': 0, 'addresses': {},
    'security_groups': [], 'exposed_ports': {}, 'container_id': None,
    'status': consts.CREATING, 'status_reason': None,
    'status_detail': None, 'task_state': None, 'host': None,
    'auto_remove': False, 'auto_heal': False, 'image': 'busybox',
    'image_driver': 'docker', 'cpuset': None, 'healthcheck': {},
    'started_at': None, 'image_pull_policy': 'always', 'runtime': None,
    'hostname': None, 'ports': []}
