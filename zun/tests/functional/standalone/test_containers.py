# SPDX-License-Identifier: Apache-2.0
"""Containers through every layer, on the simulated cluster."""

from keystoneauth1 import exceptions as ks_exc
from keystoneauth1.identity import v3
from keystoneauth1 import session as ks_session
from websockets.sync import client as ws_client

from zun.common.k8s import client as k8s
from zun.standalone import settings
from zun.tests.functional.standalone import base


class ContainersTest(base.StandaloneTestCase):

    def test_life(self):
        uuid = self.create(name='life')
        shown = self.wait_status(uuid, 'Running')
        self.assertEqual([uuid], [
            c['uuid'] for c in self.api.get('/containers?name=life').json()[
                'containers']])
        self.wait_for(lambda: self.logs(uuid) == 'started\n', 'the log')
        self.assertEqual(('out\n', 3), self.execute(
            uuid, 'sh -c "echo out; exit 3"'))
        self.act(uuid, 'stop', timeout=5)
        self.wait_status(uuid, 'Stopped')
        self.act(uuid, 'start')
        self.wait_status(uuid, 'Running')
        self.act(uuid, 'kill', signal='SIGKILL')
        self.wait_status(uuid, 'Stopped')
        network, = shown['addresses']
        self.assertEqual('10.20.', shown['addresses'][network][0][
            'addr'][:6])
        self.api.delete('/containers/' + uuid)
        self.wait_gone(uuid)
        self.assertNothingLeft()

    def assertNothingLeft(self):
        """Neither Pods nor Secrets, ports, allocations, namespaces."""
        self.wait_for(lambda: not self.pods(), 'no Pods')
        self.wait_for(lambda: not [
            n for n in k8s.get_cluster().list(k8s.NAMESPACES)[0]
            if n['metadata']['name'].startswith('zun-') and
            n['metadata']['name'] != 'zun-system'], 'no namespaces')
        self.assertEqual({}, self.peers.network.rows['ports'])
        self.assertEqual({}, self.peers.placement.allocations)

    def test_what_was_written_is_there_after_a_start(self):
        uuid = self.running()
        self.execute(uuid, 'sh -c "echo text > file"')
        self.act(uuid, 'stop', timeout=1)
        self.assertIsNone(self.wait_status(uuid, 'Stopped')['status_reason'])
        self.act(uuid, 'start')
        self.wait_status(uuid, 'Running')
        self.act(uuid, 'kill', signal='SIGKILL')
        self.wait_status(uuid, 'Stopped')
        self.act(uuid, 'start')
        self.wait_status(uuid, 'Running')
        self.act(uuid, 'reboot', timeout=1)
        self.wait_for(lambda: self.pods(uuid)[-1]['metadata'][
            'name'].endswith('-4'), 'a new Pod')
        self.wait_status(uuid, 'Running')
        self.assertEqual(('text\n', 0), self.execute(uuid, 'cat file'))

    def test_created_then_started(self):
        uuid = self.create(run=False)
        self.wait_status(uuid, 'Created')
        self.act(uuid, 'start')
        self.wait_status(uuid, 'Running')

    def test_environment_and_working_directory(self):
        uuid = self.running(environment={'A': 'x y'}, workdir='/w')
        output, _ = self.execute(uuid, 'sh -c "echo $A; pwd"')
        self.assertEqual('x y', output.splitlines()[0])
        self.assertTrue(output.splitlines()[1].endswith('/w'))

    def test_stop_kills_after_its_timeout(self):
        uuid = self.running(['sh', '-c', 'trap "" TERM; echo up; '
                             'while :; do sleep 1; done'])
        self.wait_for(lambda: self.logs(uuid) == 'up\n', 'the trap')
        self.act(uuid, 'stop', timeout=1)
        shown = self.wait_status(uuid, 'Stopped')
        self.wait_for(lambda: 'Exited(137)' in (
            self.show(uuid)['status_detail'] or ''), 'the exit code')
        self.assertIsNone(shown['status_reason'])

    def test_pause_freezes(self):
        uuid = self.running(['sh', '-c', 'i=0; while :; do i=$((i+1)); '
                             'echo $i > count; sleep 0.05; done'])
        self.act(uuid, 'pause')
        self.wait_status(uuid, 'Paused')
        error = self.assertRaises(
            ks_exc.HttpError, self.execute, uuid, 'true')
        self.assertLess(error.http_status, 500)
        self.act(uuid, 'unpause')
        self.wait_status(uuid, 'Running')

        def count():
            return int(self.execute(uuid, 'cat count')[0] or 0)
        before = count()
        self.wait_for(lambda: count() > before, 'counting goes on')

    def test_reboot(self):
        uuid = self.running()
        before = self.pods(uuid)
        self.act(uuid, 'reboot', timeout=1)
        self.wait_for(lambda: self.pods(uuid) and self.pods(uuid)[-1][
            'metadata']['uid'] != before[0]['metadata']['uid'], 'a new Pod')
        self.wait_status(uuid, 'Running')

    def test_rename(self):
        uuid = self.running(name='before')
        self.api.patch('/containers/' + uuid, json={'name': 'after'})
        self.assertEqual('after', self.show(uuid)['name'])

    def test_attach_through_the_proxy(self):
        uuid = self.running(['sh', '-c', 'while read l; do echo "<$l>"; '
                             'done'], interactive=True, tty=False)
        url = self.api.get('/containers/%s/attach' % uuid).text.strip('"\n')
        with ws_client.connect(
                url, subprotocols=['binary'],
                origin='http://127.0.0.1') as socket:
            socket.send(b'hello\n')
            received = b''
            while b'<hello>' not in received:
                received += socket.recv(timeout=base.LIMIT)

    def test_static_token(self):
        session = ks_session.Session(v3.Token(
            self.service.identity_url, self.folder.secrets['token'],
            project_name=settings.PROJECT, project_domain_name='Default'))
        self.assertEqual(200, self.connect(session).get(
            '/containers').status_code)

    def test_without_a_token(self):
        for token in (None, 'forged'):
            answer = ks_session.Session().get(
                'http://127.0.0.1:%d/v1/containers' % self.service.ports.api,
                headers={'X-Auth-Token': token} if token else {},
                raise_exc=False)
            self.assertEqual(401, answer.status_code)


class FailuresTest(base.StandaloneTestCase):
    """What goes wrong is told, with the true reason."""

    def failed(self, *args, **fields):
        uuid = self.create(*args, **fields)
        return self.wait_status(uuid, 'Error')

    def test_unknown_image(self):
        shown = self.failed(image='nosuchimage')
        self.assertIn('nosuchimage', shown['status_reason'])
        self.assertIn('not found', shown['status_reason'])

    def test_unknown_command(self):
        shown = self.failed(['/no/such/command'])
        self.assertIn('exec: "/no/such/command": stat /no/such/command: no '
                      'such file or directory', shown['status_reason'])

    def test_exit_code(self):
        uuid = self.create(['sh', '-c', 'echo bye; exit 3'])
        self.wait_status(uuid, 'Stopped')
        self.wait_for(lambda: 'Exited(3)' in (
            self.show(uuid)['status_detail'] or ''), 'the exit code')
        self.assertEqual('bye\n', self.logs(uuid))

    def test_no_host_is_large_enough(self):
        shown = self.failed(memory='4096')
        self.assertEqual('There are not enough hosts available.',
                         shown['status_reason'])

    def test_node_has_no_room_left(self):
        self.service_option('unschedulable_timeout', 1)
        k8s.get_cluster().create(k8s.PODS, {
            'metadata': {'name': 'greedy'}, 'spec': {
                'restartPolicy': 'Never', 'terminationGracePeriodSeconds': 0,
                'containers': [{
                    'name': 'main', 'image': 'busybox',
                    'command': ['sleep', '600'],
                    'resources': {'requests': {'cpu': '2'}}}]}}, 'default')
        self.addCleanup(k8s.get_cluster().delete, k8s.PODS, 'greedy',
                        'default')
        self.wait_for(lambda: k8s.get_cluster().get(
            k8s.PODS, 'greedy', 'default')['spec'].get('nodeName'),
            'the greedy Pod')
        shown = self.failed()
        self.assertIn('Insufficient cpu', shown['status_reason'])

    def service_option(self, name, value):
        base.CONF.set_override(name, value, 'kubernetes')
        self.addCleanup(base.CONF.clear_override, name, 'kubernetes')

    def test_cluster_away_in_the_middle_of_a_create(self):
        fault = self.cluster.fault(method='POST', path='/pods$',
                                   refuse=True)
        uuid = self.create()
        self.wait_for(lambda: self.cluster.faults.hits, 'the first try')
        self.cluster.stop_api()
        self.cluster.faults.clear()
        self.assertTrue(fault.refuse)
        self.assertEqual('Creating', self.show(uuid)['status'])
        self.cluster.start_api()
        self.wait_status(uuid, 'Running')
        self.assertEqual(1, len(self.pods(uuid)))

    def test_answer_lost_in_the_middle_of_a_create(self):
        self.cluster.fault(method='POST', path='/pods$', lose=True, times=1)
        uuid = self.create()
        self.wait_status(uuid, 'Running')
        self.assertEqual(1, len(self.pods(uuid)))

    def test_pod_deleted_behind_our_back(self):
        uuid = self.running()
        meta = self.pods(uuid)[0]['metadata']
        self.cluster.remove_pod(meta['namespace'], meta['name'])
        shown = self.wait_for(
            lambda: (lambda c: c if c['status'] != 'Running' else None)(
                self.show(uuid)), 'the loss to be noticed')
        self.assertIn(shown['status'], ('Stopped', 'Error'))
        self.assertTrue(shown['status_reason'])
