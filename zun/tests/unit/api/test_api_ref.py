# SPDX-License-Identifier: Apache-2.0
"""Tests of the API reference (api-ref) against what the API serves."""

import glob
import json
import os
import re

import jsonschema
import yaml

from zun.api.controllers.v1.schemas import capsules
from zun.api.controllers.v1.schemas import containers
from zun.api.controllers.v1.schemas import images
from zun.api.controllers.v1.schemas import networks
from zun.api.controllers.v1.schemas import quotas
from zun.api.controllers.v1.schemas import registries
from zun.api.controllers.v1.views import capsules_view
from zun.api.controllers.v1.views import containers_view
from zun.api.controllers.v1.views import hosts_view
from zun.api.controllers.v1.views import images_view
from zun.api.controllers.v1.views import network_view
from zun.api.controllers.v1.views import registries_view
from zun.api.controllers.v1.views import services_view
from zun.api import microversions
from zun.api import routes
from zun.tests import base

SOURCE = os.path.join(os.path.dirname(__file__), '..', '..', '..', '..',
                      'api-ref', 'source')

# Keys that only administrators are shown; examples are a member's.
ADMIN_KEYS = {'host', 'image_pull_policy', 'privileged', 'runtime'}

# Sample of a request -> the schema that it has to match.
REQUESTS = {
    'capsule-create-req': capsules.capsule_create,
    'container-create-req': containers.create_schema(
        microversions.MAX_VERSION),
    'container-resize-req': containers.container_update,
    'container-update-req': containers.container_update,
    'image-pull-req': images.image_create,
    'network-create-req': networks.network_create,
    'quota-classes-update-req': quotas.query_param_update,
    'quotas-update-req': quotas.query_param_update,
    'registry-create-req': registries.registry_create,
    'registry-update-req': registries.registry_update,
}

# Sample of an answer -> the keys that it has to have, links left out.
ANSWERS = {
    'capsule-show-resp': set(capsules_view.KEYS) - ADMIN_KEYS | {
        'containers', 'init_containers'},
    'container-show-resp': set(containers_view.KEYS) - ADMIN_KEYS,
    'host-get-resp': set(hosts_view.KEYS),
    'image-show-resp': set(images_view.KEYS),
    'network-create-resp': set(network_view.KEYS),
}


def _pages() -> list[str]:
    texts = []
    for path in sorted(glob.glob(os.path.join(SOURCE, '*.inc'))):
        with open(path, encoding='utf-8') as file:
            texts.append(file.read())
    return texts


def _sample(name: str):
    with open(os.path.join(SOURCE, 'samples', name + '.json'),
              encoding='utf-8') as file:
        return json.load(file)


def _shape(path: str) -> str:
    """A path whatever its varying parts are called."""
    return re.sub(r'{\w+}', '{}', path)


class ApiReferenceTest(base.TestCase):

    def test_each_operation_has_its_page(self):
        described = {
            (method, _shape(path)) for text in _pages() for method, path in
            re.findall(r'^\.\. rest_method:: (\w+) (\S+)$', text, re.M)}
        served = {(route.method, _shape(route.path))
                  for route in routes.routes()}
        self.assertEqual(served | {('GET', '/'), ('GET', '/v1')}, described)

    def test_each_page_is_in_the_index(self):
        with open(os.path.join(SOURCE, 'index.rst'),
                  encoding='utf-8') as file:
            included = re.findall(r'^\.\. include:: (\S+)$', file.read(),
                                  re.M)
        self.assertEqual(
            {os.path.basename(path) for path in
             glob.glob(os.path.join(SOURCE, '*.inc'))}, set(included))

    def test_each_sample_is_shown(self):
        shown = {name for text in _pages() for name in re.findall(
            r'literalinclude:: samples/(\S+)\.json', text)}
        there = {os.path.basename(path)[:-len('.json')] for path in
                 glob.glob(os.path.join(SOURCE, 'samples', '*'))}
        self.assertEqual(there, shown)

    def test_samples_of_requests_are_accepted(self):
        for name, schema in REQUESTS.items():
            jsonschema.Draft4Validator(schema).validate(_sample(name))

    def test_samples_of_answers_have_the_keys_of_their_views(self):
        for name, keys in ANSWERS.items():
            self.assertEqual(keys, set(_sample(name)) - {'links'}, name)

    def test_sample_of_a_service_has_the_keys_of_its_view(self):
        keys = {*services_view.KEYS, *services_view.TIMES,
                'availability_zone', 'state'}
        service, = _sample('service-get-resp')['services']
        self.assertEqual(keys, set(service))

    def test_sample_of_a_registry_has_the_keys_of_its_view(self):
        registry = _sample('registry-show-resp')['registry']
        self.assertEqual({*registries_view.KEYS, 'password', 'links'},
                         set(registry))

    def test_parameters_name_versions_that_there_are(self):
        with open(os.path.join(SOURCE, 'parameters.yaml'),
                  encoding='utf-8') as file:
            parameters = yaml.safe_load(file)
        known = {version for version, _change in microversions.HISTORY}
        for parameter in parameters.values():
            for key in ('min_version', 'max_version'):
                self.assertIn(parameter.get(key, '1.1'), known)

    def test_needed_parameters_are_those_of_the_newest_schema(self):
        schema = containers.create_schema(microversions.MAX_VERSION)
        page, = [text for text in _pages()
                 if 'POST /v1/containers\n' in text]
        create = page.partition('Request Example')[0]
        named = set(re.findall(r'^   - (\w+): \w+$', create, re.M))
        self.assertLessEqual(set(schema['properties']), named)
