# SPDX-License-Identifier: Apache-2.0
"""zun-cni-daemon: the parts of it, put together."""

import threading
import time

from oslo_log import log as logging

from zun.cni import plugging
from zun.cni import pods
from zun.cni import spec
import zun.conf

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)


class Daemon:
    """Answers requests and follows Pods that change.

    :param plugger: does the work.
    """

    def __init__(self, plugger: plugging.Plugger):
        self._plugger = plugger
        self.pods = pods.Pods(self._note)
        self._follower = Follower(plugger)
        self._commands = {'ADD': self._add, 'DEL': self._delete,
                          'CHECK': self._check, 'STATUS': self._status,
                          'GC': self._collect}

    def start(self) -> None:
        """Clear away what is left, then follow the Pods."""
        self._plugger.sweep()
        self._follower.start()
        self.pods.start()

    def stop(self) -> None:
        self.pods.stop()
        self._follower.stop()

    def _note(self, pod):
        self._follower.note(pod)

    def answer(self, request: spec.Request) -> dict | None:
        """The result of a request.

        :raises CNIError: what the runtime is told instead.
        """
        command = self._commands.get(request.command)
        if command is None:
            raise spec.CNIError(
                spec.INVALID_ENVIRONMENT,
                'CNI_COMMAND %s is not known' % request.command)
        return command(request)

    def _add(self, request):
        pod = self.pods.find(request.pod, CONF.agent.cni_pod_timeout)
        return self._plugger.add(request, pod)

    def _delete(self, request):
        # From the sandbox alone: neither namespace nor API server is needed.
        self._plugger.delete(request.sandbox)

    def _check(self, request):
        self._plugger.check(request)

    def _collect(self, request):
        self._plugger.collect(request.network, request.valid_sandboxes)

    def _status(self, request):
        if not self.pods.is_synced:
            raise spec.CNIError(
                spec.NOT_AVAILABLE,
                'The Pods of host %s could not be listed yet' % CONF.host)
        if not self._follower.is_alive():
            raise spec.CNIError(
                spec.NOT_AVAILABLE,
                'The daemon of host %s does not follow its Pods any more: '
                'restart it' % CONF.host)


class Follower:
    """Brings running Pods to what their annotation says, one by one.

    What fails is tried again; between times it sweeps.
    """

    def __init__(self, plugger: plugging.Plugger):
        self._plugger = plugger
        self._news = threading.Condition()
        self._due: dict[str, tuple[float, pods.Pod]] = {}
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name='follower',
                                        daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._news:
            self._is_stopped = True
            self._news.notify_all()
        self._thread.join()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def note(self, pod: pods.Pod) -> None:
        """A Pod may have changed; returns at once."""
        with self._news:
            self._due[pod.uid] = (time.monotonic(), pod)
            self._news.notify_all()

    def _run(self):
        sweep_at = time.monotonic() + CONF.agent.cni_sweep_interval
        while True:
            pod = self._next(sweep_at)
            if self._is_stopped:
                return
            if pod is not None:
                self._follow(pod)
            if time.monotonic() >= sweep_at:
                self._plugger.sweep()
                sweep_at = time.monotonic() + CONF.agent.cni_sweep_interval

    def _next(self, until):
        """The next Pod that is due, or None at a time."""
        with self._news:
            while not self._is_stopped:
                now = time.monotonic()
                due = sorted((at, uid) for uid, (at, __) in
                             self._due.items())
                if due and due[0][0] <= now:
                    return self._due.pop(due[0][1])[1]
                if now >= until:
                    return None
                self._news.wait(min([until] + [at for at, __ in due[:1]]) -
                                now)
        return None

    def _follow(self, pod):
        try:
            self._plugger.follow(pod)
        except Exception as error:
            LOG.warning('Pod %(pod)s was not plugged as it says: %(error)s. '
                        'Trying again.',
                        {'pod': '%s/%s' % pod[:2], 'error': error},
                        exc_info=not isinstance(error, spec.CNIError))
            with self._news:
                self._due.setdefault(pod.uid, (
                    time.monotonic() + CONF.agent.cni_retry_interval, pod))
