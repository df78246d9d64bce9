# SPDX-License-Identifier: Apache-2.0
"""Runs one claimed task to the end of its attempt."""

from collections.abc import Callable
import random
import threading
import time
from typing import Any

from oslo_log import log as logging

from zun.common import exception
from zun.common import utils
from zun.compute.tasks import errors
from zun.compute.tasks import handle as task_handle
from zun.compute.tasks import metrics
from zun.compute.tasks import payload
from zun.compute.tasks import registry
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy import task_models

LOG = logging.getLogger(__name__)

# What a row that is there no more is told by; that of an image is a bad
# request to the API.
NO_ROW = (exception.NotFound, exception.HTTPNotFound,
          exception.ImageNotFound)

# Longest pause before another attempt (seconds), and its random part.
MAX_PAUSE = 300
JITTER = 0.2

# Seconds for which a task of another release waits for a worker of it.
OTHER_RELEASE_PAUSE = 10

# Attempts to undo, after which a task is failed with things left behind.
UNDO_ATTEMPTS = 10

# Outcome of an attempt that was broken off.
LOST = 'lost'

# Seconds until the next try to write an outcome to a database that is away.
ERROR_PAUSE = 1.0


def pause_after(attempt: int) -> float:
    """Seconds before the attempt that follows the given one."""
    pause = min(2 ** min(attempt, 16), MAX_PAUSE)
    return pause * random.uniform(1 - JITTER, 1 + JITTER)  # nosec B311


class Executor:
    """Runs tasks by the operations of a registry.

    :param closing: set when nothing more is to be written
    """

    def __init__(self, operations: registry.Registry,
                 closing: threading.Event) -> None:
        self._operations = operations
        self._closing = closing

    def run(self, row: Any, lease_held: Callable[[], bool]) -> str:
        """Run a claimed task; when this returns, its outcome is written.

        :param row: the task's row as claimed
        :returns: what became of it; ``LOST``: the attempt was broken off,
            since others may have the task, or may have it soon
        :raises DBError: the outcome could not be written before the end
        """
        handle = task_handle.TaskHandle(row, lease_held)
        context = payload.load_context(row.payload)
        context.task, context.fence = handle, handle.fence
        began = time.monotonic()
        outcome = LOST
        try:
            outcome = self._attempt(context, handle, row)
        except errors.LeaseLost as error:
            metrics.LEASES_LOST.labels(row.kind).inc()
            LOG.warning('%s What this worker still did was not written.',
                        error)
        finally:
            metrics.DURATION.labels(row.kind, outcome).observe(
                time.monotonic() - began)
        return outcome

    def _attempt(self, context: Any, handle: task_handle.TaskHandle,
                 row: Any) -> str:
        operation = self._operations.find(row.kind)
        if operation is None or row.payload_version > payload.VERSION:
            # Left to a newer release, while one is being rolled out.
            return self._failed(context, handle, row, errors.UnknownKind(
                kind=row.kind, version=row.payload_version,
                after=OTHER_RELEASE_PAUSE), None, {})
        try:
            arguments = payload.load_arguments(context, row.payload)
        except NO_ROW as error:
            if row.attempt > 1 and row.kind in registry.REMOVING:
                # The attempt before has removed it, and died just then.
                return self._finish(handle, task_models.DONE)
            LOG.info('Task %(task)s (%(kind)s) has nothing left to do: '
                     '%(error)s', {'task': row.uuid, 'kind': row.kind,
                                   'error': error})
            return self._finish(handle, task_models.CANCELLED, error=error)
        except Exception as error:
            return self._failed(context, handle, row, error, operation, {})
        if row.attempt > row.max_attempts:
            return self._undo(context, handle, row, operation, arguments)
        try:
            result = payload.dump_value(operation.run(context, **arguments))
        except errors.LeaseLost:
            raise
        except Exception as error:
            return self._failed(context, handle, row, error, operation,
                                arguments)
        return self._finish(handle, task_models.DONE, result=result)

    def _failed(self, context: Any, handle: task_handle.TaskHandle, row: Any,
                error: Exception, operation: registry.Operation | None,
                arguments: dict[str, Any]) -> str:
        """An attempt failed: another one later, or the end of it."""
        passing = errors.is_transient(error)
        if passing and self._is_superseded(handle):
            error = errors.Superseded(reason=str(error))
            passing = False
        after = error.after if isinstance(error, errors.Retry) else None
        if after is not None:
            self._write(handle, tasks.put_back, after, errors.dump(error),
                        counts=False)
            return 'waiting'
        if passing and row.attempt < row.max_attempts:
            pause = pause_after(row.attempt)
            LOG.warning('Attempt %(attempt)s of task %(task)s (%(kind)s) '
                        'failed, the next one follows in %(pause).0f s: '
                        '%(error)s',
                        {'attempt': row.attempt, 'task': row.uuid,
                         'kind': row.kind, 'pause': pause,
                         'error': utils.one_line(error)})
            metrics.RETRIES.labels(row.kind).inc()
            self._write(handle, tasks.put_back, pause, errors.dump(error))
            return 'retried'
        LOG.error('Task %(task)s (%(kind)s) is given up: %(error)s',
                  {'task': row.uuid, 'kind': row.kind, 'error': error},
                  exc_info=error)
        self._write(handle, tasks.condemn, errors.dump(error))
        return self._run_undo(context, handle, row, operation, arguments,
                              error)

    @staticmethod
    def _is_superseded(handle: task_handle.TaskHandle) -> bool:
        try:
            return handle.superseded()
        except errors.DB_ERRORS as error:
            # It may be what the attempt failed for; the next one will see.
            LOG.warning('The lane of task %(task)s cannot be read: '
                        '%(error)s', {'task': handle.uuid,
                                      'error': utils.one_line(error)})
            return False

    def _undo(self, context: Any, handle: task_handle.TaskHandle, row: Any,
              operation: registry.Operation, arguments: dict[str, Any]) -> str:
        """All attempts were used up when the task was claimed."""
        error = errors.load(row.error) if row.error else errors.GaveUp(
            attempts=row.max_attempts)
        return self._run_undo(context, handle, row, operation, arguments,
                              error)

    def _run_undo(self, context: Any, handle: task_handle.TaskHandle,
                  row: Any, operation: registry.Operation | None,
                  arguments: dict[str, Any], error: Exception) -> str:
        if operation is not None and operation.failed is not None:
            try:
                operation.failed(context, error, **arguments)
            except errors.LeaseLost:
                raise
            except Exception as again:
                LOG.exception('Task %(task)s (%(kind)s) could not be undone.',
                              {'task': row.uuid, 'kind': row.kind})
                if row.attempt < row.max_attempts + UNDO_ATTEMPTS:
                    self._write(handle, tasks.put_back,
                                _pause_of(again, row.attempt),
                                errors.dump(error))
                    return 'retried'
        metrics.FAILURES.labels(row.kind).inc()
        return self._finish(handle, task_models.FAILED, error=error)

    def _finish(self, handle: task_handle.TaskHandle, state: str,
                result: str | None = None,
                error: Exception | None = None) -> str:
        self._write(handle, tasks.finish, state, result,
                    errors.dump(error) if error is not None else None)
        return state

    def _write(self, handle: task_handle.TaskHandle,
               statement: Callable[..., bool], *args: Any,
               **kwargs: Any) -> None:
        """Write an outcome, however long the database is away.

        If an earlier try was committed without our hearing of it, the next
        one finds the task no longer held: nothing is written twice.
        """
        while True:
            try:
                return _guarded(handle, statement, *args, **kwargs)
            except errors.DB_ERRORS as error:
                if self._closing.is_set():
                    raise
                LOG.warning('The outcome of task %(task)s could not be '
                            'written: %(error)s',
                            {'task': handle.uuid,
                             'error': utils.one_line(error)})
                self._closing.wait(ERROR_PAUSE)


@db_api.retry_on_conflict
def _guarded(handle: task_handle.TaskHandle, statement: Callable[..., bool],
             *args: Any, **kwargs: Any) -> None:
    with db_api.single() as session:
        handle.require(statement(session, handle.holder, *args, **kwargs))


def _pause_of(error: Exception, attempt: int) -> float:
    after = getattr(error, 'after', None)
    return pause_after(attempt) if after is None else after
