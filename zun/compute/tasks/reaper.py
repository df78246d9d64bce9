# SPDX-License-Identifier: Apache-2.0
"""Gives the tasks of dead workers to others, and keeps the table tidy.

A worker is dead when its count of signs of life stood still for [task]
worker_timeout by the monotonic clock of whoever watches it.  Every worker
watches all the others; the leader (the holder of the Lease) acts first,
the others a little later, so that it may be the leader who died.  It does no
harm if several act, or if the worker was alive: its row is removed only while
its count still stands, and what it writes afterwards is refused.
"""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
import threading
import time

from oslo_log import log as logging

from zun.common import utils
from zun.compute.tasks import errors
from zun.compute.tasks import metrics
from zun.compute.tasks import registry
from zun.compute.tasks import wake
import zun.conf
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import task_admin
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy.queries import workers
from zun.db.sqlalchemy import task_models

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)

# Seconds between two looks at the other workers.
WATCH_INTERVAL = 1.0

# Seconds by which those that do not lead act later.
STANDBY_DELAY = 2.0

# Seconds between two rounds of what only the leader does.
SWEEP_INTERVAL = 30.0
RETENTION_INTERVAL = 60.0

# Tasks removed in one transaction.
PURGE_BATCH = 500


class Watch:
    """What a process saw of the workers, by its own monotonic clock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._observed_at = float('-inf')
        self._expired = False
        self._since: dict[str, tuple[workers.Worker, float]] = {}
        self._gone: dict[str, float] = {}

    def age(self) -> float:
        """Seconds since the last look."""
        return self._clock() - self._observed_at

    def is_due(self) -> bool:
        """Whether it is time for another look."""
        return self._expired or self.age() >= WATCH_INTERVAL

    def expire(self) -> None:
        """Make another look due."""
        self._expired = True

    def observe(self, seen: Sequence[workers.Worker]) -> None:
        """Take note of what was just read from the table of workers."""
        with self._lock:
            now = self._observed_at = self._clock()
            self._expired = False
            since = {}
            for worker in seen:
                known = self._since.get(worker.uuid)
                moved = known is None or known[0].beats != worker.beats
                since[worker.uuid] = (worker, now if moved else known[1])
            self._note_gone({worker.queue for worker, _
                             in self._since.values()}, now)
            self._since = since
            self._forget_served()

    def miss(self, queues: Iterable[str]) -> None:
        """Take note of queues in which there is work."""
        with self._lock:
            self._note_gone(queues, self._clock())
            self._forget_served()

    def _note_gone(self, queues: Iterable[str], now: float) -> None:
        for queue in queues:
            self._gone.setdefault(queue, now)

    def _forget_served(self) -> None:
        for worker, _ in self._since.values():
            self._gone.pop(worker.queue, None)

    def gone(self, seconds: float) -> list[str]:
        """Queues without a worker for some time; each is told once."""
        with self._lock:
            before = self._clock() - seconds
            found = [queue for queue, since in self._gone.items()
                     if since <= before]
            for queue in found:
                del self._gone[queue]
            return found

    def silent(self, own: str) -> list[tuple[workers.Worker, float]]:
        """The other workers and for how long each stood still."""
        with self._lock:
            now = self._clock()
            return [(worker, now - since)
                    for uuid, (worker, since) in self._since.items()
                    if uuid != own]

    def rank(self, own: str, queue: str) -> tuple[int, int]:
        """Which worker of a queue this one is, and among how many."""
        with self._lock:
            peers = sorted(uuid for uuid, (worker, _) in self._since.items()
                           if worker.queue == queue)
        if own not in peers:
            return 0, 1
        return peers.index(own), len(peers)


class Reaper:
    """The thread that acts on what was seen.

    :param watch: shared with the worker of this process, if it has one
    :param own: the uuid of that worker, called each time
    :param is_leader: whether this process leads right now
    :param queue: a queue whose workers this process is the first to reap
    """

    def __init__(self, watch: Watch, own: Callable[[], str],
                 is_leader: Callable[[], bool],
                 queue: str | None = None,
                 clock: Callable[[], float] = time.monotonic) -> None:
        self._watch = watch
        self._own = own
        self._is_leader = is_leader
        self._queue = queue
        self._clock = clock
        self._due = {self._sweep: 0.0, self._purge: 0.0}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name='reap',
                                        daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(WATCH_INTERVAL / 2):
            try:
                self.round()
            except errors.DB_ERRORS as error:
                LOG.warning('Nobody is watched: %s',
                            utils.one_line(error))
            except Exception:
                LOG.exception('Nobody is watched.')

    def round(self) -> None:
        """Look if nobody did, act on what stands still, then tidy up."""
        # The worker looks along with its queue; not while it is full.
        if self._watch.age() >= 2 * WATCH_INTERVAL + 0.5:
            with db_api.single() as session:
                seen = workers.seen(session)
            self._watch.observe(seen)
        leads = self._is_leader()
        for worker, silence in self._watch.silent(self._own()):
            first = leads or worker.queue == self._queue
            delay = 0 if first else STANDBY_DELAY
            if silence >= CONF.task.worker_timeout + delay:
                self._reap(worker)
        if leads:
            # An agent that is being replaced has some time for it.
            for queue in self._watch.gone(CONF.task.worker_timeout):
                if queue.startswith(registry.AGENT):
                    self.move_unserved(queue)
            self._tidy()

    # -- Dead workers ------------------------------------------------------

    @db_api.retry_on_conflict
    def _reap(self, worker: workers.Worker) -> None:
        with db_api.writer(None) as session:
            if not workers.remove(session, worker.uuid, worker.beats):
                return
            taken = tasks.take_from(session, worker.uuid)
        metrics.DEAD_WORKERS.inc()
        LOG.warning('Worker %(worker)s (%(binary)s on %(host)s) is given up '
                    'after %(timeout)s s without a sign of life; tasks '
                    'taken from it: %(number)d',
                    {'worker': worker.uuid, 'binary': worker.binary,
                     'host': worker.host, 'number': len(taken),
                     'timeout': CONF.task.worker_timeout})
        if taken:
            wake.poke(worker.queue)

    # -- What only the leader does -----------------------------------------

    def _tidy(self) -> None:
        now = self._clock()
        for duty, interval in ((self._sweep, SWEEP_INTERVAL),
                               (self._purge, RETENTION_INTERVAL)):
            if now >= self._due[duty]:
                self._due[duty] = now + interval
                duty()

    def _sweep(self) -> None:
        self.take_strays()
        self.find_unserved()

    @db_api.retry_on_conflict
    def take_strays(self) -> None:
        """Take tasks whose owner is registered no more.

        Such a worker was given up between its look at a task and its claim.
        """
        with db_api.single() as session:
            for row in tasks.running_without_worker(session):
                if tasks.take(session, row.id, row.epoch):
                    LOG.warning('Task %(task)s (%(kind)s) is taken from '
                                '%(owner)s, which is no worker any more.',
                                {'task': row.uuid, 'kind': row.kind,
                                 'owner': row.owner})

    def find_unserved(self) -> None:
        """Look for work that waits for an agent which is not there."""
        with db_api.single() as session:
            waiting = tasks.waiting_queues(session)
        self._watch.miss(queue for queue in waiting
                         if queue.startswith(registry.AGENT))

    @db_api.retry_on_conflict
    def move_unserved(self, queue: str) -> None:
        """Have the compute processes do what waits for a dead agent."""
        with db_api.single() as session:
            number = tasks.move_queue(session, queue, registry.COMPUTE)
        if number:
            LOG.warning('%(queue)s has no agent: %(number)d tasks are moved '
                        'to the compute processes.',
                        {'queue': queue, 'number': number})

    def _purge(self) -> None:
        for states, age in (
                ((task_models.DONE,), CONF.task.done_retention),
                ((task_models.FAILED, task_models.CANCELLED),
                 CONF.task.failed_retention)):
            while purge_batch(states, age) == PURGE_BATCH:
                if self._stopping.wait(0.1):
                    return


@db_api.retry_on_conflict
def purge_batch(states: Sequence[str], age: float) -> int:
    """Remove up to 500 tasks that ended ``age`` seconds ago; how many."""
    with db_api.writer(None) as session:
        return task_admin.purge(session, states, age, PURGE_BATCH)
