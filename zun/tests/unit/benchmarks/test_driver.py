# SPDX-License-Identifier: Apache-2.0
"""What the benchmark of the driver makes of Pods, logs and figures."""

from benchmarks.driver import crowd
from benchmarks.driver import latency
from benchmarks.driver import table
from zun.tests import base

POD = {
    'metadata': {
        'name': 'zun-1', 'namespace': 'p', 'uid': 'u',
        'resourceVersion': '7', 'labels': {'zun.openstack.org/managed': ''},
        'annotations': {'zun.openstack.org/vifs': '[]', 'other': 'kept'}},
    'spec': {'nodeName': 'n', 'containers': [{'name': 'c'}]},
    'status': {'phase': 'Running'}}


class SamePodTest(base.TestCase):

    def test_what_the_server_wrote_is_left_out(self):
        pod = latency.same_pod(POD, 'other')
        self.assertEqual({'containers': [{'name': 'c'}]}, pod['spec'])
        self.assertNotIn('status', pod)

    def test_it_is_not_the_service_s(self):
        self.assertEqual(
            {'name': 'other', 'namespace': 'p',
             'annotations': {'other': 'kept'}},
            latency.same_pod(POD, 'other')['metadata'])


class RequestTest(base.TestCase):

    def test_lines_about_requests(self):
        for line, expected in (
                ('https://h:6443 "POST /api/v1/namespaces HTTP/1.1" 201', 1),
                ('Starting new HTTPS connection (1): h:6443', 0)):
            self.assertEqual(bool(expected),
                             bool(crowd.REQUEST.search(line)))


class TableTest(base.TestCase):

    def test_what_was_not_measured_is_left_out(self):
        text = table.render(table.CROWD, {'nodes': 3, 'catch_up_s': 1.25})
        self.assertEqual(4, len(text.splitlines()))
        self.assertIn('1.2', text)
