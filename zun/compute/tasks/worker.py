# SPDX-License-Identifier: Apache-2.0
"""Claims tasks of one queue and has them run."""

import queue
import random
import threading
import time
from typing import Any
import zlib

from oslo_db import exception as db_exc
from oslo_log import log as logging

from zun.common import utils
from zun.compute.tasks import errors
from zun.compute.tasks import execution
from zun.compute.tasks import lease
from zun.compute.tasks import metrics
from zun.compute.tasks import reaper
from zun.compute.tasks import registry
from zun.compute.tasks import wake
import zun.conf
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)

# Tasks looked at for one claim; workers choose different ones of them.
MAX_CANDIDATES = 24

# Seconds for which they are worth a try.
CANDIDATE_LIFETIME = 0.5

# Seconds to wait after an error of the database.
ERROR_PAUSE = 1.0

# What tells that another worker had the task, its lane or its place first.
LOST_ERRORS = (db_exc.DBDuplicateEntry, db_exc.DBDeadlock)


class Pace:
    """How long to wait for the next look: longer the less there was."""

    GROWTH = 1.5

    def __init__(self, shortest: float, longest: float) -> None:
        self._shortest = shortest
        self._longest = longest
        self._current = shortest

    def found(self) -> None:
        """There was work: look again soon."""
        self._current = self._shortest

    def next(self) -> float:
        """Seconds to wait now."""
        pause = self._current
        self._current = min(self._current * self.GROWTH, self._longest)
        # Workers that began together drift apart.
        return pause * random.uniform(1, 2)  # nosec B311


class Worker:
    """One process's part in running the tasks of a queue.

    :param operations: what can be run
    :param host: name of this machine
    :param binary: name of this executable
    :param watch: told what this worker sees of the others
    :param queue_name: whose tasks to run
    """

    def __init__(self, operations: registry.Registry, host: str, binary: str,
                 watch: reaper.Watch,
                 queue_name: str = registry.COMPUTE) -> None:
        self.queue = queue_name
        self.lease = lease.Lease(host, binary, queue_name)
        self._watch = watch
        self._closing = threading.Event()
        self._executor = execution.Executor(operations, self._closing)
        self._places = threading.Semaphore(CONF.task.concurrency)
        self._claimed: queue.SimpleQueue = queue.SimpleQueue()
        # They do not keep a process alive that wants to end.
        self._runners = [
            threading.Thread(target=self._serve, name='task-%d' % number,
                             daemon=True)
            for number in range(CONF.task.concurrency)]
        self._pace = Pace(CONF.task.poll_interval_min,
                          CONF.task.poll_interval_max)
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name='claim',
                                        daemon=True)
        self._receiver: wake.Receiver | None = None
        self._candidates: list[tasks.Candidate] = []
        self._looked_at = float('-inf')
        self._idle = threading.Condition()
        self._mine: set[str] = set()
        self._in_doubt = False

    # -- Life --------------------------------------------------------------

    def start(self) -> None:
        """Register and begin to claim.

        :raises DBError: the database does not answer
        """
        if CONF.task.poke:
            self._receiver = self._listen()
        self.lease.start(self._receiver and self._receiver.address)
        wake.subscribe(self.queue, self._wake.set)
        for thread in (*self._runners, self._thread):
            thread.start()

    @staticmethod
    def _listen() -> wake.Receiver | None:
        try:
            return wake.Receiver(CONF.task.poke_host, CONF.task.poke_port)
        except OSError as error:
            LOG.error('New work is only looked for, not heard of: [task] '
                      'poke_host %(host)s, poke_port %(port)s: %(error)s',
                      {'host': CONF.task.poke_host,
                       'port': CONF.task.poke_port, 'error': error})
            return None

    def stop(self, timeout: float | None = None) -> None:
        """Claim nothing more and let what runs end.

        :param timeout: seconds; what runs on after them is given to others.
            None: however long it takes
        """
        if self._stopping.is_set():
            return
        self._stopping.set()
        self._wake.set()
        wake.unsubscribe(self.queue, self._wake.set)
        if self._receiver is not None:
            self._receiver.stop()
        self._thread.join()
        with self._idle:
            self._idle.wait_for(lambda: not self._mine, timeout)
        self._closing.set()
        for _ in self._runners:
            self._claimed.put(None)
        self.lease.stop()

    # -- Claiming ----------------------------------------------------------

    def _run(self) -> None:
        while not self._stopping.is_set():
            if not self._places.acquire(timeout=1):
                continue
            row = self._try_claim()
            if row is not None:
                self._pace.found()
                self._claimed.put((row, self.lease.uuid))
                continue
            self._places.release()
            self._wake.wait(self._pace.next())
            self._wake.clear()

    def _try_claim(self) -> Any:
        try:
            self._settle_doubt()
            return self._claim_next()
        except errors.DB_ERRORS as error:
            LOG.warning('The queue cannot be used: %s',
                        utils.one_line(error))
        except Exception:
            LOG.exception('The queue cannot be used.')
        # A claim may have been committed without our hearing of it.
        self._in_doubt = True
        self._stopping.wait(ERROR_PAUSE)
        return None

    def _claim_next(self) -> Any:
        """Claim one task; its row, or None when there is none."""
        if time.monotonic() - self._looked_at > CANDIDATE_LIFETIME:
            self._candidates = []
        fresh = not self._candidates
        if fresh:
            self._look()
        while self._candidates and self.lease.held():
            row = self._claim(self._candidates.pop())
            if row is not None:
                return row
            if not fresh and not self._candidates:
                fresh = True
                self._look()
        return None

    def _look(self) -> None:
        """Read candidates and choose some of them, the most urgent last."""
        with db_api.single() as session:
            if self._watch.is_due():
                found, workers = tasks.candidates_and_workers(
                    session, self.queue, MAX_CANDIDATES,
                    CONF.task.node_creates)
                self._watch.observe(workers)
            else:
                found = tasks.candidates(session, self.queue, MAX_CANDIDATES,
                                         CONF.task.node_creates)
        self._looked_at = time.monotonic()
        number, among = self._watch.rank(self.lease.uuid, self.queue)
        mine = [candidate for candidate in found
                if zlib.crc32(candidate.uuid.encode()) % among == number]
        if mine:
            share = -(-MAX_CANDIDATES // among)
            self._candidates = mine[share - 1::-1]
        else:
            # One of somebody else's, who begins with the most urgent.
            self._candidates = random.sample(  # nosec: not a secret
                found[len(found) // 2:], min(len(found), 1))

    def _claim(self, candidate: tasks.Candidate) -> Any:
        try:
            row = self._compare_and_set(candidate)
        except LOST_ERRORS as error:
            row = None
            # The claim or only the look at its outcome may have lost.
            if isinstance(error, db_exc.DBDeadlock):
                self._in_doubt = True
        if row is None:
            metrics.LOST_CLAIMS.inc()
            # Others see the queue as this worker does: look who they are.
            self._candidates = []
            self._watch.expire()
            return None
        metrics.CLAIMS.labels(row.kind).inc()
        metrics.WAIT.labels(row.kind).observe(
            max(row.waited, 0) / tasks.MICROS)
        if candidate.taken_from:
            metrics.TAKEOVERS.labels(row.kind).inc()
            LOG.warning('Task %(task)s (%(kind)s) is taken over: epoch '
                        '%(epoch)s, from worker %(old)s by %(new)s',
                        {'task': row.uuid, 'kind': row.kind,
                         'epoch': row.epoch, 'old': candidate.taken_from,
                         'new': row.owner})
        with self._idle:
            self._mine.add(row.uuid)
        return row

    def _compare_and_set(self, candidate: tasks.Candidate) -> Any:
        with db_api.single() as session:
            slot = None
            if candidate.host is not None:
                taken = tasks.taken_slots(session, candidate.host)
                slot = _free_slot(candidate.host, taken)
                if slot is None:
                    return None
            return tasks.claim(session, candidate, self.lease.uuid, slot)

    # -- Running -----------------------------------------------------------

    def _serve(self) -> None:
        while (claimed := self._claimed.get()) is not None:
            self._execute(*claimed)

    def _execute(self, row: Any, owner: str) -> None:
        outcome = execution.LOST
        try:
            outcome = self._executor.run(
                row, lambda: self.lease.held_by(owner))
        except Exception:
            LOG.exception('Task %s was left behind.', row.uuid)
        finally:
            with self._idle:
                self._mine.discard(row.uuid)
                self._idle.notify_all()
            if outcome == execution.LOST:
                # It was broken off; perhaps nobody has taken it, because a
                # sign of life came late but not too late.
                self._in_doubt = True
            self._places.release()
            # What waited behind it in its lane may be ours to claim.
            self._wake.set()

    @db_api.retry_on_conflict
    def _settle_doubt(self) -> None:
        """Put back what is ours by its row, while we know nothing of it."""
        if not self._in_doubt:
            return
        # What becomes doubtful meanwhile is looked at the next time; after
        # an error, all is.
        self._in_doubt = False
        with db_api.single() as session:
            for row in tasks.running_of(session, self.lease.uuid):
                if row.uuid not in self._mine:
                    tasks.take(session, row.id, row.epoch)


def _free_slot(host: str, taken: set[str]) -> str | None:
    """A place on a node that no running task takes up."""
    slots = {'%s#%d' % (host, number)
             for number in range(CONF.task.node_creates)}
    free = sorted(slots - taken)
    return random.choice(free) if free else None  # nosec B311
