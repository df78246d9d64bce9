# SPDX-License-Identifier: Apache-2.0
"""Tests of the OpenAPI document."""

import contextlib
import io
import json
import re

import jsonschema
import openapi_spec_validator

from zun.api.controllers.v1.schemas import capsules
from zun.api import openapi
from zun.api import openapi_tables
from zun.api import routes
from zun.tests import base


class DocumentTest(base.TestCase):

    def setUp(self) -> None:
        super().setUp()
        self.document = openapi.document()

    def operation(self, method: str, path: str) -> dict:
        return self.document['paths'][path][method.lower()]

    def parameters(self, method: str, path: str) -> dict[str, dict]:
        return {parameter['name']: parameter for parameter in
                self.operation(method, path)['parameters']
                if 'name' in parameter}

    def schema(self, name: str) -> dict:
        return self.document['components']['schemas'][name]

    def test_document_is_valid(self):
        openapi_spec_validator.validate(self.document)

    def test_each_route_is_described(self):
        described = {(method.upper(), path) for path, operations in
                     self.document['paths'].items() for method in operations}
        served = {(route.method, route.path) for route in routes.routes()}
        self.assertEqual(served | {('GET', '/'), ('GET', '/v1')}, described)

    def test_operations_have_names_of_their_own(self):
        names = [operation['operationId']
                 for operations in self.document['paths'].values()
                 for operation in operations.values()]
        self.assertEqual(len(names), len(set(names)))

    def test_tables_name_routes_that_there_are(self):
        names = {route.name for route in routes.routes()}
        self.assertEqual(names, set(openapi_tables.ANSWERS))
        for table in (openapi_tables.QUERY, openapi_tables.REQUIRED,
                      openapi_tables.BODIES, openapi_tables.BODY_AS_QUERY):
            self.assertLessEqual(set(table), names)

    def test_parts_of_paths_are_parameters(self):
        for path, operations in self.document['paths'].items():
            names = set(re.findall(r'{(\w+)}', path))
            for method in operations:
                if not names:
                    continue
                found = self.parameters(method, path)
                self.assertEqual(names, {
                    name for name in found if found[name]['in'] == 'path'})

    def test_schema_of_a_query_is_its_parameters(self):
        found = self.parameters(
            'POST', '/v1/containers/{container_ident}/stop')
        self.assertEqual('query', found['timeout']['in'])
        self.assertEqual(0, found['timeout']['schema']['minimum'])

    def test_needed_parameter_is_required(self):
        found = self.parameters('PUT', '/v1/services/disable')
        self.assertTrue(found['host']['required'])
        self.assertFalse(found['disabled_reason']['required'])

    def test_body_of_each_range_of_versions_is_described(self):
        body = self.operation('POST', '/v1/containers')['requestBody']
        references = body['content']['application/json']['schema']['anyOf']
        ranges = [self.schema(reference['$ref'].rpartition('/')[2]).get(
            'x-openstack') for reference in references]
        self.assertEqual([
            {'max-ver': '1.19'}, {'min-ver': '1.20', 'max-ver': '1.38'},
            {'min-ver': '1.39', 'max-ver': '1.39'}, {'min-ver': '1.40'}],
            ranges)

    def test_operation_that_came_later_says_so(self):
        operation = self.operation('GET', '/v1/hosts')
        self.assertEqual({'min-ver': '1.4'}, operation['x-openstack'])

    def test_operation_that_went_says_so(self):
        operation = self.operation(
            'POST', '/v1/containers/{container_ident}/rename')
        self.assertEqual({'max-ver': '1.13'}, operation['x-openstack'])

    def test_schemas_have_types_of_json_only(self):
        self.assertNotIn('unicode', json.dumps(self.document))
        self.assertIn('unicode', capsules.template['type'])

    def test_body_of_a_capsule_matches_its_schema(self):
        jsonschema.validate({'template': {
            'kind': 'capsule', 'metadata': {},
            'spec': {'containers': [{'image': 'nginx'}]}}},
            self.schema('CapsulesPost'))

    def test_document_is_written_to_a_file(self):
        path = self.path('openapi.json')
        self.assertEqual(0, openapi.main([path]))
        with open(path, encoding='utf-8') as file:
            self.assertEqual(self.document, json.load(file))

    def test_document_is_printed(self):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            openapi.main([])
        self.assertEqual(self.document, json.loads(output.getvalue()))
