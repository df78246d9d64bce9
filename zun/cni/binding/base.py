# SPDX-License-Identifier: Apache-2.0
"""How a VIF gets into a sandbox: one driver a class of os-vif's objects."""

import abc
import dataclasses
import functools

from os_vif.objects import vif as osv_vif
import stevedore
import stevedore.exception

from zun.cni.binding import switch as ovs
from zun.cni import vifs
from zun.common import exception
from zun.common.i18n import _
from zun.network import os_vif_util


@dataclasses.dataclass(frozen=True)
class Plug:
    """A VIF and where it goes.

    :ivar instance: uuid of the container, for os-vif.
    :ivar name: of the interface in the sandbox.
    """

    vif: vifs.VIF
    instance: str
    name: str

    @functools.cached_property
    def osvif(self) -> osv_vif.VIFBase:
        return os_vif_util.neutron_to_osvif_vif(self.vif.document)


class BaseBindingDriver(abc.ABC):
    """Plugs VIFs of one class. Every method may be repeated."""

    def __init__(self, switch: ovs.Switch):
        self.switch = switch

    @abc.abstractmethod
    def connect(self, plug: Plug, netns: int) -> None:
        """Make the interface in the sandbox, with its addresses.

        :param netns: the sandbox's network namespace, an open file.
        """

    @abc.abstractmethod
    def disconnect(self, plug: Plug, netns: int | None) -> None:
        """Take the interface out of the sandbox and of the switch.

        :param netns: None once the sandbox is gone.
        """

    @abc.abstractmethod
    def is_left(self, plug: Plug) -> bool:
        """Whether the node has something of this port."""

    def is_plugged(self, plug: Plug) -> bool:
        """Whether the node's side of the port is as it should be."""
        return self.is_left(plug)

    def await_active(self, plug: Plug, timeout: float) -> bool:
        """Wait until packets pass."""
        return True


@functools.cache
def _driver_class(name: str) -> type[BaseBindingDriver]:
    try:
        return stevedore.DriverManager('zun.cni.binding', name).driver
    except stevedore.exception.NoMatches:
        raise exception.Invalid(
            _('No driver in zun.cni.binding plugs a %s') % name)


def driver_for(osvif: osv_vif.VIFBase, switch: ovs.Switch
               ) -> BaseBindingDriver:
    """The driver of an os-vif object.

    :raises Invalid: there is none for its class.
    """
    return _driver_class(type(osvif).__name__)(switch)
