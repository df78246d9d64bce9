# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for what plugging needs around it."""

import json
import os

import fixtures

from zun.cni import attachments
from zun.cni.binding import base
from zun.cni.binding import links
from zun.cni import plugging
from zun.cni import pods
from zun.cni import spec
from zun.tests.unit.cni import test_vifs

NAMESPACE, NAME, UID = 'zun-p', 'pod', 'uid-1'
MAC = 'fa:16:3e:00:00:01'


def vif(number: int = 0, **fields) -> dict:
    return test_vifs.document(**{
        'id': 'port%d-0000-4000-8000-000000000001' % number, **fields})


def pod(*documents: dict, uid: str = UID, text: str | None = None):
    return pods.Pod(NAMESPACE, NAME, uid, text or (
        json.dumps(documents) if documents else None), 'instance')


class Driver(base.BaseBindingDriver):
    """Remembers what is plugged, and fails on demand.

    :ivar plugged: name of the interface by port.
    :ivar failing: ports that cannot be plugged; unplugging fails for all
        where it holds None.
    """

    def __init__(self):
        super().__init__(None)
        self.plugged: dict[str, str] = {}
        self.failing: set = set()
        self.inactive: set = set()
        self.calls: list[tuple[str, str]] = []
        self.routes: list[tuple] = []

    def connect(self, plug, netns):
        self.calls.append(('connect', plug.vif.id))
        self.plugged[plug.vif.id] = plug.name
        if plug.vif.id in self.failing:
            raise OSError(5, 'no')

    def disconnect(self, plug, netns):
        self.calls.append(('disconnect', plug.vif.id))
        if None in self.failing:
            raise OSError(5, 'no')
        self.plugged.pop(plug.vif.id, None)

    def is_left(self, plug):
        return plug.vif.id in self.plugged

    def await_active(self, plug, timeout):
        return plug.vif.id not in self.inactive


class Plugging(fixtures.Fixture):
    """A plugger on fake drivers, in a folder of its own.

    :ivar inside: what is seen inside of each sandbox.
    """

    def _setUp(self):
        self.folder = self.useFixture(fixtures.TempDir()).path
        self.driver = Driver()
        self.inside: dict[str, tuple[str, set[str]]] = {}
        self.useFixture(fixtures.MonkeyPatch(
            'zun.cni.binding.base.driver_for',
            lambda osvif, switch: self.driver))
        self.useFixture(fixtures.MonkeyPatch(
            'zun.cni.binding.base.Plug.osvif', None))
        self.useFixture(fixtures.MonkeyPatch(
            'zun.cni.binding.links.inside',
            lambda netns, function: self.inside
            if function is links.addresses else function()))
        self.useFixture(fixtures.MonkeyPatch(
            'zun.cni.binding.links.set_routes',
            lambda name, routes: self.driver.routes.append(
                (name, [route.destination for route in routes]))))
        self.restart()

    def restart(self):
        """What a new process knows."""
        self.store = attachments.Store(self.folder)
        self.store.load()
        self.plugger = plugging.Plugger(self.store, None)

    def netns(self, name='netns-1'):
        """A file that stands for a network namespace."""
        path = os.path.join(self.folder, name)
        with open(path, 'a'):
            return path

    def request(self, command='ADD', sandbox='box-1', netns=None,
                network='zun', **configuration):
        path = netns or self.netns()
        file = os.open(path, os.O_RDONLY)
        self.addCleanup(os.close, file)
        return spec.Request(
            command, {'cniVersion': '1.1.0', 'name': network,
                      **configuration},
            {'CNI_CONTAINERID': sandbox, 'CNI_NETNS': path,
             'CNI_IFNAME': 'eth0', 'CNI_ARGS':
             'K8S_POD_NAMESPACE=%s;K8S_POD_NAME=%s;K8S_POD_UID=%s' % (
                 NAMESPACE, NAME, UID)}, file)
