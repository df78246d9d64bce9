# SPDX-License-Identifier: Apache-2.0
"""A worker's registration and its signs of life."""

from collections.abc import Callable
import threading
import time

from oslo_log import log as logging
from oslo_utils import uuidutils

from zun.common import utils
from zun.compute.tasks import errors
import zun.conf
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy.queries import workers

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)

# Signs of life within [task] worker_timeout
BEATS_PER_TIMEOUT = 3

# Seconds until the next try after the database did not answer
ERROR_PAUSE = 1.0


class Lease:
    """The right of a process to hold tasks, kept up by its own thread.

    It is good for worker_timeout after the last sign of life *was begun to
    be written*, by this machine's monotonic clock.  Whoever would take the
    tasks waits as long after it *saw* that sign, by its own clock: always
    later, whatever the clocks show.

    :param clock: monotonic seconds
    """

    def __init__(self, host: str, binary: str, queue: str,
                 clock: Callable[[], float] = time.monotonic) -> None:
        self.host = host
        self.binary = binary
        self.queue = queue
        self.uuid = ''
        self._address: str | None = None
        self._timeout = CONF.task.worker_timeout
        self._clock = clock
        self._good_since = float('-inf')
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name='beat',
                                        daemon=True)

    def start(self, address: str | None = None) -> None:
        """Register and begin to show signs of life.

        :param address: where this worker hears of new work
        """
        self._address = address
        self.register()
        self._thread.start()

    def register(self) -> None:
        """Become a new worker; what the old one held stays the old one's."""
        uuid = uuidutils.generate_uuid()
        now = self._clock()
        self._register(uuid)
        self.uuid, self._good_since = uuid, now

    @db_api.retry_on_conflict
    def _register(self, uuid: str) -> None:
        with db_api.writer(None) as session:
            workers.register(session, uuid, self.host, self.binary,
                             self.queue, self._address)

    def held_by(self, uuid: str) -> bool:
        """Whether the worker ``uuid`` is this one, surely not given up."""
        return (uuid == self.uuid and
                self._clock() - self._good_since < self._timeout)

    def held(self) -> bool:
        """Whether this worker is surely not given up by others."""
        return self.held_by(self.uuid)

    def beat(self) -> None:
        """Show a sign of life; start anew if it comes too late."""
        now = self._clock()
        if self._beat():
            self._good_since = now
            return
        LOG.warning('Worker %s was given up for dead; its tasks are with '
                    'others now. It goes on as a new one.', self.uuid)
        self.register()

    @db_api.retry_on_conflict
    def _beat(self) -> bool:
        with db_api.single() as session:
            return workers.beat(session, self.uuid)

    def _run(self) -> None:
        pause = self._timeout / BEATS_PER_TIMEOUT
        while not self._stopping.wait(pause):
            pause = self._timeout / BEATS_PER_TIMEOUT
            try:
                self.beat()
            except errors.DB_ERRORS as error:
                LOG.warning('No sign of life could be written: %s',
                            utils.one_line(error))
                pause = min(pause, ERROR_PAUSE)
            except Exception:
                LOG.exception('No sign of life could be written.')
                pause = min(pause, ERROR_PAUSE)

    def stop(self) -> None:
        """Stop showing signs of life; give up what is still held."""
        self._stopping.set()
        self._thread.join()
        try:
            self._release()
        except errors.DB_ERRORS as error:
            LOG.warning('Worker %(worker)s could not sign off, others will '
                        'find out: %(error)s',
                        {'worker': self.uuid,
                         'error': utils.one_line(error)})

    @db_api.retry_on_conflict
    def _release(self) -> None:
        with db_api.writer(None) as session:
            workers.remove(session, self.uuid)
            left = tasks.take_from(session, self.uuid)
        for task in left:
            LOG.warning('Task %(task)s (%(kind)s) was not done in time and '
                        'is left to others.',
                        {'task': task.uuid, 'kind': task.kind})
