# SPDX-License-Identifier: Apache-2.0
"""The scheduler as the API calls it."""

import functools
import typing

from oslo_log import log as logging
from stevedore import driver as stevedore_driver

from zun.common import exception
import zun.conf
from zun.scheduler.client import report
from zun.scheduler import request_filter
from zun.scheduler import utils

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)


class Destination(typing.TypedDict):
    """Where a container goes: ``host`` (and ``nodename``, the same) and the
    ``limits`` that its claim there must keep (cpu, memory, disk, cpuset).
    """
    host: str
    nodename: str
    limits: dict


@functools.cache
def _driver_class(name: str) -> type:
    return stevedore_driver.DriverManager('zun.scheduler.driver', name).driver


class SchedulerClient:
    """Finds hosts and claims their resources in Placement."""

    def __init__(self):
        self._driver = _driver_class(CONF.scheduler.driver)()

    def select_destinations(self, context, containers, extra_spec: dict
                            ) -> list[Destination]:
        """Choose and claim a host for each container or capsule.

        :param containers: objects with uuid, project_id, user_id, cpu,
            memory, disk, cpu_policy and runtime; they need not be saved.
        :param extra_spec: may have ``hints`` (dict), ``availability_zone``,
            ``pci_requests`` (ContainerPCIRequests) and ``requested_host``
            (host name of a compute node).
        :raises NoValidHost: no candidate, or none passes the filters.
        :raises RequestedHostNotFound: 404. :raises Conflict: the host name
            is ambiguous, or every suitable host was taken meanwhile.
        :raises PeerError: Placement failed (503) or refused (4xx).
        """
        spec = dict(extra_spec)
        if spec.get('requested_host'):
            spec['in_tree'] = utils.find_requested_host(
                context, spec['requested_host']).rp_uuid
        client = report.SchedulerReportClient(context)
        request_filter.process(client, spec)
        return [self._select(context, client, container, spec)
                for container in containers]

    def _select(self, context, client, container, spec) -> Destination:
        candidates = client.get_allocation_candidates(
            utils.resources_from_container(container, spec))
        requests = candidates.requests if candidates else {}
        if spec.get('in_tree'):
            requests = {rp_uuid: of for rp_uuid, of in requests.items()
                        if rp_uuid == spec['in_tree']}
        if not requests:
            raise exception.NoValidHost(
                reason='Placement has no candidate.')
        hosts = self._driver.select_hosts(
            context, container, spec, requests)
        if not hosts:
            raise exception.NoValidHost(
                reason='There are not enough hosts available.')
        return self._claim(client, container, hosts, candidates)

    def _claim(self, client, container, hosts, candidates) -> Destination:
        for host in hosts:
            alloc_req = candidates.requests[host.rp_uuid][0]
            if client.claim_resources(
                    container.uuid, alloc_req, container.project_id,
                    container.user_id, candidates.version):
                return Destination(host=host.hostname,
                                   nodename=host.nodename,
                                   limits=host.limits)
            LOG.info('Host %(host)s was taken before container %(uuid)s '
                     'could claim it.',
                     {'host': host.hostname, 'uuid': container.uuid})
        raise utils.claim_lost()
