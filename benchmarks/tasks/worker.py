# SPDX-License-Identifier: Apache-2.0
"""Worker processes that count what they do."""

import collections
import multiprocessing
from multiprocessing import connection as mp_connection
import os
import signal
import threading
import time
from typing import Any

import sqlalchemy as sa

from zun.compute.tasks import metrics
from zun.compute.tasks import registry
from zun.compute.tasks import service
from zun.db import api as db_api
from zun.db.sqlalchemy import transaction

_FORK = multiprocessing.get_context('fork')


class Recorder:
    """What one process did: when tasks began, statements, errors."""

    def __init__(self) -> None:
        self.began: dict[str, float] = {}
        self.counts: collections.Counter = collections.Counter()

    def reset(self) -> None:
        """Count from now on."""
        self.counts.clear()
        self._lost_before = int(metrics.LOST_CLAIMS._value.get())
        self._cpu_before = time.process_time()

    def watch(self, engine: sa.Engine) -> None:
        """Count an engine's statements and errors."""
        sa.event.listen(engine, 'before_cursor_execute', self._statement)
        sa.event.listen(engine, 'handle_error', self._error)

    def _statement(self, connection: Any, cursor: Any, statement: str,
                   *rest: Any) -> None:
        if not statement.startswith(('BEGIN', 'ROLLBACK')):
            self.counts['statements'] += 1

    def _error(self, context: Any) -> None:
        self.counts['errors'] += 1

    def nothing(self, context: Any, container: Any) -> None:
        """The operation that does nothing."""
        self.began[context.request_id] = time.monotonic()

    def save(self, context: Any, container: Any, timeout: int) -> None:
        """What every real one does at least: write its row once."""
        with db_api.writer(context):
            container.status_detail = context.task.uuid
            container.save(context)

    def result(self) -> dict[str, Any]:
        """What is sent to the parent process."""
        self.counts['lost'] = int(
            metrics.LOST_CLAIMS._value.get()) - self._lost_before
        self.counts['cpu'] = time.process_time() - self._cpu_before
        return {'began': self.began, 'counts': dict(self.counts)}


def _run(url: str, name: str, pipe: mp_connection.Connection) -> None:
    ended = threading.Event()
    recorder = Recorder()
    signal.signal(signal.SIGTERM, lambda number, frame: ended.set())
    signal.signal(signal.SIGUSR1,
                  lambda number, frame: recorder.reset())
    db_api.configure(url)
    operations = registry.Registry()
    operations.add('container_start', recorder.nothing)
    operations.add('container_stop', recorder.save)
    # The leader's duties fall to one of the workers.
    part = service.TaskService(operations, name, 'zun-compute',
                               lambda: name.endswith('-0'))
    for engine in (db_api.get_engine(), transaction._single_engine()):
        recorder.watch(engine)
    part.start()
    recorder.reset()
    ended.wait()
    # Without what it takes to sign off.
    result = recorder.result()
    part.stop()
    pipe.send(result)
    os._exit(0)


class Workers:
    """Some worker processes on one database.

    :param urls: the database on each of a cluster's nodes
    """

    def __init__(self, urls: list[str], number: int) -> None:
        db_api.dispose()
        self._processes = []
        for index in range(number):
            mine, theirs = _FORK.Pipe()
            process = _FORK.Process(target=_run, daemon=True, args=(
                urls[index % len(urls)], 'worker-%d' % index, theirs))
            process.start()
            self._processes.append((process, mine))

    def reset(self) -> None:
        """Count from now on."""
        for process, _ in self._processes:
            os.kill(process.pid, signal.SIGUSR1)

    def stop(self) -> dict[str, Any]:
        """End them; the sums of what they did."""
        began: dict[str, float] = {}
        counts: collections.Counter = collections.Counter()
        for process, _ in self._processes:
            os.kill(process.pid, signal.SIGTERM)
        for process, pipe in self._processes:
            result = pipe.recv()
            process.join()
            began.update(result['began'])
            counts.update(result['counts'])
        return {'began': began, 'counts': counts}
