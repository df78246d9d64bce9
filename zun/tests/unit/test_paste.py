# SPDX-License-Identifier: Apache-2.0
"""The pipeline that is installed in /etc/zun."""

import configparser
import json
import logging
import pathlib

import fixtures
from paste import deploy
from pycadf import cadftaxonomy
import webob
from webob import dec

import zun
from zun.tests import base

ETC = pathlib.Path(zun.__file__).parents[1] / 'etc' / 'zun'

CATALOG = json.dumps([{
    'type': 'container', 'name': 'zun',
    'endpoints': [{'id': 'e1', 'publicURL': 'http://zun.test:9517/v1'}]}])


@dec.wsgify
def accepted(request):
    return webob.Response(status=202)


class AuditTestCase(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.log = self.useFixture(fixtures.FakeLogger(
            'zun.audit', level=logging.INFO))
        audit = deploy.loadfilter(f'config:{ETC}/api-paste.ini', 'audit')
        self.app = audit(accepted)

    def send(self, method: str, path: str) -> list[str]:
        """Send a request through the filter and return what was logged."""
        request = webob.Request.blank(
            path, method=method, base_url='http://10.0.0.1:9517', headers={
                'X-Auth-Token': 's3cret-token', 'X-User-Id': 'user-1',
                'X-Project-Id': 'project-1',
                'X-Service-Catalog': CATALOG})
        self.assertEqual(202, request.get_response(self.app).status_int)
        return self.log.output.splitlines()

    def test_a_request_and_its_answer_are_recorded(self):
        begun, ended = self.send('POST', '/v1/containers/c1/start')
        self.assertIn('audit.http.request', begun)
        self.assertIn('audit.http.response', ended)
        for text in ("'action': 'start'", "'id': 'user-1'",
                     "'typeURI': 'service/container/containers/container'",
                     "'requestPath': '/v1/containers/c1/start'"):
            self.assertIn(text, begun)
        self.assertIn("'reasonCode': '202'", ended)

    def test_create_list_and_show(self):
        self.assertIn("'action': 'create'",
                      self.send('POST', '/v1/containers')[0])
        self.assertIn("'action': 'read/list'",
                      self.send('GET', '/v1/capsules')[2])
        self.assertIn("'action': 'read'",
                      self.send('GET', '/v1/containers/c1')[4])

    def test_tokens_are_not_recorded(self):
        self.assertNotIn('s3cret-token',
                         '\n'.join(self.send('GET', '/v1/containers')))

    def test_actions_are_those_of_the_taxonomy(self):
        parser = configparser.ConfigParser(default_section='none')
        parser.read(ETC / 'zun_api_audit_map.conf')
        self.assertEqual([], [
            action for action in parser['custom_actions'].values()
            if not cadftaxonomy.is_valid_action(action)])


class PipelineTestCase(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.paste = configparser.RawConfigParser()
        self.paste.read(ETC / 'api-paste.ini')

    def test_every_part_of_the_pipeline_is_there(self):
        *filters, app = self.paste[
            'pipeline:zun_api_pipeline']['pipeline'].split()
        sections = [f'filter:{name}' for name in filters] + [f'app:{app}']
        self.assertEqual([], [name for name in sections
                              if name not in self.paste])

    def test_a_token_is_checked_before_anything_is_recorded(self):
        pipeline = self.paste['pipeline:zun_api_pipeline']['pipeline'].split()
        self.assertLess(pipeline.index('authtoken'), pipeline.index('audit'))
