# SPDX-License-Identifier: Apache-2.0
"""Placement: traits, candidates and allocations.

All requests are the service's own. A container (or capsule) is the consumer
of its allocation, under its uuid.
"""

import collections
import time
import typing

from oslo_log import log as logging

from zun.common import clients
from zun.scheduler import utils

LOG = logging.getLogger(__name__)

# The microversions that give what is needed here, and no more.
TRAITS = '1.6'
CANDIDATES = '1.31'
ALLOCATIONS = '1.28'

# Seconds; grows with each attempt.
RETRY_PAUSE = 0.1


class Candidates(typing.NamedTuple):
    """An answer of ``GET /allocation_candidates``.

    ``requests`` by the provider that they take from, in Placement's order;
    ``version``: the microversion that a claim must use.
    """
    requests: dict[str, list[dict]]
    summaries: dict
    version: str


class SchedulerReportClient:
    """Allocations as the API and the compute side see them."""

    def __init__(self, context):
        self.context = context
        self._placement = clients.OpenStackClients(context).placement()

    def _allocations(self, consumer: str) -> dict:
        return self._placement.get('/allocations/%s' % consumer,
                                   microversion=ALLOCATIONS).json()

    # -- scheduling ----------------------------------------------------
    def ensure_traits(self, names: list[str]) -> None:
        """Make the traits that Placement does not know yet.

        :raises PeerError: Placement failed.
        """
        known = self._placement.get(
            '/traits', params={'name': 'in:' + ','.join(names)},
            microversion=TRAITS).json()['traits']
        for name in names:
            if name not in known:
                self._placement.put('/traits/%s' % name, microversion=TRAITS)

    def get_allocation_candidates(self, request: utils.ResourceRequest
                                  ) -> Candidates | None:
        """Who could hold a container; None when Placement is not reached.

        :raises PeerError: Placement answered with an error.
        """
        url = '/allocation_candidates?%s' % request.to_querystring()
        try:
            body = self._placement.get(url, microversion=CANDIDATES).json()
        except clients.PeerUnavailable as exc:
            if exc.status is not None:
                raise
            LOG.error('No candidates from Placement: %s', exc)
            return None
        requests: dict = collections.defaultdict(list)
        for alloc_req in body['allocation_requests']:
            for rp_uuid in alloc_req['allocations']:
                requests[rp_uuid].append(alloc_req)
        return Candidates(dict(requests), body['provider_summaries'],
                          CANDIDATES)

    def claim_resources(self, consumer: str, alloc_req: dict,
                        project_id: str, user_id: str,
                        version: str = CANDIDATES) -> bool:
        """Take a candidate for a consumer, beside what it holds already.

        :returns: False when others took the resources first; a race about
            the consumer itself is run again.
        :raises PeerError: Placement failed.
        """
        for attempt in range(utils.CLAIM_ATTEMPTS):
            held = self._allocations(consumer)
            body = _merged_claim(alloc_req, held['allocations'])
            body.update(project_id=project_id, user_id=user_id,
                        consumer_generation=held.get('consumer_generation'))
            try:
                self._placement.put('/allocations/%s' % consumer, json=body,
                                    microversion=version)
                return True
            except clients.PeerRefused as exc:
                if exc.status != 409:
                    raise
                LOG.info('Claim of %(consumer)s lost: %(error)s',
                         {'consumer': consumer, 'error': exc})
                if not _may_retry(exc):
                    return False
            time.sleep(RETRY_PAUSE * attempt)
        return False

    # -- what a container holds ----------------------------------------
    def get_allocations(self, consumer: str) -> dict[str, dict]:
        """The resources of a consumer by provider uuid and class."""
        return {rp_uuid: dict(held['resources']) for rp_uuid, held
                in self._allocations(consumer)['allocations'].items()}

    def get_consumers(self, rp_uuid: str) -> list[str]:
        """Who has something of a provider.

        :raises PeerRefused: there is no such provider.
        """
        return list(self._placement.get(
            '/resource_providers/%s/allocations' % rp_uuid,
            microversion=ALLOCATIONS).json()['allocations'])

    def update_allocation(self, consumer: str, rp_uuid: str,
                          resources: dict[str, int]) -> bool:
        """Set what a consumer holds of these classes at a provider; other
        classes and providers stay.

        :returns: False when the provider has not got that much free, or the
            consumer holds nothing there.
        :raises PeerError: Placement failed.
        """
        def change(allocations):
            if rp_uuid not in allocations:
                return False
            allocations[rp_uuid]['resources'].update(resources)
            return True
        return self._rewrite(consumer, change)

    def delete_allocation_for_container(self, consumer: str) -> bool:
        """Give back all that a consumer holds; nothing held is fine.

        :returns: False only when the race for it was lost every time.
        :raises PeerError: Placement failed.
        """
        def change(allocations):
            if not allocations:
                return None
            allocations.clear()
            return True
        return self._rewrite(consumer, change)

    def _rewrite(self, consumer: str, change) -> bool:
        """Change a consumer's allocations with its generation as guard.

        :param change: is given the allocations and changes them; its answer
            True means write, None there is nothing to do, False impossible.
        """
        for attempt in range(utils.CLAIM_ATTEMPTS):
            held = self._allocations(consumer)
            allocations = {
                rp_uuid: {'resources': dict(of['resources'])}
                for rp_uuid, of in held['allocations'].items()}
            wanted = change(allocations)
            if not wanted:
                return wanted is None
            try:
                self._placement.put(
                    '/allocations/%s' % consumer, microversion=ALLOCATIONS,
                    json={'allocations': allocations,
                          'project_id': held['project_id'],
                          'user_id': held['user_id'],
                          'consumer_generation':
                              held['consumer_generation']})
                return True
            except clients.PeerRefused as exc:
                if exc.status != 409:
                    raise
                if not _may_retry(exc):
                    return False
            time.sleep(RETRY_PAUSE * attempt)
        return False


def _merged_claim(alloc_req: dict, held: dict) -> dict:
    """A claim beside existing allocations: Placement replaces all that a
    consumer has, so what it holds is repeated, and stays where both are
    about the same provider. The mapping of groups to providers is not true
    of what was held, so it is left out then.
    """
    body = {'allocations': dict(alloc_req['allocations'])}
    if 'mappings' in alloc_req and not held:
        body['mappings'] = alloc_req['mappings']
    body['allocations'].update(
        (rp_uuid, {'resources': of['resources']})
        for rp_uuid, of in held.items())
    return body


def _may_retry(exc: clients.PeerRefused) -> bool:
    """Whether a 409 is about a generation (read again and try again), not
    about capacity (another provider is needed).
    """
    return 'generation' in (exc.text or '') or \
        'concurrent' in (exc.text or '').lower()
