# SPDX-License-Identifier: Apache-2.0
"""Schemas, states and routes against what the reference declares."""

from zun.api.controllers.v1 import container_states
from zun.api.controllers.v1 import containers
from zun.api.controllers.v1.schemas import containers as schema
from zun.api import microversions
from zun.tests import base
from zun.tests.contract import facts

# Operation of the facts to the schema of ours.
CONTAINER_SCHEMAS = {
    ('PATCH /v1/containers/{id}', 'body'): schema.container_update,
    ('DELETE /v1/containers/{id}', 'query'): schema.query_delete,
    ('rename', 'query'): schema.query_rename,
    ('reboot', 'query'): schema.query_reboot,
    ('stop', 'query'): schema.query_stop,
    ('logs', 'query'): schema.query_logs,
    ('execute', 'query'): schema.query_execute,
    ('execute_resize', 'query'): schema.query_execute_resize,
    ('kill', 'keyword arguments (query and body)'): schema.kill,
    ('resize', 'query'): schema.query_resize,
    ('resize_container', 'body'): schema.container_update,
    ('top', 'query'): schema.query_top,
    ('commit', 'query'): schema.query_commit,
    ('add_security_group', 'body'): schema.security_group,
    ('remove_security_group', 'body'): schema.security_group,
    ('network_detach', 'query'): schema.query_network_detach,
    ('network_attach', 'query'): schema.network_attach,
}


def _versions(fact: dict) -> list[microversions.Version]:
    """Every version that a fact is about."""
    first = microversions.version(fact['min_version'])
    last = microversions.version(fact['max_version']) \
        if fact['max_version'] else microversions.MAX_VERSION
    return [microversions.Version(1, minor)
            for minor in range(first.minor, last.minor + 1)]


class SchemasTest(base.BaseTestCase):

    def setUp(self) -> None:
        super().setUp()
        self.facts = facts.load('schemas')['schemas']

    def test_create_schema_is_the_recorded_one_in_each_version(self):
        seen = []
        for fact in self.facts:
            if fact['operation'] != 'POST /v1/containers' or \
                    fact.get('where') == 'query':
                continue
            for version in _versions(fact):
                seen.append(version)
                self.assertEqual(fact['schema'],
                                 schema.create_schema(version), version)
        self.assertEqual(40, len(set(seen)))

    def test_query_of_create_is_the_recorded_one(self):
        recorded = [fact['schema'] for fact in self.facts
                    if fact['operation'] == 'POST /v1/containers' and
                    fact.get('where') == 'query']
        self.assertEqual([schema.query_create], recorded)

    def test_schemas_of_the_other_operations_are_the_recorded_ones(self):
        recorded = {(fact['operation'], fact.get('where')): fact['schema']
                    for fact in self.facts}
        for key, ours in CONTAINER_SCHEMAS.items():
            self.assertEqual(recorded[key], ours, key)


class StatesTest(base.BaseTestCase):

    def test_states_of_each_operation_are_the_recorded_ones(self):
        recorded = facts.load('state-machine')['valid_states']
        self.assertEqual(
            {action: sorted(states) for action, states in recorded.items()},
            {action: sorted(states) for action, states
             in container_states.VALID_STATES.items()})


class RoutesTest(base.BaseTestCase):

    def test_actions_and_their_versions_are_the_recorded_ones(self):
        recorded = {}
        for fact in facts.load('operations')['operations']:
            if fact['controller'].startswith('ContainersController.') and \
                    fact['action']:
                recorded[fact['action']] = (
                    fact['method'],
                    [(handler['min_version'], handler['max_version'] or
                      str(microversions.MAX_VERSION))
                     for handler in fact['handlers']])
        self.assertEqual(recorded, self._ours())

    @staticmethod
    def _ours() -> dict:
        controller = containers.ContainersController
        return {
            action: (methods[0], [
                (str(first), str(last)) for first, last, _handler
                in getattr(controller, action).handlers])
            for action, methods in controller._custom_actions.items()}
