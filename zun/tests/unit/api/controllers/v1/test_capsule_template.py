# SPDX-License-Identifier: Apache-2.0
"""Tests of the template language of capsules."""

from zun.api.controllers.v1 import capsule_template
from zun.common import exception
from zun.tests import base


def template(containers=None, **spec) -> dict:
    return {'kind': 'capsule', 'metadata': {'name': 'blog'}, 'spec': {
        'containers': containers or [{'image': 'nginx'}], **spec}}


class ParseTest(base.BaseTestCase):

    def assert_refused(self, value, reason: str) -> None:
        error = self.assertRaises(exception.InvalidCapsuleTemplate,
                                  capsule_template.parse, value)
        self.assertIn(reason, str(error))

    def test_keys_of_a_container_get_the_names_of_its_fields(self):
        parsed = capsule_template.parse(template([{
            'image': 'nginx', 'env': {'A': 'b'}, 'workDir': '/w',
            'stdin': True, 'imagePullPolicy': 'Always'}]))
        self.assertEqual([{
            'image': 'nginx', 'environment': {'A': 'b'}, 'workdir': '/w',
            'interactive': True, 'image_pull_policy': 'Always'}],
            parsed.containers)

    def test_restart_policy_gets_the_name_of_containers(self):
        for name, policy in (('Always', 'always'), ('Never', 'no'),
                             ('OnFailure', 'on-failure')):
            self.assertEqual(policy, capsule_template.parse(
                template(restartPolicy=name)).restart_policy)

    def test_unknown_restart_policy_is_refused(self):
        self.assert_refused(template(restartPolicy='Sometimes'), 'Sometimes')

    def test_other_kind_is_refused(self):
        self.assert_refused(dict(template(), kind='pod'), 'kind fields')

    def test_missing_spec_is_refused(self):
        self.assert_refused({'kind': 'capsule'}, 'Spec')

    def test_missing_containers_are_refused(self):
        self.assert_refused({'kind': 'capsule', 'spec': {}},
                            'No valid containers field')

    def test_capsule_without_containers_is_refused(self):
        self.assert_refused({'kind': 'capsule', 'spec': {'containers': []}},
                            'one container at least')

    def test_init_container_without_an_image_is_refused(self):
        self.assert_refused(template(initContainers=[{'name': 'a'}]),
                            'image is needed')

    def test_init_containers_that_are_no_list_are_refused(self):
        for wrong in ({'a': 1}, {}, '', 0, False):
            self.assert_refused(template(initContainers=wrong), 'list')

    def test_init_container_that_is_no_object_is_refused(self):
        self.assert_refused(template(initContainers=['nginx']), 'object')

    def test_volume_of_another_driver_is_refused(self):
        self.assert_refused(template(volumes=[{'name': 'v', 'cinder': {}}]),
                            'Only support Cinder')

    def test_volume_with_size_and_id_is_refused(self):
        self.assert_refused(template(volumes=[
            {'name': 'v', 'cinder': {'size': 1, 'volumeID': 'x'}}]),
            'same time')

    def test_volume_with_neither_size_nor_id_is_refused(self):
        self.assert_refused(template(volumes=[
            {'name': 'v', 'cinder': {'autoRemove': True}}]), 'size is needed')

    def test_text_is_decoded(self):
        self.assertEqual({'kind': 'capsule'},
                         capsule_template.load('{"kind": "capsule"}'))

    def test_text_that_is_not_json_is_refused(self):
        error = self.assertRaises(exception.InvalidCapsuleTemplate,
                                  capsule_template.load, '{"kind": ')
        self.assertIn('not JSON', str(error))

    def test_text_that_is_too_deep_is_refused(self):
        self.assertRaises(exception.InvalidCapsuleTemplate,
                          capsule_template.load, '[' * 100000)


class ValuesTest(base.BaseTestCase):

    def assert_refused(self, function, *args) -> None:
        self.assertRaises(exception.InvalidCapsuleTemplate, function, *args)

    def test_arguments_follow_the_command(self):
        self.assertEqual(['sh', '-c', 'date'], capsule_template.command(
            {'command': ['sh'], 'args': ['-c', 'date']}))

    def test_words_that_are_none_are_refused(self):
        for words in ([None], [['a']], 'sh', {'a': 1}):
            self.assert_refused(capsule_template.command,
                                {'command': words})

    def test_ports_have_a_protocol(self):
        self.assertEqual({'80/tcp': {}, '53/udp': {}},
                         capsule_template.exposed_ports([
                             {'containerPort': 80},
                             {'containerPort': '53', 'protocol': 'UDP'}]))

    def test_port_without_a_number_is_refused(self):
        for ports in ([{'hostPort': 1}], [5], {}, 'x'):
            self.assert_refused(capsule_template.exposed_ports, ports)

    def test_requests_are_optional(self):
        for resources in (None, {}, [], {'requests': {}}):
            self.assertEqual((None, None), capsule_template.requests(
                {'resources': resources}))

    def test_requests_that_are_no_numbers_are_refused(self):
        for asked in ({'cpu': '1'}, {'memory': '64'}, {'memory': 64.5},
                      {'cpu': True}, {'cpu': float('nan')}, None):
            self.assert_refused(capsule_template.requests,
                                {'resources': {'requests': asked}})

    def test_whole_memory_may_have_a_point(self):
        init = {'resources': {'requests': {'memory': 64.0}}}
        self.assertEqual((None, 64.0), capsule_template.requests(init))
        self.assertEqual('64', str(capsule_template.total([], [init])[1]))

    def test_capsule_needs_the_sum_of_its_containers(self):
        self.assertEqual((1.5, 192), capsule_template.total([
            {'resources': {'requests': {'cpu': 1, 'memory': 64}}},
            {'resources': {'requests': {'cpu': 0.5, 'memory': 128}}}], []))

    def test_larger_init_container_counts_instead(self):
        self.assertEqual((4, 64), capsule_template.total(
            [{'resources': {'requests': {'cpu': 1, 'memory': 64}}}],
            [{'resources': {'requests': {'cpu': 4, 'memory': 32}}},
             {'resources': {'requests': {'cpu': 2}}}]))

    def test_containers_beside_init_containers_are_not_always_restarted(self):
        self.assertEqual(
            {'Name': 'on-failure', 'MaximumRetryCount': '10'},
            capsule_template.member_restart_policy(
                capsule_template.restart_policy(None), True))

    def test_containers_have_the_policy_of_their_capsule(self):
        self.assertEqual(
            {'Name': 'no', 'MaximumRetryCount': '0'},
            capsule_template.member_restart_policy(
                capsule_template.restart_policy('no'), True))

    def test_volume_may_be_mounted_twice(self):
        self.assertEqual({'v': ['/a', '/b']}, capsule_template.mounts_by_name(
            {'volumeMounts': [{'name': 'v', 'mountPath': '/a'},
                              {'name': 'v', 'mountPath': '/b'}]}))

    def test_mounts_that_are_no_objects_are_refused(self):
        for mounts in ('x', ['x'], {'a': 1}):
            self.assert_refused(capsule_template.mounts_by_name,
                                {'volumeMounts': mounts})
