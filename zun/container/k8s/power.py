# SPDX-License-Identifier: Apache-2.0
"""Starting and ending a container's processes.

Signals and freezing are the node's business: the agent has the node's
``runtime`` for them. Without it a stop falls back on a deadline in the
Pod's spec, which Kubernetes carries out with the grace period that the Pod
was made with.
"""

import contextlib
import signal as signals

from oslo_log import log as logging

from zun.common import exception
from zun.common.i18n import _
from zun.common.k8s import client
from zun.common.k8s import errors as k8s_errors
from zun.common.k8s import stream
from zun.common.k8s import watch
import zun.conf
from zun.container import driver
from zun.container import errors
from zun.container.k8s import base
from zun.container.k8s import layers
from zun.container.k8s import status
from zun.container.runtime import base as runtime_base

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

# Failures that show before there is a process.
_BEFORE_RUN = status.PULL_REASONS + (
    'ErrImageNeverPull', 'InvalidImageName', 'Unschedulable')
# Seconds that the kubelet may take to tell of an end.
_REPORT_SECONDS = 30.0

LAYER_LOST = layers.LAYER_LOST


class Power(layers.Layers):
    """Start, stop, kill, pause and unpause of a container."""

    def start(self, context, container) -> bool:
        found = self.get_pod(container)
        if status.is_gated(found):
            self.patch_pod(found, {'spec': {'schedulingGates': []}})
        return not status.has_ended(found)

    def await_start(self, context, container, timeout: float
                    ) -> driver.Started:
        place = self.place(container)
        last = [None]

        def started(found):
            if found is None:
                raise base.missing(container)
            last[0] = found
            return _progress(found, place.container)

        done = watch.wait_for(self.cluster, client.PODS, place.pod,
                              place.namespace, started, timeout)
        return done or _not_yet(last[0], place.container)

    def explain(self, context, container) -> str | None:
        found = self.find_pod(container)
        if found is None:
            return None
        meta = found['metadata']
        happened, __ = self.cluster.list(
            client.EVENTS, meta['namespace'],
            fields='involvedObject.uid=%s,type=Warning' % meta['uid'])
        if not happened:
            return None
        newest = max(happened, key=_event_time)
        return '%s: %s' % (newest.get('reason'), newest.get('message'))

    def is_running(self, context, container) -> bool:
        return status.observe(self.get_pod(container),
                              self.place(container).container).running

    def stop(self, context, container, timeout: int | None
             ) -> driver.Stopped:
        found = self.get_pod(container)
        if status.is_gated(found):
            return driver.Stopped()
        if status.has_ended(found):
            return driver.Stopped(self._keep(container, found))
        grace = CONF.kubernetes.stop_timeout if timeout is None else timeout
        running = self._in_runtime(container, found)
        if running is not None:
            with _runtime_errors(container):
                self.runtime.stop(running.id, grace)
            # The kubelet tells of the end meanwhile.
            kept = self._save(container, found)
            self._await_over(container, found, _REPORT_SECONDS)
            return driver.Stopped(self._note_down(container, found, kept))
        self._set_deadline(container, found)
        return driver.Stopped(note=LAYER_LOST)

    def kill(self, context, container, signal: str | int | None) -> None:
        number = signal_number(signal)
        found = self.get_pod(container)
        running = self._in_runtime(container, found)
        if running is not None:
            self._signal(container, running, number)
        elif number == signals.SIGKILL:
            # Process 1 is deaf to a SIGKILL that is sent from inside.
            self._require_running(container, found)
            self._set_deadline(container, found)
            return
        else:
            self._require_running(container, found)
            self._kill_inside(container, number)
        if number == signals.SIGKILL:
            self._await_over(container, found, _REPORT_SECONDS)
            self._keep(container, found)

    def pause(self, context, container) -> None:
        running = self._need_runtime(container, _('Pausing'))
        if running.state is not runtime_base.State.RUNNING:
            raise errors.NotRunning(container=container.uuid)
        with _runtime_errors(container):
            self.runtime.pause(running.id)

    def unpause(self, context, container) -> None:
        running = self._need_runtime(container, _('Unpausing'))
        if running.state is not runtime_base.State.PAUSED:
            raise errors.NotPaused(container=container.uuid)
        with _runtime_errors(container):
            self.runtime.resume(running.id)

    def _in_runtime(self, container, found):
        """The container in the node's runtime, where there is one."""
        if self.runtime is None:
            return None
        try:
            return self.runtime.find(found['metadata']['uid'],
                                     self.place(container).container)
        except runtime_base.RuntimeUnavailable as exc:
            LOG.warning('The runtime of this node does not answer; '
                        'Kubernetes has to do: %s', exc)
            return None

    def _need_runtime(self, container, operation):
        found = self.get_pod(container)
        self._require_running(container, found)
        running = self._in_runtime(container, found)
        if running is None:
            raise errors.AgentNeeded(
                operation=operation,
                why=_('Kubernetes has no way to freeze processes'))
        return running

    def _require_running(self, container, found):
        seen = status.observe(found, self.place(container).container)
        if not seen.running:
            raise errors.NotRunning(container=container.uuid)

    def _signal(self, container, running, number):
        with _runtime_errors(container):
            if (number == signals.SIGKILL and
                    running.state is runtime_base.State.PAUSED):
                self.runtime.resume(running.id)
            self.runtime.signal(running.id, number)

    def _kill_inside(self, container, number):
        place = self.place(container)
        name = signals.Signals(number).name.removeprefix('SIG')
        for command in (['kill', '-s', name, '1'],
                        ['sh', '-c', 'kill -s "$0" 1', name]):
            output = stream.run(
                self.cluster, place.namespace, place.pod, place.container,
                command, timeout=CONF.docker.execute_timeout)
            if output.outcome.error is None or (
                    output.outcome.exit_code not in (126, 127)):
                break
        if output.outcome.exit_code in (126, 127):
            raise errors.AgentNeeded(
                operation=_('Sending a signal'),
                why=_('the image has no kill command'))
        if output.outcome.exit_code:
            raise exception.Conflict(
                _('Signal %(name)s was not sent: %(error)s')
                % {'name': name, 'error': output.output.decode(
                    'utf-8', 'replace').strip()})

    def _set_deadline(self, container, found):
        # Counted from the Pod's start, so it is over at once.
        changed = self.patch_pod(found,
                                 {'spec': {'activeDeadlineSeconds': 1}})
        grace = changed['spec'].get('terminationGracePeriodSeconds') or 0
        self._await_over(container, changed, grace + _REPORT_SECONDS)

    def _await_over(self, container, found, timeout):
        meta = found['metadata']

        def over(seen):
            if seen is None or seen['metadata']['uid'] != meta['uid']:
                raise base.missing(container)
            return status.is_over(seen)

        if not watch.wait_for(self.cluster, client.PODS, meta['name'],
                              meta['namespace'], over, timeout):
            raise k8s_errors.Unavailable(
                _('node %(node)s did not report the end of %(pod)s within '
                  '%(seconds)d seconds')
                % {'node': found['spec'].get('nodeName'),
                   'pod': meta['name'], 'seconds': timeout})


@contextlib.contextmanager
def _runtime_errors(container):
    """The node's runtime, in the words of whoever asked."""
    try:
        yield
    except runtime_base.ContainerGone:
        raise errors.NotRunning(container=container.uuid)
    except runtime_base.RuntimeUnavailable as exc:
        raise k8s_errors.Unavailable(
            _('the runtime of the node does not answer: %s') % exc)
    except runtime_base.RuntimeError as exc:
        raise exception.Conflict(
            _('The runtime of the node refused: %s') % exc)


def _progress(found, container):
    seen = status.observe(found, container)
    if seen.running or seen.ended:
        return driver.Started(True, started_at=seen.started_at)
    if seen.failure is not None and not seen.failure.passing:
        raise errors.StartFailed(
            seen.failure.text, seen.failure.reason,
            before_run=seen.failure.reason in _BEFORE_RUN)
    return None


def _not_yet(found, container):
    failure = status.observe(found, container).failure
    if failure is None:
        return driver.Started(False)
    return driver.Started(False, failure.reason, failure.text)


def _event_time(event):
    return (event.get('lastTimestamp') or event.get('eventTime') or
            event['metadata'].get('creationTimestamp') or '')


def signal_number(signal: str | int | None) -> int:
    """A signal by name, with or without SIG, or by number.

    :raises Invalid: there is no such signal.
    """
    text = str(signal or 'SIGKILL').upper()
    if text == 'NONE':
        return signals.SIGKILL
    if text.isdigit() and 0 < int(text) < 65:
        return int(text)
    try:
        return signals.Signals['SIG' + text.removeprefix('SIG')]
    except KeyError:
        raise exception.Invalid(_('%s is not a signal') % signal)
