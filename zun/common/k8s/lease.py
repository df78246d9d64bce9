# SPDX-License-Identifier: Apache-2.0
"""One holder at a time, by a Lease of Kubernetes.

No clocks of two machines are compared: whoever waits for the Lease looks
by its own clock how long the record has stood still.
"""

from collections.abc import Callable
import datetime
import threading
import time

from oslo_log import log as logging

from zun.common.k8s import client
from zun.common.k8s import errors

LOG = logging.getLogger(__name__)

# Seconds between two looks. A holder that dies just after a renewal is
# replaced after the duration and two looks: under 20 s for 15 s.
RETRY_PERIOD = 2.0


class Elector:
    """Tries to become and to stay the holder of a Lease.

    :param identity: who this is; unique in the cluster.
    :param duration: seconds without renewal after which others take over.
        The holder itself gives up after two thirds of it.
    :param clock: monotonic seconds.
    """

    def __init__(self, cluster: client.Cluster, namespace: str, name: str,
                 identity: str, duration: int,
                 clock: Callable[[], float] = time.monotonic):
        self._cluster = cluster
        self._namespace = namespace
        self._name = name
        self.identity = identity
        self._duration = duration
        self._clock = clock
        self._renewed = None
        self._seen = None
        self._seen_at = 0.0

    def is_leader(self) -> bool:
        """Whether this process may act as the holder right now."""
        renewed = self._renewed
        return (renewed is not None and
                self._clock() - renewed < self._duration * 2 / 3)

    def attempt(self) -> bool:
        """Renew the Lease, or take it if it is free; one round.

        A round that failed leaves the time of the last renewal as it is.
        """
        now = self._clock()
        try:
            held = self._acquire(now)
        except (errors.Conflict, errors.AlreadyExists):
            held = False
        except errors.KubernetesError as exc:
            LOG.warning('Lease %(name)s cannot be renewed: %(error)s',
                        {'name': self._name, 'error': exc})
            return self.is_leader()
        if held:
            self._renewed = now
        else:
            self._renewed = None
        return held

    def release(self) -> None:
        """Let go, so that the next holder need not wait."""
        if self._renewed is None:
            return
        self._renewed = None
        try:
            lease = self._cluster.get(client.LEASES, self._name,
                                      self._namespace)
            if lease['spec'].get('holderIdentity') == self.identity:
                lease['spec']['holderIdentity'] = ''
                self._cluster.replace(client.LEASES, self._name, lease,
                                      self._namespace)
        except errors.KubernetesError as exc:
            LOG.warning('Lease %(name)s was not released and will run out '
                        'by itself: %(error)s',
                        {'name': self._name, 'error': exc})

    def run(self, stop: threading.Event, started: Callable[[], None],
            stopped: Callable[[], None]) -> None:
        """Take part until ``stop`` is set.

        :param started: called each time the Lease was won.
        :param stopped: called each time it was lost, and at the end.
        """
        leading = False
        while not stop.is_set():
            self.attempt()
            leading = self._tell(leading, started, stopped)
            stop.wait(RETRY_PERIOD)
        self.release()
        self._tell(leading, started, stopped)

    def _tell(self, leading, started, stopped):
        if self.is_leader() and not leading:
            LOG.info('%(who)s holds the Lease %(name)s',
                     {'who': self.identity, 'name': self._name})
            started()
        elif leading and not self.is_leader():
            LOG.info('%(who)s no longer holds the Lease %(name)s',
                     {'who': self.identity, 'name': self._name})
            stopped()
        return self.is_leader()

    def _acquire(self, now):
        lease = self._cluster.find(client.LEASES, self._name,
                                   self._namespace)
        if lease is None:
            self._create()
            return True
        if not self._is_free(lease, now):
            return False
        spec = lease['spec']
        if spec.get('holderIdentity') != self.identity:
            spec['leaseTransitions'] = spec.get('leaseTransitions', 0) + 1
            spec['acquireTime'] = _timestamp()
        spec.update(holderIdentity=self.identity, renewTime=_timestamp(),
                    leaseDurationSeconds=self._duration)
        self._cluster.replace(client.LEASES, self._name, lease,
                              self._namespace)
        return True

    def _is_free(self, lease, now):
        spec = lease['spec']
        if spec.get('holderIdentity') in (None, '', self.identity):
            return True
        version = lease['metadata']['resourceVersion']
        if version != self._seen:
            self._seen, self._seen_at = version, now
        duration = spec.get('leaseDurationSeconds') or self._duration
        return now - self._seen_at >= duration

    def _create(self):
        body = {'apiVersion': 'coordination.k8s.io/v1', 'kind': 'Lease',
                'metadata': {'name': self._name,
                             'namespace': self._namespace},
                'spec': {'holderIdentity': self.identity,
                         'leaseDurationSeconds': self._duration,
                         'acquireTime': _timestamp(),
                         'renewTime': _timestamp(),
                         'leaseTransitions': 0}}
        try:
            self._cluster.create(client.LEASES, body, self._namespace)
        except errors.NotFound:
            self._create_namespace()
            self._cluster.create(client.LEASES, body, self._namespace)

    def _create_namespace(self):
        try:
            self._cluster.create(client.NAMESPACES, {
                'apiVersion': 'v1', 'kind': 'Namespace',
                'metadata': {'name': self._namespace}})
        except errors.AlreadyExists:
            LOG.debug('Namespace %s was made meanwhile', self._namespace)


def _timestamp():
    now = datetime.datetime.now(datetime.timezone.utc)
    return now.strftime('%Y-%m-%dT%H:%M:%S.%fZ')
