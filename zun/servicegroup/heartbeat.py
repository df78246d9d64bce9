# SPDX-License-Identifier: Apache-2.0

"""Writes the sign of life of a service into its row."""

from oslo_log import log

from zun.common import exception
import zun.conf
from zun import objects

CONF = zun.conf.CONF
LOG = log.getLogger(__name__)


class Heartbeat:
    """The row of one service, made by its first beat.

    :param host: name of the host, ``compute_node.hostname``
    :param binary: name of the executable that the row stands for
    """

    def __init__(self, host: str, binary: str) -> None:
        self.host = host
        self.binary = binary

    def beat(self, context) -> None:
        """Report now; a row that was removed is made again."""
        try:
            self._service(context).report_state_up(context)
        except exception.ZunServiceNotFound:
            # Removed between the look-up and the report.
            self._service(context).report_state_up(context)

    def _service(self, context) -> 'objects.ZunService':
        service = objects.ZunService.get_by_host_and_binary(
            context, self.host, self.binary)
        if service is not None:
            return service
        service = objects.ZunService(
            context, host=self.host, binary=self.binary,
            availability_zone=CONF.default_availability_zone)
        try:
            service.create(context)
        except exception.ZunServiceAlreadyExists:
            return objects.ZunService.get_by_host_and_binary(
                context, self.host, self.binary)
        LOG.info('Registered %(binary)s on %(host)s.',
                 {'binary': self.binary, 'host': self.host})
        return service
