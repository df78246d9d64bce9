# SPDX-License-Identifier: Apache-2.0
import contextlib
import json
import os
import pathlib
import socket
import threading
import time

import fixtures

from zun.cni import attachments
from zun.cni.binding import switch
from zun.cni import daemon
from zun.cni import locks
from zun.cni import pods
from zun.cni import server
from zun.cni import spec
from zun.common.k8s import watch
from zun.tests import base
from zun.tests.unit.cni import fakes

LIMIT = 30


def wait_for(condition):
    """Whether a condition came true within a generous time."""
    deadline = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def document(name='pod', uid='uid-1', namespace='zun-p', vifs='[]'):
    return {'metadata': {
        'name': name, 'namespace': namespace, 'uid': uid,
        'annotations': {'zun.openstack.org/vifs': vifs},
        'labels': {'zun.openstack.org/container': 'instance'}}}


class TestPods(base.TestCase):

    def setUp(self):
        super().setUp()
        self.changed = []
        self.pods = pods.Pods(self.changed.append)

    def find(self, name='pod', uid='uid-1', namespace='zun-p', timeout=0):
        return self.pods.find(spec.PodKey(namespace, name, uid), timeout)

    def assertRefused(self, code, **kwargs):
        error = self.assertRaises(spec.CNIError, self.find, **kwargs)
        self.assertEqual(code, error.code)

    def update(self, kind, **kwargs):
        self.pods.update(watch.Event(kind, document(**kwargs)))

    def test_listed(self):
        self.assertFalse(self.pods.is_synced)
        self.pods.replace([document(), document(namespace='default')])
        self.assertTrue(self.pods.is_synced)
        self.assertEqual(('[]', 'instance'), (self.find().vifs,
                                              self.find().instance))
        self.assertEqual(1, len(self.changed))

    def test_namespaces_of_others(self):
        self.update('ADDED', namespace='default')
        self.assertEqual([], self.changed)
        self.assertRefused(spec.INVALID_CONFIGURATION, namespace='default')

    def test_namespace_of_the_services(self):
        self.update('ADDED', namespace='zun-system')
        self.assertEqual([], self.changed)
        self.assertRefused(spec.INVALID_CONFIGURATION,
                           namespace='zun-system')

    def test_name_is_used_again(self):
        self.update('ADDED', uid='uid-2')
        self.assertRefused(spec.TRY_AGAIN)
        self.assertEqual('uid-2', self.find(uid='uid-2').uid)
        self.assertEqual('uid-2', self.find(uid='').uid)

    def test_late_end_of_an_older_one(self):
        self.update('ADDED', uid='uid-2')
        self.update('DELETED', uid='uid-1')
        self.assertEqual('uid-2', self.find(uid='uid-2').uid)

    def test_deleted(self):
        self.update('ADDED')
        self.update('DELETED')
        self.assertRefused(spec.TRY_AGAIN)

    def test_waits_for_a_pod(self):
        timer = threading.Timer(0.05, self.update, ['ADDED'])
        timer.start()
        self.addCleanup(timer.join)
        self.assertEqual('uid-1', self.find(timeout=LIMIT).uid)

    def test_told_of_changes_alone(self):
        for vifs in ('[]', '[]', '[1]'):
            self.update('MODIFIED', vifs=vifs)
        self.assertEqual(['[]', '[1]'], [pod.vifs for pod in self.changed])


class TestDaemon(base.TestCase):

    def setUp(self):
        super().setUp()
        self.it = self.useFixture(fakes.Plugging())
        self.config(group='agent', cni_pod_timeout=0,
                    cni_retry_interval=0.1)
        self.daemon = daemon.Daemon(self.it.plugger)

    def pod(self, *vifs):
        self.daemon.pods.replace([document(vifs=json.dumps(vifs))])

    def call(self, command, **kwargs):
        return self.daemon.answer(self.it.request(command, **kwargs))

    def run_follower(self):
        self.daemon._follower.start()
        self.addCleanup(self.daemon._follower.stop)

    def interfaces(self):
        return list(self.it.store.get('box-1').interfaces)

    def test_life(self):
        self.pod(fakes.vif())
        self.assertEqual('1.1.0', self.call('ADD')['cniVersion'])
        self.it.inside['eth0'] = (fakes.MAC, {'10.0.0.5'})
        self.assertIsNone(self.call('CHECK'))
        self.assertIsNone(self.call('GC', **{
            spec.VALID_ATTACHMENTS: [{'containerID': 'box-1'}]}))
        self.assertEqual(1, len(self.it.store.all()))
        self.assertIsNone(self.call('DEL'))
        self.assertEqual([], self.it.store.all())

    def test_del_does_not_need_the_pod(self):
        self.assertIsNone(self.call('DEL'))

    def test_status(self):
        self.assertRaises(spec.CNIError, self.call, 'STATUS')
        self.pod()
        # Nobody would follow the Pods.
        self.assertRaises(spec.CNIError, self.call, 'STATUS')
        self.run_follower()
        self.assertIsNone(self.call('STATUS'))

    def test_unknown_command(self):
        self.assertRaises(spec.CNIError, self.call, 'DANCE')

    def test_follows(self):
        self.pod(fakes.vif())
        self.call('ADD')
        self.run_follower()
        self.pod(fakes.vif(), fakes.vif(1))
        self.assertTrue(wait_for(
            lambda: self.interfaces() == ['eth0', 'eth1']))
        self.pod(fakes.vif())
        self.assertTrue(wait_for(lambda: self.interfaces() == ['eth0']))

    def test_tries_again(self):
        self.pod(fakes.vif())
        self.call('ADD')
        self.it.driver.failing = {fakes.vif(1)['id']}
        self.run_follower()
        self.pod(fakes.vif(), fakes.vif(1))
        self.assertTrue(wait_for(lambda: self.it.driver.calls.count(
            ('connect', fakes.vif(1)['id'])) > 1))
        self.it.driver.failing = set()
        self.assertTrue(wait_for(
            lambda: self.interfaces() == ['eth0', 'eth1']))

    def test_sweeps(self):
        self.config(group='agent', cni_sweep_interval=1)
        self.pod(fakes.vif())
        self.call('ADD')
        self.run_follower()
        os.unlink(self.it.netns())
        self.assertTrue(wait_for(lambda: not self.it.store.all()))


class TestServer(base.TestCase):

    def setUp(self):
        super().setUp()
        folder = self.useFixture(fixtures.TempDir()).path
        self.path = os.path.join(folder, 'run', 's')
        self.answer = lambda request: {'command': request.command}
        self.server = server.Server(
            self.path, lambda request: self.answer(request), 4)
        self.server.start()
        self.addCleanup(self.server.stop)

    def send(self, data, files=(), length=None):
        with socket.socket(socket.AF_UNIX) as near:
            near.settimeout(LIMIT)
            near.connect(self.path)
            head = (len(data) if length is None else length).to_bytes(
                4, 'big')
            socket.send_fds(near, [head], list(files))
            with contextlib.suppress(BrokenPipeError):
                # It may have heard enough.
                near.sendall(data)
                near.shutdown(socket.SHUT_WR)
            answer = b''
            while part := near.recv(65536):
                answer += part
        return json.loads(answer)

    def ask(self, command='DEL', files=()):
        return self.send(json.dumps({
            'command': command, 'configuration': {}, 'environment': {}
        }).encode(), files)

    def test_answer(self):
        self.assertEqual({'result': {'command': 'DEL'}}, self.ask())

    def test_only_root(self):
        self.assertEqual(0o600, os.stat(self.path).st_mode & 0o777)

    def test_namespace(self):
        """The daemon has the same file, and lets go of it."""
        with open(self.path + '-file', 'w+') as file:
            seen = []
            self.answer = lambda request: seen.append(
                os.fstat(request.netns).st_ino)
            self.ask('ADD', [file.fileno()])
            self.assertEqual([os.fstat(file.fileno()).st_ino], seen)
        opened = [os.readlink(link) for link in pathlib.Path(
            '/proc/self/fd').iterdir() if link.is_symlink() and
            link.exists()]
        self.assertNotIn(self.path + '-file', opened)

    def test_refusal(self):
        def refuse(request):
            raise spec.CNIError(7, 'why')
        self.answer = refuse
        self.assertEqual({'error': {'code': 7, 'msg': 'why'}}, self.ask())

    def test_failure(self):
        def fail(request):
            raise OSError(5, 'broken')
        self.answer = fail
        error = self.ask()['error']
        self.assertEqual(999, error['code'])
        self.assertIn('broken', error['msg'])

    def test_no_requests(self):
        for data, length in ((b'{', None), (b'5', None), (b'{}', None),
                             (b'{}', 9), (b'', 2 ** 31)):
            self.assertEqual(6, self.send(data, length=length)[
                'error']['code'], data)
        self.assertEqual({'result': {'command': 'DEL'}}, self.ask())

    def test_many_at_once(self):
        gate = threading.Barrier(4)
        self.answer = lambda request: gate.wait(LIMIT)
        threads = [threading.Thread(target=self.ask) for __ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT)
        self.assertFalse(any(thread.is_alive() for thread in threads))

    def test_socket_of_a_dead_process(self):
        self.server.stop()
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(self.path)
        again = server.Server(self.path, self.answer, 1)
        again.start()
        self.addCleanup(again.stop)
        self.assertEqual({'result': {'command': 'DEL'}}, self.ask())


class TestStore(base.TestCase):

    def setUp(self):
        super().setUp()
        self.folder = self.useFixture(fixtures.TempDir()).path
        self.store = attachments.Store(self.folder)
        self.store.load()

    def save(self, sandbox='box', **fields):
        made = attachments.Attachment(**{
            'sandbox': sandbox, 'network': 'zun',
            'pod': ('zun-p', 'pod', 'uid'), 'instance': 'i',
            'netns_path': '/x', 'netns_id': '1:2', 'is_visible': True,
            'interfaces': {}, **fields})
        self.store.save(made)
        return made

    def test_read_by_a_later_process(self):
        saved = self.save()
        later = attachments.Store(self.folder)
        later.load()
        self.assertEqual([saved], later.all())
        self.assertEqual([saved], later.of_pod('uid'))

    def test_broken_file_is_passed_over(self):
        self.save()
        with open(os.path.join(self.folder, 'x.json'), 'w') as file:
            file.write('{')
        later = attachments.Store(self.folder)
        later.load()
        self.assertEqual(1, len(later.all()))

    def test_only_root(self):
        self.save()
        self.assertEqual(0o600, os.stat(os.path.join(
            self.folder, 'box.json')).st_mode & 0o777)

    def test_forget_twice(self):
        self.save()
        for __ in range(2):
            self.store.forget('box')
        self.assertEqual([], os.listdir(self.folder))


class TestLocks(base.TestCase):

    def test_one_at_a_time_and_nothing_kept(self):
        held, seen = locks.Locks(), []

        def work():
            with held.hold('a'):
                seen.append('in')
                seen.append('out')
        threads = [threading.Thread(target=work) for __ in range(8)]
        with held.hold('a'), held.hold('b'):
            for thread in threads:
                thread.start()
            self.assertEqual([], seen)
        for thread in threads:
            thread.join(LIMIT)
        self.assertEqual(['in', 'out'] * 8, seen)
        self.assertEqual(0, len(held))


class Row:
    """A row as the connection hands it over."""

    def __init__(self, table, name, **columns):
        self._table = type('Table', (), {'name': table})
        self.name = name
        self.__dict__.update({'external_ids': {}, 'error': [], 'tag': [],
                              **columns})


class TestSwitch(base.TestCase):

    def setUp(self):
        super().setUp()
        self.switch = switch.Switch('unix:/none')
        self.useFixture(fixtures.MockPatchObject(self.switch, 'connect'))

    def note(self, table, event='update', name='tap', **columns):
        self.switch._note(event, Row(table, name, **columns))

    def test_wired_by_ovn(self):
        self.note('Interface')
        self.assertFalse(self.switch.await_wired('tap', 0))
        self.note('Interface', external_ids={'ovn-installed': 'true'})
        self.assertTrue(self.switch.await_wired('tap', 0))

    def test_wired_by_the_agent(self):
        for tag, wired in ([], False), ([4095], False), ([7], True):
            self.note('Port', tag=tag)
            self.assertEqual(wired, self.switch.await_wired('tap', 0), tag)

    def test_waits(self):
        timer = threading.Timer(0.05, self.note, ['Port'], {'tag': 5})
        timer.start()
        self.addCleanup(timer.join)
        self.assertTrue(self.switch.await_wired('tap', LIMIT))

    def test_device_cannot_be_used(self):
        self.note('Interface', error=['no such device'])
        error = self.assertRaises(OSError, self.switch.await_wired, 'tap',
                                  LIMIT)
        self.assertIn('no such device', str(error))

    def test_what_was_before_does_not_count(self):
        self.note('Interface', external_ids={'ovn-installed': 'true'})
        self.switch.forget('tap')
        self.assertFalse(self.switch.await_wired('tap', 0))

    def test_whose_it_is(self):
        self.assertFalse(self.switch.has('tap'))
        self.note('Interface', external_ids={'iface-id': 'p'})
        self.assertTrue(self.switch.has('tap', 'p'))
        self.assertFalse(self.switch.has('tap', 'q'))
        self.note('Interface', 'delete')
        self.assertFalse(self.switch.has('tap'))
