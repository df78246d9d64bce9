# SPDX-License-Identifier: Apache-2.0
from zun.cni import spec
from zun.tests import base

ARGS = ('IgnoreUnknown=1;K8S_POD_NAMESPACE=zun-p;K8S_POD_NAME=pod;'
        'K8S_POD_UID=uid')


def request(command='ADD', netns=5, configuration=None, **environment):
    return spec.Request.parse(
        {'command': command,
         'configuration': configuration or {'cniVersion': '1.1.0'},
         'environment': {'CNI_CONTAINERID': 'box', 'CNI_ARGS': ARGS,
                         **environment}}, netns)


class TestRequest(base.TestCase):

    def assertRefused(self, code, function, *args, **kwargs):
        error = self.assertRaises(spec.CNIError, function, *args, **kwargs)
        self.assertEqual(code, error.code)

    def test_pod(self):
        self.assertEqual(spec.PodKey('zun-p', 'pod', 'uid'), request().pod)

    def test_no_pod(self):
        self.assertRefused(spec.INVALID_ENVIRONMENT, getattr,
                           request(CNI_ARGS='K8S_POD_NAME=pod'), 'pod')

    def test_sandbox_is_no_path(self):
        for name in ('', '../x', 'a/b', '.', '..'):
            self.assertRefused(spec.INVALID_ENVIRONMENT, getattr,
                               request(CNI_CONTAINERID=name), 'sandbox')

    def test_sandbox(self):
        self.assertEqual('a1-b_c.d', request(
            CNI_CONTAINERID='a1-b_c.d').sandbox)

    def test_add_needs_a_namespace(self):
        for command in ('ADD', 'CHECK'):
            self.assertRefused(spec.DECODE_FAILURE, request, command, None)
        self.assertIsNone(request('DEL', None).netns)

    def test_no_request(self):
        for document in (None, [], {}, {'command': 'ADD'},
                         {'command': 'ADD', 'configuration': 5,
                          'environment': {}}):
            self.assertRefused(spec.DECODE_FAILURE, spec.Request.parse,
                               document, None)

    def test_what_gc_keeps(self):
        self.assertEqual({'a', 'b'}, request('GC', configuration={
            spec.VALID_ATTACHMENTS: [{'containerID': 'a'},
                                     {'containerID': 'b'}]}
        ).valid_sandboxes)

    def test_gc_without_a_list(self):
        """It would remove everything."""
        self.assertRefused(spec.INVALID_CONFIGURATION, getattr,
                           request('GC'), 'valid_sandboxes')
