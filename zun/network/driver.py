# SPDX-License-Identifier: Apache-2.0
"""What the compute side asks of the network that containers are on."""

import abc
import dataclasses
import functools

from oslo_log import log as logging
import stevedore
import stevedore.exception

from zun.common import exception
from zun.common.i18n import _
import zun.conf

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

_OLD_NAMES = ('kuryr',)


@dataclasses.dataclass
class Plugged:
    """What a container is plugged into.

    :ivar addresses: as in ``container.addresses``: Neutron network id to a
        list of fixed addresses.
    :ivar vifs: one entry a port, in the order of the interfaces, for the
        node that plugs them.
    :ivar nameservers: of the subnets, in their order.
    """

    addresses: dict[str, list[dict]] = dataclasses.field(
        default_factory=dict)
    vifs: list[dict] = dataclasses.field(default_factory=list)
    nameservers: list[str] = dataclasses.field(default_factory=list)


class NetworkDriver(abc.ABC):
    """Ports of containers, on behalf of one context.

    Methods may be repeated: what an earlier attempt has made is found by
    ``device_id`` and taken over.
    """

    def __init__(self, context, again: bool = False, last: bool = True):
        """Act for a context.

        :param again: an earlier attempt may have left something.
        :param last: no further attempt follows.
        """
        self.context = context
        self.again = again
        self.last = last

    @abc.abstractmethod
    def plug(self, container, host: str,
             requested_networks: list[dict]) -> Plugged:
        """Make or take the ports of a container and bind them to its host.

        :raises PortBindingFailed: the host can't plug a port.
        :raises PeerError: Neutron refused.
        """

    @abc.abstractmethod
    def attach(self, container, host: str,
               requested_network: dict) -> Plugged:
        """Make or take one more port."""

    @abc.abstractmethod
    def unplug(self, container, addresses: dict[str, list[dict]]) -> None:
        """Delete the ports made for a container, give the user's ones back.

        What is gone is no error.
        """

    @abc.abstractmethod
    def left_over(self, container, requested_networks: list[dict]
                  ) -> dict[str, list[dict]]:
        """Addresses of the ports that a failed :meth:`plug` has left."""

    @abc.abstractmethod
    def rebind(self, container, host: str,
               addresses: dict[str, list[dict]]) -> Plugged:
        """Give ports back and take them again, to start afresh.

        :raises PortNotFound, NetworkNotFound: one is gone; nothing was
            changed then.
        """

    @abc.abstractmethod
    def describe(self, addresses: dict[str, list[dict]]) -> Plugged:
        """What the node needs to know of the ports of addresses."""

    @abc.abstractmethod
    def open_ports(self, container) -> str:
        """Make a security group for the exposed ports; its id."""

    @abc.abstractmethod
    def close_ports(self, container) -> None:
        """Delete that security group."""

    @abc.abstractmethod
    def add_security_group(self, container, group: str) -> None:
        """Put the container's ports into a group, given by id."""

    @abc.abstractmethod
    def remove_security_group(self, container, group: str) -> None:
        """Take the container's ports out of a group, given by id."""


@functools.cache
def load_network_driver(name: str) -> type[NetworkDriver]:
    """The class of the driver that ``[network] driver`` names.

    :raises ConfigInvalid: no such driver is installed.
    """
    if name in _OLD_NAMES:
        LOG.warning('[network] driver = %s means cni now; write cni', name)
    try:
        return stevedore.DriverManager('zun.network.driver', name).driver
    except stevedore.exception.NoMatches:
        raise exception.ConfigInvalid(error_msg=_(
            '[network] driver = %s: no such driver; use cni.') % name)


def get_network(context, again: bool = False, last: bool = True
                ) -> NetworkDriver:
    """The configured driver, for a context."""
    return load_network_driver(CONF.network.driver)(context, again, last)
