# SPDX-License-Identifier: Apache-2.0
"""Checks of a Kubernetes cluster that hold on a real one and on ours.

Everything goes through the official client. A subclass gives ``kubeconfig``;
the simulated cluster's is in test_conformance.py, the lab's in
zun/tests/lab/test_conformance.py.
"""

import json
import threading
import time
import uuid

from kubernetes import client
from kubernetes import config
from kubernetes import stream
from kubernetes import watch

LIMIT = 60
GRACE = 3


def pod_body(name, command=None, **spec):
    """A small Pod.

    Keyword arguments go to its spec, ``main`` to its container.
    """
    container = {'name': 'main', 'image': 'busybox',
                 'imagePullPolicy': 'IfNotPresent', **spec.pop('main', {})}
    if command is not None:
        container['command'] = command
    return {'metadata': {'name': name, **spec.pop('metadata', {})},
            'spec': {'restartPolicy': 'Never',
                     'terminationGracePeriodSeconds': GRACE,
                     'automountServiceAccountToken': False,
                     'containers': [container], **spec}}


# The size comes some time after the terminal, which has none until then.
TELL_SIZE = ('until [ "$(stty size 2>/dev/null)" = "45 123" ]; '
             'do sleep 0.1; done; stty size')


class Conformance:
    """The checks; mixed into a test case."""

    @classmethod
    def kubeconfig(cls):
        """Path of the kubeconfig of the cluster to check."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.api_client = config.new_client_from_config(cls.kubeconfig())
        cls.v1 = client.CoreV1Api(cls.api_client)
        cls.namespace = 'zun-check-' + uuid.uuid4().hex[:8]
        cls.v1.create_namespace({'metadata': {'name': cls.namespace}})
        cls.wait_for(lambda: cls.v1.list_namespaced_service_account(
            cls.namespace).items)

    @classmethod
    def tearDownClass(cls):
        cls.v1.delete_namespace(cls.namespace)
        super().tearDownClass()

    @staticmethod
    def wait_for(condition):
        """The first true value of ``condition()``."""
        end = time.monotonic() + LIMIT
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError('%s did not hold in %d s' % (
                    condition, LIMIT))
            time.sleep(0.05)

    def create(self, name, command=None, **spec):
        return self.v1.create_namespaced_pod(
            self.namespace, pod_body(name, command, **spec))

    def read(self, name):
        return self.v1.read_namespaced_pod(name, self.namespace)

    def wait_pod(self, name, condition):
        return self.wait_for(lambda: (lambda pod: pod if condition(pod)
                                      else None)(self.read(name)))

    def run_pod(self, name, command=None, **spec):
        self.create(name, command, **spec)
        return self.wait_pod(name, lambda p: p.status.phase == 'Running')

    def finished(self, name):
        return self.wait_pod(
            name, lambda p: p.status.phase in ('Succeeded', 'Failed'))

    def waiting(self, name, *reasons):
        def look(pod):
            state = (pod.status.container_statuses or [None])[0]
            return (state and state.state.waiting and
                    state.state.waiting.reason in reasons)
        pod = self.wait_pod(name, look)
        return pod.status.container_statuses[0].state.waiting

    def refused(self, call, *args, **kwargs):
        """The Status that a call is refused with."""
        error = self.assertRaises(client.ApiException, call, *args,
                                  **kwargs)
        return json.loads(error.body)

    def execute(self, name, command, stdin=None, **kwargs):
        """Run a program; (stdout, stderr, status document)."""
        socket = stream.stream(
            self.v1.connect_get_namespaced_pod_exec, name, self.namespace,
            command=command, stdin=stdin is not None, stdout=True,
            stderr=True, _preload_content=False, **kwargs)
        if stdin is not None:
            socket.write_stdin(stdin)
            socket.close_channel(0)
        socket.run_forever(timeout=LIMIT)
        return (socket.read_channel(1), socket.read_channel(2),
                json.loads(socket.read_channel(3)))

    # objects

    def test_name_taken(self):
        self.create('taken', ['true'])
        status = self.refused(self.create, 'taken', ['true'])
        self.assertEqual((409, 'AlreadyExists', 'pods "taken" already '
                          'exists'), (status['code'], status['reason'],
                                      status['message']))

    def test_unknown_names(self):
        for call, args, kind, name in (
                (self.v1.read_namespaced_pod, ('none', self.namespace),
                 'pods', 'none'),
                (self.v1.create_namespaced_pod, ('no-such', pod_body('a')),
                 'namespaces', 'no-such'),
                (self.v1.read_namespaced_secret, ('none', self.namespace),
                 'secrets', 'none')):
            status = self.refused(call, *args)
            self.assertEqual(404, status['code'])
            self.assertEqual({'name': name, 'kind': kind},
                             status['details'])

    def test_invalid_pods(self):
        for body, field in (
                (pod_body('Bad_Name'), 'metadata.name'),
                (pod_body('a', metadata={'labels': {'a': 'b c'}}),
                 'metadata.labels'),
                (pod_body('a', containers=[]), 'spec.containers'),
                (pod_body('a', main={'volumeMounts': [
                    {'name': 'v', 'mountPath': '/v'}]}),
                 'spec.containers[0].volumeMounts[0].name')):
            status = self.refused(self.v1.create_namespaced_pod,
                                  self.namespace, body)
            self.assertEqual((422, field), (
                status['code'], status['details']['causes'][0]['field']))

    def test_unknown_runtime_class(self):
        status = self.refused(self.create, 'rc', runtimeClassName='nope')
        self.assertEqual(403, status['code'])
        self.assertIn('RuntimeClass "nope" not found', status['message'])

    def test_preconditions(self):
        self.create('pre', ['sleep', '60'])
        for wanted, text in (
                ({'uid': 'other'}, 'the UID in the precondition (other)'),
                ({'resourceVersion': '1'},
                 'the ResourceVersion in the precondition (1)')):
            status = self.refused(
                self.v1.delete_namespaced_pod, 'pre', self.namespace,
                body={'preconditions': wanted})
            self.assertEqual(409, status['code'])
            self.assertIn(text, status['message'])

    def test_old_resource_version_conflicts(self):
        self.v1.create_namespaced_secret(
            self.namespace, {'metadata': {'name': 'versioned'}})
        status = self.refused(
            self.v1.patch_namespaced_secret, 'versioned', self.namespace,
            {'metadata': {'resourceVersion': '1', 'labels': {'a': 'b'}}})
        self.assertEqual((409, 'Conflict'), (status['code'],
                                             status['reason']))

    def test_patch_types(self):
        name = 'patched'
        self.create(name, ['sleep', '60'],
                    metadata={'annotations': {'a': '1', 'b': '2'}})
        for body, kind, wanted in (
                ({'metadata': {'annotations': {'a': None}}},
                 'application/merge-patch+json', {'b': '2'}),
                ({'metadata': {'annotations': {'c': '3'}}},
                 'application/strategic-merge-patch+json',
                 {'b': '2', 'c': '3'}),
                ([{'op': 'remove', 'path': '/metadata/annotations/b'}],
                 'application/json-patch+json', {'c': '3'})):
            pod = self.v1.patch_namespaced_pod(
                name, self.namespace, body, _content_type=kind)
            self.assertEqual(wanted, pod.metadata.annotations)

    def test_strategic_patch_joins_by_key(self):
        self.create('joined', ['sleep', '60'])
        pod = self.v1.patch_namespaced_pod(
            'joined', self.namespace,
            {'spec': {'containers': [{'name': 'main', 'image': 'alpine'}]}},
            _content_type='application/strategic-merge-patch+json')
        self.assertEqual(['alpine'], [c.image for c in pod.spec.containers])
        self.assertEqual(['sleep', '60'], pod.spec.containers[0].command)

    def test_spec_is_immutable(self):
        self.create('fixed', ['sleep', '60'])
        status = self.refused(
            self.v1.patch_namespaced_pod, 'fixed', self.namespace,
            [{'op': 'replace', 'path': '/spec/containers/0/command/0',
              'value': 'true'}])
        self.assertEqual(422, status['code'])
        self.assertIn('pod updates may not change fields other than',
                      status['message'])

    def test_status_cannot_be_set_by_the_way(self):
        self.create('honest', ['sleep', '60'])
        pod = self.v1.patch_namespaced_pod(
            'honest', self.namespace, {'status': {'phase': 'Succeeded'}})
        self.assertNotEqual('Succeeded', pod.status.phase)

    def test_selectors(self):
        for name, labels in (('s1', {'t': 'x', 'n': '1'}),
                             ('s2', {'t': 'x', 'n': '2'})):
            self.v1.create_namespaced_config_map(
                self.namespace, {'metadata': {'name': name,
                                              'labels': labels}})
        for selector, names in (
                ('t=x', ['s1', 's2']), ('t=x,n!=1', ['s2']),
                ('n in (1,3)', ['s1']), ('t,n notin (1)', ['s2']),
                ('t=x,!z', ['s1', 's2']), ('t==y', [])):
            found = self.v1.list_namespaced_config_map(
                self.namespace, label_selector=selector)
            self.assertEqual(names, [o.metadata.name for o in found.items])
        found = self.v1.list_namespaced_config_map(
            self.namespace, field_selector='metadata.name=s2')
        self.assertEqual(['s2'], [o.metadata.name for o in found.items])
        for key in ('label_selector', 'field_selector'):
            status = self.refused(self.v1.list_namespaced_pod,
                                  self.namespace, **{key: 'spec.a=b=c'})
            self.assertEqual(400, status['code'])

    def test_limit_and_continue(self):
        for number in range(3):
            self.v1.create_namespaced_config_map(
                self.namespace, {'metadata': {'name': 'page-%d' % number,
                                              'labels': {'page': 'y'}}})
        first = self.v1.list_namespaced_config_map(
            self.namespace, label_selector='page=y', limit=2)
        rest = self.v1.list_namespaced_config_map(
            self.namespace, label_selector='page=y', limit=2,
            _continue=first.metadata._continue)
        self.assertEqual(['page-0', 'page-1', 'page-2'], [
            o.metadata.name for o in first.items + rest.items])

    def test_secret_string_data(self):
        secret = self.v1.create_namespaced_secret(self.namespace, {
            'metadata': {'name': 'plain'}, 'stringData': {'a': 'b'}})
        self.assertEqual({'a': 'Yg=='}, secret.data)
        self.assertEqual('Opaque', secret.type)

    def test_owned_objects_go_with_their_owner(self):
        pod = self.create('owner', ['true'])
        self.v1.create_namespaced_secret(self.namespace, {
            'metadata': {'name': 'owned', 'ownerReferences': [{
                'apiVersion': 'v1', 'kind': 'Pod', 'name': 'owner',
                'uid': pod.metadata.uid}]}})
        self.v1.delete_namespaced_pod('owner', self.namespace)
        self.wait_for(lambda: not self.v1.list_namespaced_secret(
            self.namespace, field_selector='metadata.name=owned').items)

    def test_leases(self):
        leases = client.CoordinationV1Api(self.api_client)
        lease = leases.create_namespaced_lease(self.namespace, {
            'metadata': {'name': 'l'}, 'spec': {
                'holderIdentity': 'me', 'leaseDurationSeconds': 10}})
        lease.spec.holder_identity = 'you'
        leases.replace_namespaced_lease('l', self.namespace, lease)
        error = self.assertRaises(
            client.ApiException, leases.replace_namespaced_lease, 'l',
            self.namespace, lease)
        self.assertEqual(409, error.status)

    # life of a Pod

    def test_exit_code_and_log(self):
        self.create('three', ['sh', '-c', 'echo out; echo err >&2; exit 3'])
        pod = self.finished('three')
        ended = pod.status.container_statuses[0].state.terminated
        self.assertEqual(('Failed', 3, 'Error'),
                         (pod.status.phase, ended.exit_code, ended.reason))
        log = self.v1.read_namespaced_pod_log('three', self.namespace)
        self.assertEqual({'out', 'err'}, set(log.split()))

    def test_restart_policies(self):
        command = ['sh', '-c', 'echo run; sleep 1; exit 3']
        for name, policy in (('again', 'Always'), ('failing', 'OnFailure')):
            self.create(name, command, restartPolicy=policy)
            pod = self.wait_pod(name, lambda p: (
                p.status.container_statuses or [None])[0] and
                p.status.container_statuses[0].restart_count)
            state = pod.status.container_statuses[0]
            self.assertEqual((3, 'Running'), (
                state.last_state.terminated.exit_code, pod.status.phase))
            self.assertEqual('run\n', self.v1.read_namespaced_pod_log(
                name, self.namespace, previous=True))
            waiting = self.waiting(name, 'CrashLoopBackOff')
            self.assertIn('back-off 10s restarting failed container=main',
                          waiting.message)
            self.v1.delete_namespaced_pod(name, self.namespace)
        self.create('enough', ['true'], restartPolicy='OnFailure')
        self.assertEqual('Succeeded', self.finished('enough').status.phase)

    def test_success(self):
        self.create('good', ['true'])
        pod = self.finished('good')
        ended = pod.status.container_statuses[0].state.terminated
        self.assertEqual(('Succeeded', 0, 'Completed'),
                         (pod.status.phase, ended.exit_code, ended.reason))
        ready = {c.type: (c.status, c.reason)
                 for c in pod.status.conditions}
        self.assertEqual(('False', 'PodCompleted'), ready['Ready'])
        self.assertEqual(('True', 'PodCompleted'), ready['Initialized'])

    def test_unknown_image(self):
        self.create('noimage', main={'image': 'nosuchimage:1'})
        waiting = self.waiting('noimage', 'ErrImagePull',
                               'ImagePullBackOff')
        self.assertIn('nosuchimage:1: not found', waiting.message)
        self.assertEqual('Pending', self.read('noimage').status.phase)
        status = self.refused(self.v1.read_namespaced_pod_log, 'noimage',
                              self.namespace)
        self.assertEqual(400, status['code'])
        self.assertIn('is waiting to start', status['message'])
        self.wait_for(lambda: 'Failed' in {
            e.reason for e in self.v1.list_namespaced_event(
                self.namespace,
                field_selector='involvedObject.name=noimage').items})

    def test_image_that_may_not_be_pulled(self):
        self.create('nopull', main={'image': 'notthere:1',
                                    'imagePullPolicy': 'Never'})
        waiting = self.waiting('nopull', 'ErrImageNeverPull')
        self.assertEqual('Container image "notthere:1" is not present with '
                         'pull policy of Never', waiting.message)

    def test_invalid_image_name(self):
        self.create('badname', main={'image': 'Bad Image:::'})
        waiting = self.waiting('badname', 'InvalidImageName')
        self.assertIn('couldn\'t parse image name "Bad Image:::": invalid '
                      'reference format', waiting.message)

    def test_unknown_command(self):
        for name, command, text in (
                ('nocmd', ['/no/such/cmd'],
                 'exec: "/no/such/cmd": stat /no/such/cmd: no such file or '
                 'directory'),
                ('noname', ['no-such-program'],
                 'exec: "no-such-program": executable file not found in '
                 '$PATH'),
                ('noexec', ['/etc/passwd'],
                 'exec: "/etc/passwd": permission denied')):
            self.create(name, command)
            pod = self.finished(name)
            ended = pod.status.container_statuses[0].state.terminated
            self.assertEqual((128, 'StartError'), (ended.exit_code,
                                                   ended.reason))
            self.assertIn(text, ended.message)

    def test_missing_secret_in_environment(self):
        self.create('noenv', ['true'], main={'envFrom': [
            {'secretRef': {'name': 'missing'}}]})
        waiting = self.waiting('noenv', 'CreateContainerConfigError')
        self.assertEqual('secret "missing" not found', waiting.message)

    def test_unschedulable(self):
        for name, spec, text in (
                ('toobig', {'main': {'resources': {
                    'requests': {'cpu': '1000'}}}},
                 'Insufficient cpu'),
                ('elsewhere', {'affinity': {'nodeAffinity': {
                    'requiredDuringSchedulingIgnoredDuringExecution': {
                        'nodeSelectorTerms': [{'matchFields': [{
                            'key': 'metadata.name', 'operator': 'In',
                            'values': ['no-such-node']}]}]}}}},
                 "didn't satisfy plugin(s) [NodeAffinity]"),
                ('noclaim', {'volumes': [{
                    'name': 'v', 'persistentVolumeClaim': {
                        'claimName': 'none'}}]},
                 'persistentvolumeclaim "none" not found')):
            self.create(name, ['true'], **spec)
            pod = self.wait_pod(name, lambda p: p.status.conditions)
            found = pod.status.conditions[0]
            self.assertEqual(
                ('PodScheduled', 'False', 'Unschedulable'),
                (found.type, found.status, found.reason))
            self.assertIn(text, found.message)

    def test_scheduling_gate(self):
        self.create('gated', ['sleep', '600'],
                    schedulingGates=[{'name': 'zun.test/gate'}])
        found = self.wait_pod(
            'gated', lambda p: p.status.conditions).status.conditions[0]
        self.assertEqual(
            ('PodScheduled', 'False', 'SchedulingGated'),
            (found.type, found.status, found.reason))
        status = self.refused(
            self.v1.patch_namespaced_pod, 'gated', self.namespace,
            [{'op': 'add', 'path': '/spec/schedulingGates/-',
              'value': {'name': 'zun.test/other'}}])
        self.assertEqual(422, status['code'])
        self.v1.patch_namespaced_pod('gated', self.namespace, [
            {'op': 'remove', 'path': '/spec/schedulingGates'}])
        self.wait_pod('gated', lambda p: p.status.phase == 'Running')

    def test_init_containers(self):
        init = [{'name': 'one', 'image': 'busybox',
                 'command': ['sh', '-c', 'exit 0']}]
        self.create('initgood', ['true'], initContainers=init)
        self.assertEqual('Succeeded', self.finished('initgood').status.phase)
        init[0]['command'][-1] = 'exit 4'
        self.create('initbad', ['true'], initContainers=init)
        pod = self.finished('initbad')
        self.assertEqual('Failed', pod.status.phase)
        self.assertEqual(4, pod.status.init_container_statuses[
            0].state.terminated.exit_code)
        self.assertEqual('PodInitializing', pod.status.container_statuses[
            0].state.waiting.reason)

    def test_deadline(self):
        self.run_pod('late', ['sh', '-c', 'trap "exit 7" TERM; '
                              'while :; do sleep 0.1; done'])
        self.v1.patch_namespaced_pod('late', self.namespace, {
            'spec': {'activeDeadlineSeconds': 1}})
        pod = self.finished('late')
        self.assertEqual(('Failed', 'DeadlineExceeded'),
                         (pod.status.phase, pod.status.reason))
        self.assertEqual(7, pod.status.container_statuses[
            0].state.terminated.exit_code)
        status = self.refused(self.v1.patch_namespaced_pod, 'late',
                              self.namespace, {
                                  'spec': {'activeDeadlineSeconds': 100}})
        self.assertEqual(422, status['code'])

    def test_process_one_ignores_signals_it_does_not_catch(self):
        self.run_pod('deaf', ['sleep', '600'])
        seen = self._watched_deletion('deaf')
        self.assertEqual([137], sorted({
            s.state.terminated.exit_code for pod in seen
            for s in pod.status.container_statuses if s.state.terminated}))

    def test_graceful_deletion(self):
        self.run_pod('graceful', ['sh', '-c', 'trap "exit 5" TERM; '
                                  'while :; do sleep 0.1; done'])
        seen = self._watched_deletion('graceful')
        self.assertEqual([GRACE, 0], list(dict.fromkeys(
            pod.metadata.deletion_grace_period_seconds for pod in seen)))
        self.assertEqual(5, seen[-1].status.container_statuses[
            0].state.terminated.exit_code)

    def _watched_deletion(self, name):
        """All versions of a Pod from its deletion on."""
        version = self.read(name).metadata.resource_version
        self.v1.delete_namespaced_pod(name, self.namespace)
        seen = []
        for event in watch.Watch().stream(
                self.v1.list_namespaced_pod, self.namespace,
                field_selector='metadata.name=' + name,
                resource_version=version, timeout_seconds=LIMIT):
            if event['object'].metadata.deletion_timestamp:
                seen.append(event['object'])
            if event['type'] == 'DELETED':
                return seen
        raise AssertionError('%s was not deleted' % name)

    def test_finalizer_keeps_the_object(self):
        self.run_pod('kept', ['sh', '-c', 'trap "exit 0" TERM; '
                              'while :; do sleep 0.1; done'],
                     metadata={'finalizers': ['zun.test/keep']})
        self.v1.delete_namespaced_pod('kept', self.namespace)
        self.wait_pod('kept', lambda p: p.status.phase == 'Succeeded' and
                      p.metadata.deletion_grace_period_seconds == 0)
        self.v1.patch_namespaced_pod('kept', self.namespace, [
            {'op': 'remove', 'path': '/metadata/finalizers'}])
        self.wait_for(lambda: not self.v1.list_namespaced_pod(
            self.namespace, field_selector='metadata.name=kept').items)

    def test_forced_deletion_is_at_once(self):
        self.run_pod('forced', ['sleep', '600'])
        self.v1.delete_namespaced_pod('forced', self.namespace,
                                      grace_period_seconds=0)
        self.assertEqual(404, self.refused(self.read, 'forced')['code'])

    def test_volumes(self):
        self.v1.create_namespaced_secret(self.namespace, {
            'metadata': {'name': 'files'},
            'stringData': {'f': 'contents'}})
        self.create(
            'mounted', ['sh', '-c', 'cd /; cat data/f || cat $OLDPWD/data/f'],
            volumes=[{'name': 'v', 'secret': {'secretName': 'files'}}],
            main={'volumeMounts': [{'name': 'v', 'mountPath': '/data'}]})
        self.assertEqual('Succeeded', self.finished('mounted').status.phase)
        self.assertIn('contents', self.v1.read_namespaced_pod_log(
            'mounted', self.namespace))

    def test_environment(self):
        self.create('env', ['sh', '-c', 'echo $A-$B-$HOSTNAME'], main={
            'env': [{'name': 'A', 'value': 'x'},
                    {'name': 'B', 'value': '$(A)y'}]}, hostname='myhost')
        self.finished('env')
        self.assertEqual('x-xy-myhost\n', self.v1.read_namespaced_pod_log(
            'env', self.namespace))

    # logs

    def test_log_options(self):
        self.create('lines', ['sh', '-c', 'echo one; echo two; echo -n end'])
        self.finished('lines')

        def log(**options):
            return self.v1.read_namespaced_pod_log(
                'lines', self.namespace, **options)
        self.assertEqual('one\ntwo\nend', log())
        self.assertEqual('two\nend', log(tail_lines=2))
        self.assertEqual('', log(tail_lines=0))
        self.assertEqual('one\nt', log(limit_bytes=5))
        self.assertRegex(log(timestamps=True),
                         r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z one\n')
        for options, code in (({'tail_lines': -1}, 422),
                              ({'since_seconds': 0}, 422),
                              ({'previous': True}, 400),
                              ({'container': 'nope'}, 400)):
            self.assertEqual(code, self.refused(log, **options)['code'])

    def test_followed_log(self):
        self.run_pod('followed', ['sh', '-c', 'echo first; read line; '
                                  'echo $line'], main={'stdin': True})
        response = self.v1.read_namespaced_pod_log(
            'followed', self.namespace, follow=True, _preload_content=False)
        chunks = response.stream()
        self.assertEqual(b'first\n', next(chunks))
        socket = stream.stream(
            self.v1.connect_get_namespaced_pod_attach, 'followed',
            self.namespace, stdin=True, stdout=True, stderr=False,
            _preload_content=False)
        socket.write_stdin('second\n')
        self.assertEqual(b'second\n', b''.join(chunks))
        socket.close()

    # exec and attach

    def test_exec(self):
        self.run_pod('exec', ['sleep', '600'])
        for command, out, err, code in (
                (['echo', 'hi'], 'hi\n', '', None),
                (['sh', '-c', 'echo e >&2; exit 7'], '', 'e\n', '7'),
                (['sh', '-c', 'kill -9 $$'], '', '', '137')):
            stdout, stderr, status = self.execute('exec', command)
            self.assertEqual((out, err), (stdout, stderr))
            if code is None:
                self.assertEqual('Success', status['status'])
            else:
                self.assertEqual('NonZeroExitCode', status['reason'])
                self.assertEqual(
                    [{'reason': 'ExitCode', 'message': code}],
                    status['details']['causes'])

    def test_exec_of_an_unknown_program(self):
        self.run_pod('exec-none', ['sleep', '600'])
        _, _, status = self.execute('exec-none', ['no-such-program'])
        self.assertEqual(('InternalError', 500), (status['reason'],
                                                  status['code']))
        self.assertIn('exec: "no-such-program": executable file not found '
                      'in $PATH', status['message'])

    def test_exec_input(self):
        self.run_pod('exec-in', ['sleep', '600'])
        stdout, _, status = self.execute('exec-in', ['wc', '-c'],
                                         stdin='x' * 300000)
        self.assertEqual(('300000', 'Success'), (stdout.strip(),
                                                 status['status']))

    def test_exec_terminal_and_its_size(self):
        self.run_pod('exec-tty', ['sleep', '600'])
        socket = stream.stream(
            self.v1.connect_get_namespaced_pod_exec, 'exec-tty',
            self.namespace, command=['sh', '-c', TELL_SIZE],
            stdin=True, stdout=True, stderr=True, tty=True,
            _preload_content=False)
        socket.write_channel(4, json.dumps({'Width': 123, 'Height': 45}))
        socket.run_forever(timeout=LIMIT)
        self.assertIn('45 123', socket.read_channel(1))

    def test_exec_refused(self):
        self.create('exec-done', ['true'])
        self.finished('exec-done')
        self.create('exec-pending', ['true'], nodeSelector={'no': 'node'})
        for name, options, code, text in (
                ('exec-done', {}, '500', 'container not found ("main")'),
                ('exec-pending', {}, '400',
                 'pod exec-pending does not have a host assigned'),
                ('exec-done', {'container': 'nope'}, '400',
                 'container nope is not valid for pod exec-done'),
                ('exec-none-at-all', {}, '404', 'not found')):
            error = self.assertRaises(
                client.ApiException, self.execute, name, ['true'],
                **options)
            self.assertIn('Handshake status ' + code, str(error))
            self.assertIn(text, str(error).replace('\\"', '"'))

    def test_attach(self):
        self.run_pod('attach', ['sh', '-c', 'while read l; do echo "<$l>"; '
                                'done'], main={'stdin': True})
        socket = stream.stream(
            self.v1.connect_get_namespaced_pod_attach, 'attach',
            self.namespace, stdin=True, stdout=True, stderr=True,
            _preload_content=False)
        socket.write_stdin('hello\n')

        def answered():
            socket.update(timeout=1)
            return socket.peek_stdout()
        self.wait_for(answered)
        self.assertEqual('<hello>\n', socket.read_stdout())
        socket.close()
        self.assertEqual('Running', self.read('attach').status.phase)

    # resize

    def test_resize(self):
        sizes = {'requests': {'cpu': '50m', 'memory': '32Mi'},
                 'limits': {'cpu': '100m', 'memory': '64Mi'}}
        self.run_pod('resized', ['sleep', '600'], main={'resources': sizes})

        def resize(**resources):
            return self.v1.patch_namespaced_pod_resize(
                'resized', self.namespace, {'spec': {'containers': [
                    {'name': 'main', 'resources': resources}]}})
        resize(limits={'cpu': '200m'})
        self.wait_pod('resized', lambda p: p.status.container_statuses[
            0].resources.limits['cpu'] == '200m')
        for resources, code in (
                ({'requests': {'cpu': '1000'}, 'limits': {'cpu': '1000'}},
                 403),
                ({'requests': {'cpu': '300m'}}, 422)):
            self.assertEqual(code, self.refused(resize,
                                                **resources)['code'])

    # watch

    def test_watch_goes_on_from_a_list(self):
        version = self.v1.list_namespaced_secret(
            self.namespace).metadata.resource_version
        seen = []

        def follow():
            for event in watch.Watch().stream(
                    self.v1.list_namespaced_secret, self.namespace,
                    label_selector='watched=y', resource_version=version,
                    timeout_seconds=LIMIT):
                seen.append((event['type'], event['object'].metadata.name))
                if len(seen) == 4:
                    return
        thread = threading.Thread(target=follow)
        thread.start()
        for name in ('w1', 'w2'):
            self.v1.create_namespaced_secret(self.namespace, {
                'metadata': {'name': name, 'labels': {'watched': 'y'}}})
        self.v1.patch_namespaced_secret('w1', self.namespace, {
            'metadata': {'labels': {'watched': 'n'}}})
        self.v1.delete_namespaced_secret('w2', self.namespace)
        thread.join(LIMIT)
        self.assertEqual([('ADDED', 'w1'), ('ADDED', 'w2'),
                          ('DELETED', 'w1'), ('DELETED', 'w2')], seen)

    def test_initial_events(self):
        self.v1.create_namespaced_secret(self.namespace, {
            'metadata': {'name': 'initial', 'labels': {'initial': 'y'}}})
        for event in watch.Watch().stream(
                self.v1.list_namespaced_secret, self.namespace,
                label_selector='initial=y', send_initial_events=True,
                resource_version_match='NotOlderThan',
                allow_watch_bookmarks=True, timeout_seconds=LIMIT):
            if event['type'] == 'BOOKMARK':
                break
            self.assertEqual('initial', event['object'].metadata.name)
        self.assertEqual(
            'true', event['raw_object']['metadata']['annotations'][
                'k8s.io/initial-events-end'])

    # volumes and namespaces

    def test_persistent_volume(self):
        name = self.namespace + '-pv'
        self.v1.create_persistent_volume({
            'metadata': {'name': name}, 'spec': {
                'capacity': {'storage': '1Gi'},
                'accessModes': ['ReadWriteOnce'], 'storageClassName': '',
                'persistentVolumeReclaimPolicy': 'Retain',
                'hostPath': {'path': '/tmp/' + name,
                             'type': 'DirectoryOrCreate'},
                'claimRef': {'namespace': self.namespace, 'name': 'c'}}})
        self.v1.create_namespaced_persistent_volume_claim(self.namespace, {
            'metadata': {'name': 'c'}, 'spec': {
                'accessModes': ['ReadWriteOnce'], 'storageClassName': '',
                'volumeName': name,
                'resources': {'requests': {'storage': '1Gi'}}}})
        self.wait_for(lambda: self._claim().status.phase == 'Bound')
        self.create('claims', ['true'], volumes=[{
            'name': 'v', 'persistentVolumeClaim': {'claimName': 'c'}}])
        self.finished('claims')
        self.v1.delete_namespaced_persistent_volume_claim(
            'c', self.namespace)
        self.assertEqual('Bound', self._claim().status.phase)
        self.v1.delete_namespaced_pod('claims', self.namespace)
        self.wait_for(lambda: self.v1.read_persistent_volume(
            name).status.phase == 'Released')
        self.v1.delete_persistent_volume(name)
        self.wait_for(lambda: not self.v1.list_persistent_volume(
            field_selector='metadata.name=' + name).items)

    def _claim(self):
        return self.v1.read_namespaced_persistent_volume_claim(
            'c', self.namespace)

    def test_namespace_takes_its_contents_along(self):
        name = self.namespace + '-gone'
        self.v1.create_namespace({'metadata': {'name': name}})
        self.wait_for(lambda: self.v1.list_namespaced_service_account(
            name).items)
        self.v1.create_namespaced_secret(name, {
            'metadata': {'name': 's', 'finalizers': ['zun.test/keep']}})
        self.v1.delete_namespace(name)
        self.assertEqual('Terminating',
                         self.v1.read_namespace(name).status.phase)
        status = self.refused(self.v1.create_namespaced_secret, name, {
            'metadata': {'name': 't'}})
        self.assertEqual((403, 'NamespaceTerminating'), (
            status['code'], status['details']['causes'][0]['reason']))
        self.v1.patch_namespaced_secret('s', name, [
            {'op': 'remove', 'path': '/metadata/finalizers'}])
        self.wait_for(lambda: not self.v1.list_namespace(
            field_selector='metadata.name=' + name).items)
