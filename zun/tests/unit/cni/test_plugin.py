# SPDX-License-Identifier: Apache-2.0
"""The plug-in as the runtime runs it: a file of its own."""

import json
import os
import pathlib
import socket
import stat
import subprocess
import sys
import threading

import fixtures

import zun
from zun.cni.cmd import cni
from zun.tests import base

PLUGIN = pathlib.Path(zun.__file__).parent / 'cni' / 'cmd' / 'cni.py'
DELEGATE = '''#!%s -IS
import json, os, sys
asked = json.load(sys.stdin)
json.dump({'asked': asked, 'command': os.environ['CNI_COMMAND']}, sys.stdout)
sys.exit(7 if asked.get('fail') else 0)
'''


class PluginTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self.socket = self.folder / 's'
        self.asked = []

    def call(self, command, configuration=None, namespace='zun-p', **env):
        """Exit status and document."""
        text = configuration if isinstance(configuration, str) else \
            json.dumps({'cniVersion': '1.1.0', 'name': 'zun',
                        'type': 'zun-cni', 'socket': str(self.socket),
                        **(configuration or {})})
        environment = {
            'CNI_COMMAND': command, 'CNI_CONTAINERID': 'box',
            'CNI_NETNS': '/proc/self/ns/net', 'CNI_IFNAME': 'eth0',
            'CNI_PATH': str(self.folder),
            'CNI_ARGS': 'K8S_POD_NAMESPACE=%s;K8S_POD_NAME=x' % namespace,
            'SECRET': 'not the daemon\'s', **env}
        done = subprocess.run(
            [sys.executable, '-IS', str(PLUGIN)], input=text, text=True,
            capture_output=True, timeout=60, env={
                key: value for key, value in environment.items()
                if value is not None})
        self.assertEqual('', done.stderr)
        return done.returncode, json.loads(done.stdout or 'null')

    def serve(self, answer):
        """A daemon that answers the same to each request."""
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.socket))
        listener.listen()
        self.addCleanup(listener.close)

        def run():
            while True:
                try:
                    near, __ = listener.accept()
                except OSError:
                    return
                with near:
                    head, files, __, __ = socket.recv_fds(near, 4, 1)
                    size, data = int.from_bytes(head, 'big'), b''
                    while len(data) < size:
                        data += near.recv(size - len(data))
                    self.asked.append((json.loads(data), [
                        stat.S_ISREG(os.fstat(file).st_mode)
                        for file in files]))
                    for file in files:
                        os.close(file)
                    near.sendall(json.dumps(answer).encode())
        threading.Thread(target=run, daemon=True).start()

    def make_delegate(self):
        program = self.folder / 'bridge'
        program.write_text(DELEGATE % sys.executable)
        program.chmod(0o755)
        return {'delegate': {'type': 'bridge', 'cniVersion': '1.0.0'}}


class TestDaemon(PluginTestCase):

    def test_add(self):
        self.serve({'result': {'ips': []}})
        self.assertEqual((0, {'ips': []}), self.call('ADD'))
        (request, files), = self.asked
        self.assertEqual([True], files)
        self.assertEqual('ADD', request['command'])
        self.assertNotIn('SECRET', request['environment'])

    def test_del_needs_no_namespace(self):
        self.serve({'result': None})
        self.assertEqual((0, None), self.call('DEL', CNI_NETNS=None))
        self.assertEqual([], self.asked[0][1])

    def test_error(self):
        self.serve({'error': {'code': 7, 'msg': 'why'}})
        status, document = self.call('ADD')
        self.assertEqual((1, 7, 'why', '1.1.0'), (
            status, document['code'], document['msg'],
            document['cniVersion']))

    def test_no_daemon(self):
        """Trying again helps; DEL too, the port still has to go."""
        for command, code in (('ADD', 11), ('DEL', 11), ('CHECK', 11),
                              ('GC', 11), ('STATUS', 50)):
            status, document = self.call(command)
            self.assertEqual((1, code), (status, document['code']), command)
            self.assertIn(str(self.socket), document['msg'])

    def test_namespace_is_not_there(self):
        self.serve({'result': None})
        status, document = self.call('ADD', CNI_NETNS='/none')
        self.assertEqual((1, 5), (status, document['code']))


class TestWrongRequests(PluginTestCase):

    def assertRefused(self, code, answer):
        self.assertEqual((1, code), (answer[0], answer[1]['code']))

    def test_commands(self):
        self.assertRefused(4, self.call('DANCE'))
        self.assertRefused(4, self.call('ADD', CNI_NETNS=None))
        self.assertRefused(4, self.call('DEL', CNI_CONTAINERID=None))

    def test_no_json(self):
        self.assertRefused(6, self.call('ADD', '{'))
        self.assertRefused(6, self.call('ADD', '[]'))

    def test_version(self):
        self.assertRefused(1, self.call('ADD', {'cniVersion': '2.0.0'}))

    def test_versions_need_nothing(self):
        status, document = self.call('VERSION', CNI_CONTAINERID=None,
                                     CNI_NETNS=None, CNI_IFNAME=None)
        self.assertEqual((0, list(cni.VERSIONS)),
                         (status, document['supportedVersions']))


class TestDelegate(PluginTestCase):

    def test_other_pods(self):
        more = self.make_delegate()
        status, document = self.call('ADD', {
            **more, 'prevResult': {'x': 1}}, 'default')
        self.assertEqual(0, status)
        self.assertEqual(
            {'type': 'bridge', 'cniVersion': '1.0.0', 'name': 'zun',
             'prevResult': {'x': 1}}, document['asked'])

    def test_its_failure(self):
        more = self.make_delegate()
        more['delegate']['fail'] = True
        self.assertEqual(7, self.call('DEL', more, 'default')[0])

    def test_pods_of_zun_never(self):
        status, document = self.call('ADD', self.make_delegate())
        self.assertEqual((1, 11), (status, document['code']))

    def test_zuns_own_services(self):
        more = self.make_delegate()
        self.assertEqual(0, self.call('ADD', more, 'zun-system')[0])
        more['serviceNamespace'] = 'zun-other'
        self.assertEqual(1, self.call('ADD', more, 'zun-system')[0])
        self.assertEqual(0, self.call('ADD', more, 'zun-other')[0])

    def test_prefix(self):
        more = {**self.make_delegate(), 'namespacePrefix': 'other-'}
        self.assertEqual(0, self.call('ADD', more)[0])
        self.assertEqual(1, self.call('ADD', more, 'other-x')[0])

    def test_readiness_is_its_business(self):
        """Without the daemon the node stays ready for other Pods."""
        more = self.make_delegate()
        self.assertEqual((0, None), self.call('STATUS', more))
        more['delegate']['cniVersion'] = '1.1.0'
        self.assertEqual('STATUS', self.call('STATUS', more)[1]['command'])

    def test_gc_is_both_ones(self):
        self.serve({'result': None})
        self.assertEqual((0, None), self.call('GC', self.make_delegate()))
        self.assertEqual('GC', self.asked[0][0]['command'])

    def test_is_not_there(self):
        status, document = self.call(
            'ADD', {'delegate': {'type': 'none'}}, 'default')
        self.assertEqual((1, 7), (status, document['code']))


class TestFile(base.TestCase):

    def test_is_a_program(self):
        self.assertTrue(os.access(PLUGIN, os.X_OK))
        self.assertTrue(PLUGIN.read_text().startswith(
            '#!/usr/bin/python3 -IS\n'))
