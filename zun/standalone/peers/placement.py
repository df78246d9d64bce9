# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Placement: inventories, candidates, allocations."""

import math
import re
from typing import Any
import uuid

from zun.standalone.peers import service

STANDARD_CLASSES = ('VCPU', 'MEMORY_MB', 'DISK_GB', 'PCPU', 'PCI_DEVICE')
_INVENTORY = {'allocation_ratio': 1.0, 'max_unit': 2147483647,
              'min_unit': 1, 'reserved': 0, 'step_size': 1}


class Placement(service.Service):
    """Flat providers (no trees), with generations as Placement has them."""

    ROUTES = (
        ('GET', '', 'versions'), ('GET', '/', 'versions'),
        ('GET', '/traits', 'list_traits'),
        ('GET', '/traits/{name}', 'show_trait'),
        ('PUT', '/traits/{name}', 'put_trait'),
        ('GET', '/resource_classes', 'list_classes'),
        ('GET', '/resource_classes/{name}', 'show_class'),
        ('PUT', '/resource_classes/{name}', 'put_class'),
        ('GET', '/resource_providers', 'list_providers'),
        ('POST', '/resource_providers', 'create_provider'),
        ('GET', '/resource_providers/{name}', 'show_provider'),
        ('PUT', '/resource_providers/{name}', 'rename_provider'),
        ('DELETE', '/resource_providers/{name}', 'delete_provider'),
        ('GET', '/resource_providers/{name}/inventories', 'inventories'),
        ('PUT', '/resource_providers/{name}/inventories',
         'put_inventories'),
        ('GET', '/resource_providers/{name}/traits', 'provider_traits'),
        ('PUT', '/resource_providers/{name}/traits', 'put_provider_traits'),
        ('GET', '/resource_providers/{name}/aggregates', 'aggregates'),
        ('PUT', '/resource_providers/{name}/aggregates', 'put_aggregates'),
        ('GET', '/resource_providers/{name}/usages', 'provider_usages'),
        ('GET', '/resource_providers/{name}/allocations',
         'provider_allocations'),
        ('GET', '/allocation_candidates', 'candidates'),
        ('GET', '/allocations/{name}', 'show_allocation'),
        ('PUT', '/allocations/{name}', 'put_allocation'),
        ('DELETE', '/allocations/{name}', 'delete_allocation'),
        ('POST', '/allocations', 'post_allocations'),
        ('GET', '/usages', 'usages'),
    )

    def __init__(self) -> None:
        super().__init__()
        self.providers: dict[str, dict[str, Any]] = {}
        self.allocations: dict[str, dict[str, Any]] = {}
        self.traits: set[str] = {'COMPUTE_STATUS_DISABLED'}
        self.classes: set[str] = set(STANDARD_CLASSES)

    def authorize(self, request: service.Request) -> None:
        if not request.who.admin:
            raise service.Refused(403, 'You are not authorized', 'Forbidden')

    def error(self, refused: service.Refused) -> service.Reply:
        return service.reply(refused.status, {'errors': [{
            'status': refused.status, 'title': refused.kind or 'Error',
            'detail': refused.message,
            'code': ('placement.concurrent_update'
                     if 'conflict' in refused.message.lower()
                     else 'placement.undefined_code')}]})

    def dump(self) -> Any:
        return {'providers': self.providers, 'allocations': self.allocations,
                'traits': sorted(self.traits),
                'classes': sorted(self.classes)}

    def load(self, state: Any) -> None:
        self.providers = state['providers']
        self.allocations = state['allocations']
        self.traits = set(state['traits'])
        self.classes = set(state['classes'])

    # names

    def versions(self, request: service.Request) -> service.Reply:
        """Version discovery."""
        return service.reply(200, {'versions': [{
            'id': 'v1.0', 'status': 'CURRENT', 'min_version': '1.0',
            'max_version': '1.39',
            'links': [{'rel': 'self', 'href': ''}]}]})

    def list_traits(self, request: service.Request) -> service.Reply:
        """Traits; ``name=in:A,B`` or ``name=startswith:X``."""
        wanted = request.first('name')
        names = sorted(self.traits)
        if wanted.startswith('in:'):
            names = [n for n in names if n in wanted[3:].split(',')]
        elif wanted.startswith('startswith:'):
            names = [n for n in names if n.startswith(wanted[11:])]
        return service.reply(200, {'traits': names})

    def show_trait(self, request: service.Request, name: str
                   ) -> service.Reply:
        """204 if the trait is known."""
        if name not in self.traits:
            raise service.Refused(404, 'No such trait: %s.' % name)
        return service.reply(204)

    def put_trait(self, request: service.Request, name: str
                  ) -> service.Reply:
        """Make a custom trait."""
        _check_custom(name)
        new = name not in self.traits
        self.traits.add(name)
        return service.reply(201 if new else 204)

    def list_classes(self, request: service.Request) -> service.Reply:
        """All resource classes."""
        return service.reply(200, {'resource_classes': [
            {'name': n} for n in sorted(self.classes)]})

    def show_class(self, request: service.Request, name: str
                   ) -> service.Reply:
        """One resource class."""
        if name not in self.classes:
            raise service.Refused(404, 'No such resource class %s' % name)
        return service.reply(200, {'name': name})

    def put_class(self, request: service.Request, name: str
                  ) -> service.Reply:
        """Make a custom resource class."""
        _check_custom(name)
        new = name not in self.classes
        self.classes.add(name)
        return service.reply(201 if new else 204)

    # providers

    def list_providers(self, request: service.Request) -> service.Reply:
        """Providers by name, uuid (or tree, of one provider), or all."""
        name = request.first('name')
        uid = request.first('uuid') or request.first('in_tree')
        found = [_provider(p) for p in self.providers.values()
                 if name in ('', p['name']) and uid in ('', p['uuid'])]
        return service.reply(200, {'resource_providers': found})

    def create_provider(self, request: service.Request) -> service.Reply:
        """Make a provider."""
        body = request.json()
        uid = body.get('uuid') or str(uuid.uuid4())
        for other in self.providers.values():
            if uid == other['uuid'] or body['name'] == other['name']:
                raise service.Refused(
                    409, 'Conflicting resource provider %s already exists.'
                    % body['name'], 'Conflict')
        self.providers[uid] = {
            'uuid': uid, 'name': body['name'], 'generation': 0,
            'inventories': {}, 'traits': [], 'aggregates': []}
        return service.reply(200, _provider(self.providers[uid]))

    def show_provider(self, request: service.Request, name: str
                      ) -> service.Reply:
        """One provider."""
        return service.reply(200, _provider(self._get(name)))

    def rename_provider(self, request: service.Request, name: str
                        ) -> service.Reply:
        """Change a provider's name."""
        provider = self._get(name)
        provider['name'] = request.json()['name']
        return service.reply(200, _provider(provider))

    def delete_provider(self, request: service.Request, name: str
                        ) -> service.Reply:
        """Remove a provider that has no allocations."""
        self._get(name)
        if any(name in a['allocations'] for a in self.allocations.values()):
            raise service.Refused(
                409, 'Unable to delete resource provider %s: Resource '
                'provider has allocations.' % name, 'Conflict')
        del self.providers[name]
        return service.reply(204)

    def inventories(self, request: service.Request, name: str
                    ) -> service.Reply:
        """A provider's inventories."""
        return service.reply(200, self._inventories(self._get(name)))

    def put_inventories(self, request: service.Request, name: str
                        ) -> service.Reply:
        """Replace a provider's inventories."""
        provider, body = self._get(name), request.json()
        self._check_generation(provider, body)
        used = self._used(name)
        for key in used:
            if used[key] and key not in body['inventories']:
                raise service.Refused(
                    409, 'Inventory for \'%s\' on resource provider \'%s\' '
                    'in use.' % (key, name), 'Conflict')
        for key in body['inventories']:
            if key not in self.classes:
                raise service.Refused(
                    400, 'Unknown resource class in inventory for resource '
                    'provider %s: No such resource class %s' % (name, key))
        provider['inventories'] = {
            key: dict(_INVENTORY, **value)
            for key, value in body['inventories'].items()}
        provider['generation'] += 1
        return service.reply(200, self._inventories(provider))

    def provider_traits(self, request: service.Request, name: str
                        ) -> service.Reply:
        """A provider's traits."""
        return service.reply(200, _traits(self._get(name)))

    def put_provider_traits(self, request: service.Request, name: str
                            ) -> service.Reply:
        """Replace a provider's traits."""
        provider, body = self._get(name), request.json()
        self._check_generation(provider, body)
        unknown = [t for t in body['traits'] if t not in self.traits]
        if unknown:
            raise service.Refused(400, 'No such trait: %s.' %
                                  ', '.join(unknown))
        provider['traits'] = sorted(set(body['traits']))
        provider['generation'] += 1
        return service.reply(200, _traits(provider))

    def aggregates(self, request: service.Request, name: str
                   ) -> service.Reply:
        """A provider's aggregates."""
        return service.reply(200, _aggregates(self._get(name)))

    def put_aggregates(self, request: service.Request, name: str
                       ) -> service.Reply:
        """Replace a provider's aggregates."""
        provider, body = self._get(name), request.json()
        if isinstance(body, dict):
            self._check_generation(provider, body)
            body = body['aggregates']
        provider['aggregates'] = body
        provider['generation'] += 1
        return service.reply(200, _aggregates(provider))

    def provider_usages(self, request: service.Request, name: str
                        ) -> service.Reply:
        """What is used of a provider."""
        provider = self._get(name)
        used = self._used(name)
        return service.reply(200, {
            'resource_provider_generation': provider['generation'],
            'usages': {k: used.get(k, 0) for k in provider['inventories']}})

    def provider_allocations(self, request: service.Request, name: str
                             ) -> service.Reply:
        """Who uses a provider."""
        provider = self._get(name)
        return service.reply(200, {
            'resource_provider_generation': provider['generation'],
            'allocations': {
                consumer: {'resources': a['allocations'][name]['resources'],
                           'consumer_generation': a['consumer_generation']}
                for consumer, a in self.allocations.items()
                if name in a['allocations']}})

    # candidates and allocations

    def candidates(self, request: service.Request) -> service.Reply:
        """Providers that have room for ``resources``.

        Obeys ``required`` (with !), ``in_tree``, ``member_of``, ``limit``.
        """
        wanted = {}
        for part in request.first('resources').split(','):
            key, _, amount = part.partition(':')
            if not amount.isdigit():
                raise service.Refused(400, 'Badly formed resources '
                                      'parameter: %s' % part, 'Bad Request')
            wanted[key] = int(amount)
        found = [p for p in self.providers.values()
                 if self._suits(p, request, wanted)]
        limit = request.first('limit')
        found = found[:int(limit)] if limit else found
        return service.reply(200, {
            'allocation_requests': [
                {'allocations': {p['uuid']: {'resources': wanted}},
                 'mappings': {'': [p['uuid']]}} for p in found],
            'provider_summaries': {
                p['uuid']: self._summary(p) for p in found}})

    def show_allocation(self, request: service.Request, name: str
                        ) -> service.Reply:
        """A consumer's allocations; empty if it has none."""
        found = self.allocations.get(name)
        if found is None:
            return service.reply(200, {'allocations': {}})
        allocations = {
            provider: dict(value, generation=self.providers[provider][
                'generation'])
            for provider, value in found['allocations'].items()}
        return service.reply(200, dict(found, allocations=allocations))

    def put_allocation(self, request: service.Request, name: str
                       ) -> service.Reply:
        """Replace a consumer's allocations, if they fit."""
        self._claim({name: request.json()})
        return service.reply(204)

    def post_allocations(self, request: service.Request) -> service.Reply:
        """Replace several consumers' allocations, all or nothing."""
        self._claim(request.json())
        return service.reply(204)

    def delete_allocation(self, request: service.Request, name: str
                          ) -> service.Reply:
        """Remove a consumer's allocations."""
        if self.allocations.pop(name, None) is None:
            raise service.Refused(404, 'No allocations for consumer \'%s\''
                                  % name)
        return service.reply(204)

    def usages(self, request: service.Request) -> service.Reply:
        """What a project uses."""
        project = request.first('project_id')
        total: dict[str, int] = {}
        for allocation in self.allocations.values():
            if allocation['project_id'] == project:
                for value in allocation['allocations'].values():
                    for key, amount in value['resources'].items():
                        total[key] = total.get(key, 0) + amount
        return service.reply(200, {'usages': total})

    def _claim(self, bodies: dict[str, Any]) -> None:
        before = dict(self.allocations)
        try:
            for consumer, body in bodies.items():
                self._claim_one(consumer, body)
        except service.Refused:
            self.allocations = before
            raise

    def _claim_one(self, consumer: str, body: dict[str, Any]) -> None:
        old = self.allocations.pop(consumer, None)
        have = old['consumer_generation'] if old else None
        if body.get('consumer_generation') != have:
            raise service.Refused(
                409, 'consumer generation conflict - expected %s but got %s'
                % (have, body.get('consumer_generation')), 'Conflict')
        if not body['allocations']:
            return
        for provider, value in body['allocations'].items():
            if provider not in self.providers:
                raise service.Refused(
                    400, 'Allocation for resource provider \'%s\' that does '
                    'not exist.' % provider)
            problem = self._problem(self.providers[provider],
                                    value['resources'])
            if problem:
                raise service.Refused(
                    409, 'Unable to allocate inventory: Unable to create '
                    'allocation for \'%s\' on resource provider \'%s\'. The '
                    'requested amount would exceed the capacity.' % (
                        problem, provider), 'Conflict')
            self.providers[provider]['generation'] += 1
        self.allocations[consumer] = {
            'allocations': {p: {'resources': v['resources']}
                            for p, v in body['allocations'].items()},
            'consumer_generation': (have or 0) + 1,
            'project_id': body.get('project_id', ''),
            'user_id': body.get('user_id', '')}

    def _suits(self, provider: dict[str, Any], request: service.Request,
               wanted: dict[str, int]) -> bool:
        tree = request.first('in_tree')
        if tree and provider['uuid'] != tree:
            return False
        for key, value in request.query:
            if key == 'required':
                for trait in value.split(','):
                    if (trait.lstrip('!') in provider['traits']) is (
                            trait.startswith('!')):
                        return False
            elif key == 'member_of':
                groups = value.removeprefix('in:').split(',')
                if not set(groups) & set(provider['aggregates']):
                    return False
        return not self._problem(provider, wanted)

    def _problem(self, provider: dict[str, Any], wanted: dict[str, int]
                 ) -> str:
        """The resource class that a provider has too little of, or ''."""
        used = self._used(provider['uuid'])
        for key, amount in wanted.items():
            inventory = provider['inventories'].get(key)
            if inventory is None:
                return key
            room = _capacity(inventory) - used.get(key, 0)
            if amount > room or not inventory['min_unit'] <= amount <= (
                    inventory['max_unit']) or (
                        amount % inventory['step_size']):
                return key
        return ''

    def _used(self, provider: str) -> dict[str, int]:
        total: dict[str, int] = {}
        for allocation in self.allocations.values():
            value = allocation['allocations'].get(provider) or {}
            for key, amount in value.get('resources', {}).items():
                total[key] = total.get(key, 0) + amount
        return total

    def _summary(self, provider: dict[str, Any]) -> dict[str, Any]:
        used = self._used(provider['uuid'])
        return {'resources': {
            key: {'capacity': _capacity(value), 'used': used.get(key, 0)}
            for key, value in provider['inventories'].items()},
            'traits': provider['traits'],
            'parent_provider_uuid': None,
            'root_provider_uuid': provider['uuid']}

    def _get(self, uid: str) -> dict[str, Any]:
        if uid not in self.providers:
            raise service.Refused(
                404, 'No resource provider with uuid %s found' % uid)
        return self.providers[uid]

    @staticmethod
    def _check_generation(provider: dict[str, Any], body: dict[str, Any]
                          ) -> None:
        if body.get('resource_provider_generation') != (
                provider['generation']):
            raise service.Refused(
                409, 'resource provider generation conflict: actual: %s, '
                'given: %s' % (provider['generation'], body.get(
                    'resource_provider_generation')), 'Conflict')

    @staticmethod
    def _inventories(provider: dict[str, Any]) -> dict[str, Any]:
        return {'resource_provider_generation': provider['generation'],
                'inventories': provider['inventories']}


def _capacity(inventory: dict[str, Any]) -> int:
    return math.floor((inventory['total'] - inventory['reserved']) *
                      inventory['allocation_ratio'])


def _provider(provider: dict[str, Any]) -> dict[str, Any]:
    return {'uuid': provider['uuid'], 'name': provider['name'],
            'generation': provider['generation'], 'links': [],
            'parent_provider_uuid': None,
            'root_provider_uuid': provider['uuid']}


def _traits(provider: dict[str, Any]) -> dict[str, Any]:
    return {'traits': provider['traits'],
            'resource_provider_generation': provider['generation']}


def _aggregates(provider: dict[str, Any]) -> dict[str, Any]:
    return {'aggregates': provider['aggregates'],
            'resource_provider_generation': provider['generation']}


def _check_custom(name: str) -> None:
    if not re.fullmatch(r'CUSTOM_[A-Z0-9_]+', name):
        raise service.Refused(
            400, 'The name %s is invalid. A valid name must be a string '
            'with the following pattern: "^CUSTOM_[A-Z0-9_]+$"' % name)
