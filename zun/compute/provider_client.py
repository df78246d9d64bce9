# SPDX-License-Identifier: Apache-2.0
"""Placement: the resource provider of a host, kept by the host itself."""

from oslo_log import log as logging

from zun.common import clients
from zun.common import exception
from zun.compute import provider_tree
import zun.conf
from zun.scheduler.client import report

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)

# The microversions that give what is needed here, and no more.
TREE = '1.14'
CREATE = '1.20'
AGGREGATES = '1.19'
TRAITS = '1.6'
INVENTORY = '1.26'

# A write that finds another generation is tried again with what it finds.
ATTEMPTS = 4


class ProviderClient:
    """One host's provider; remembers what Placement knows of it, so that
    nothing is sent while nothing changes.
    """

    def __init__(self, context):
        self._placement = clients.OpenStackClients(context).placement()
        self._report = report.SchedulerReportClient(context)
        self._tree: provider_tree.ProviderTree | None = None

    # -- reading -------------------------------------------------------
    def ensure_provider(self, uuid: str, name: str
                        ) -> provider_tree.Provider:
        """The provider of a host, made when it is not there.

        A provider that has the host's name under another uuid (the
        database was made anew) is taken over: the answer's ``uuid`` tells.

        :raises PeerError: Placement failed.
        """
        stale = self._tree is not None and self._tree.is_stale(
            CONF.compute.resource_provider_association_refresh)
        if self._tree is None or stale or uuid not in self._tree:
            self._tree = self._read_tree(uuid)
        if uuid in self._tree:
            return self._tree.get(uuid)
        return self._tree.add(self._create(uuid, name))

    def _read_tree(self, uuid: str) -> provider_tree.ProviderTree:
        found = self._placement.get(
            '/resource_providers', params={'in_tree': uuid},
            microversion=TREE).json()['resource_providers']
        return provider_tree.ProviderTree([
            self._read_provider(item) for item in found])

    def _read_provider(self, item: dict) -> provider_tree.Provider:
        url = '/resource_providers/%s' % item['uuid']
        inventory = self._placement.get(url + '/inventories').json()
        aggregates = self._placement.get(
            url + '/aggregates', microversion=AGGREGATES).json()
        traits = self._placement.get(
            url + '/traits', microversion=TRAITS).json()
        return provider_tree.Provider(
            item['uuid'], item['name'],
            traits.get('resource_provider_generation', item['generation']),
            item.get('parent_provider_uuid'), inventory['inventories'],
            set(traits['traits']), set(aggregates['aggregates']))

    def _create(self, uuid: str, name: str) -> provider_tree.Provider:
        try:
            item = self._placement.post(
                '/resource_providers', json={'uuid': uuid, 'name': name},
                microversion=CREATE).json()
        except clients.PeerRefused as exc:
            if exc.status != 409:
                raise
            return self._read_provider(self._named(name))
        return provider_tree.Provider(uuid, name, item['generation'])

    def _named(self, name: str) -> dict:
        found = self._placement.get(
            '/resource_providers', params={'name': name}).json()[
            'resource_providers']
        if not found:
            raise exception.ResourceProviderNotFound(name_or_uuid=name)
        LOG.info('Resource provider %(uuid)s has the name %(name)s already '
                 'and is used.', {'uuid': found[0]['uuid'], 'name': name})
        return found[0]

    def find_provider(self, names) -> str:
        """The uuid of the first provider that has one of these names.

        :raises ComputeHostNotFound: none has.
        """
        for name in names:
            found = self._placement.get(
                '/resource_providers', params={'name': name}).json()[
                'resource_providers']
            if found:
                return found[0]['uuid']
        raise exception.ComputeHostNotFound(host=names[0])

    # -- writing -------------------------------------------------------
    def set_inventory(self, uuid: str, inventory: dict[str, dict]) -> None:
        """Make the inventory of a provider this one.

        :raises PeerError: Placement failed, or refused: amounts below what
            is allocated are refused.
        """
        def send(provider):
            return self._placement.put(
                '/resource_providers/%s/inventories' % uuid,
                json={'resource_provider_generation': provider.generation,
                      'inventories': inventory}, microversion=INVENTORY)
        if not self._tree.get(uuid).has_inventory(inventory):
            body = self._guarded(uuid, send)
            self._tree.get(uuid).inventory = body['inventories']

    def set_trait(self, uuid: str, trait: str, present: bool) -> None:
        """Give a provider a trait, or take it away; others stay.

        :raises PeerError: Placement failed.
        """
        def send(provider):
            traits = provider.traits | {trait} if present else \
                provider.traits - {trait}
            return self._placement.put(
                '/resource_providers/%s/traits' % uuid,
                json={'resource_provider_generation': provider.generation,
                      'traits': sorted(traits)}, microversion=TRAITS)
        if (trait in self._tree.get(uuid).traits) == present:
            return
        if present:
            self._report.ensure_traits([trait])
        self._tree.get(uuid).traits = set(self._guarded(uuid, send)['traits'])

    def _guarded(self, uuid: str, send) -> dict:
        """Send a write with the provider's generation, again when another
        writer was faster; what is known is forgotten when it fails.
        """
        for attempt in range(ATTEMPTS):
            provider = self._tree.get(uuid)
            try:
                body = send(provider).json()
            except clients.PeerError as exc:
                last = attempt == ATTEMPTS - 1
                if exc.status != 409 or last or \
                        'generation' not in (exc.text or ''):
                    self._tree = None
                    raise
                self._tree = self._read_tree(uuid)
            else:
                provider.generation = body['resource_provider_generation']
                return body
        raise AssertionError('unreachable')
