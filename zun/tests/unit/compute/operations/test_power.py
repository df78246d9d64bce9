# SPDX-License-Identifier: Apache-2.0
from zun.common import consts
from zun.common import exception
from zun.common.k8s import errors as k8s_errors
from zun.compute import container_actions as actions
from zun.container import errors
from zun.tests.unit.compute.operations import base
from zun.tests.unit.container import fake_driver

RUNNING, EXITED = fake_driver.RUNNING, fake_driver.EXITED
PAUSED, CREATED = fake_driver.PAUSED, fake_driver.CREATED

# kind, action, arguments, state before and after, status afterwards
VERBS = (
    ('container_start', actions.START, {}, CREATED, RUNNING,
     consts.RUNNING),
    ('container_stop', actions.STOP, {'timeout': '5'}, RUNNING, EXITED,
     consts.STOPPED),
    ('container_reboot', actions.REBOOT, {'timeout': '5'}, RUNNING,
     RUNNING, consts.RUNNING),
    ('container_pause', actions.PAUSE, {}, RUNNING, PAUSED, consts.PAUSED),
    ('container_unpause', actions.UNPAUSE, {}, PAUSED, RUNNING,
     consts.RUNNING),
    ('container_kill', actions.KILL, {'signal': 'TERM'}, RUNNING, EXITED,
     consts.STOPPED))


class TestVerbs(base.OperationTestCase):
    """What all of them have in common."""

    def each(self):
        for kind, action, arguments, before, after, status in VERBS:
            yield (kind, action, arguments, self.put_container(before),
                   after, status)

    def test_status(self):
        for kind, action, arguments, container, after, status in self.each():
            self.done(kind, container, action, **arguments)
            self.assertRow(container, status=status, task_state=None,
                           status_reason=None)
            self.assertEqual(after, list(
                self.engine.containers.values())[-1][1], kind)

    def test_report(self):
        for kind, action, arguments, container, __, __ in self.each():
            self.done(kind, container, action, **arguments)
            verb = kind.removeprefix('container_')
            self.assertEqual((None, {verb: 'Success'}),
                             self.events(container))

    def test_no_action(self):
        for kind, __, arguments, container, __, __ in self.each():
            self.assertIn('ContainerActionNotFound',
                          self.failed(kind, container, **arguments))
            self.assertRow(container, status=consts.RUNNING,
                           task_state=None)

    def test_engine_has_lost_it(self):
        for kind, action, arguments, container, __, __ in self.each():
            self.engine.containers.clear()
            self.assertIn("Cannot act on container in 'Error' state",
                          self.failed(kind, container, action, **arguments))
            row = self.row(container)
            self.assertEqual(consts.ERROR, row.status)
            self.assertIsNone(row.task_state)
            verb = kind.removeprefix('container_')
            self.assertEqual({verb: 'Error'}, self.events(container)[1])

    def test_engine_has_removed_it_as_asked(self):
        for kind, action, arguments, container, __, __ in self.each():
            if kind == 'container_start':
                continue
            container.auto_remove = True
            container.save(self.context)
            self.engine.containers.clear()
            self.failed(kind, container, action, **arguments)
            self.assertRow(container, status=consts.DELETED)

    def test_other_work_is_said_to_be_done(self):
        """A task_state that was there before is left as it is."""
        for kind, action, arguments, container, __, __ in self.each():
            container.task_state = consts.CONTAINER_CREATING
            container.save(self.context)
            self.done(kind, container, action, **arguments)
            self.assertRow(container,
                           task_state=consts.CONTAINER_CREATING)

    def test_api_server_away_for_a_while(self):
        for kind, action, arguments, container, after, status in self.each():
            verb = kind.removeprefix('container_').replace('reboot', 'stop')
            self.engine.faults[verb] = [k8s_errors.Unavailable('away')] * 3
            self.done(kind, container, action, **arguments)
            self.assertRow(container, status=status, task_state=None)
            self.assertEqual(after, list(
                self.engine.containers.values())[-1][1], kind)

    def test_killed_at_any_moment(self):
        for kind, action, arguments, before, after, status in VERBS:
            def start():
                container = self.put_container(before)
                return container, self.ask(kind, container, action,
                                           **arguments)

            def check(container, task):
                self.assertEqual('done', task.state, kind)
                self.assertRow(container, status=status, task_state=None)
                self.assertEqual(after, list(
                    self.engine.containers.values())[-1][1], kind)

            self.kill_everywhere(start, check)


class TestRefusals(base.OperationTestCase):

    def refuse(self, kind, action, method, **arguments):
        container = self.put_container(
            PAUSED if kind == 'container_unpause' else RUNNING)
        self.engine.faults[method] = [exception.Conflict('not now')]
        self.assertIn('not now', self.failed(kind, container, action,
                                             **arguments))
        return container

    def test_only_the_event_tells(self):
        for kind, action, method, arguments in (
                ('container_stop', actions.STOP, 'stop', {'timeout': '5'}),
                ('container_reboot', actions.REBOOT, 'stop',
                 {'timeout': '5'}),
                ('container_pause', actions.PAUSE, 'pause', {}),
                ('container_unpause', actions.UNPAUSE, 'unpause', {}),
                ('container_kill', actions.KILL, 'kill', {'signal': 'X'})):
            container = self.refuse(kind, action, method, **arguments)
            self.assertRow(container, status=consts.RUNNING,
                           status_reason=None, task_state=None)
            message, told = self.events(container)
            self.assertEqual({kind.removeprefix('container_'): 'Error'},
                             told)
            self.assertEqual('Error', message)

    def test_start_goes_to_error(self):
        container = self.put_container(CREATED)
        self.engine.faults['start'] = [exception.Conflict('not now')]
        self.failed('container_start', container, actions.START)
        self.assertRow(container, status=consts.ERROR,
                       status_reason='not now', task_state=None)


class TestStart(base.OperationTestCase):

    def test_next_generation(self):
        container = self.put_container(EXITED, status=consts.STOPPED)
        self.done('container_start', container, actions.START)
        self.assertIn('recreate', self.engine.calls)
        self.assertRow(container, status=consts.RUNNING,
                       container_id='fake-2')

    def test_former_reason_goes(self):
        container = self.put_container(EXITED, status=consts.ERROR,
                                       status_reason='x')
        self.done('container_start', container, actions.START)
        self.assertRow(container, status=consts.RUNNING, status_reason=None)

    def test_cannot_run(self):
        container = self.put_container(EXITED, status=consts.STOPPED)
        self.engine.faults['await_start'] = [
            errors.StartFailed('no such file', 'StartError')]
        self.failed('container_start', container, actions.START)
        self.assertRow(container, status=consts.ERROR,
                       status_reason='no such file')
        self.assertIn('hold_back', self.engine.calls)

    def test_running_already(self):
        container = self.put_container(RUNNING)
        self.done('container_start', container, actions.START)
        self.assertRunsOnceMore(container)

    def assertRunsOnceMore(self, container):
        self.assertEqual([[container.uuid, RUNNING]],
                         list(self.engine.containers.values()))


class TestStop(base.OperationTestCase):

    def stop(self, timeout):
        container = self.put_container()
        return container, self.do('container_stop', container, actions.STOP,
                                  timeout=timeout)

    def test_note_for_the_user(self):
        self.engine.notes = ['layer lost']
        container, __ = self.stop(None)
        self.assertRow(container, status=consts.STOPPED,
                       status_reason='layer lost')

    def test_timeouts(self):
        for timeout in (None, '', '0', 7):
            self.assertEqual('done', self.stop(timeout)[1].state)

    def test_no_number(self):
        container, task = self.stop('soon')
        self.assertEqual('failed', task.state)
        self.assertIn('soon', task.error)
        self.assertRow(container, status=consts.RUNNING, task_state=None)


class TestPause(base.OperationTestCase):

    def test_done_already(self):
        for kind, action, state, word in (
                ('container_pause', actions.PAUSE, PAUSED, 'not running'),
                ('container_unpause', actions.UNPAUSE, RUNNING,
                 'not paused')):
            container = self.put_container(state)
            self.assertIn(word, self.failed(kind, container, action))
            self.assertRow(container, status=consts.RUNNING,
                           task_state=None)


class TestKill(base.OperationTestCase):

    def test_ended_already(self):
        container = self.put_container(EXITED)
        self.assertIn('is not running', self.failed(
            'container_kill', container, actions.KILL, signal='TERM'))


class TestReboot(base.OperationTestCase):

    def test_stopped_once(self):
        """Waiting for the new start does not stop it again."""
        container = self.put_container()
        self.engine.faults['await_start'] = [
            k8s_errors.Unavailable('away')] * 2
        self.done('container_reboot', container, actions.REBOOT, timeout='1')
        self.assertEqual(1, self.engine.calls.count('stop'))
        self.assertEqual(1, self.engine.calls.count('recreate'))
