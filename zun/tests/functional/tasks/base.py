# SPDX-License-Identifier: Apache-2.0
"""A database server, a table that shows effects, and worker processes."""

from collections.abc import Callable
import multiprocessing
import os
import signal
import threading
import time
from typing import Any

from oslo_utils import uuidutils
import sqlalchemy as sa

from zun.common import context as zun_context
from zun.compute.tasks import queue
from zun.compute.tasks import registry
from zun.compute.tasks import service
import zun.conf
from zun.db import api as db_api
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy.queries import workers
from zun.db.sqlalchemy import task_models
from zun.tests import base
from zun.tests import databases
from zun.tests import galera
from zun.tests.unit.compute.tasks import base as task_base

CONF = zun.conf.CONF
TASK = task_models.task
LIMIT = task_base.LIMIT
wait_for = task_base.wait_for

# What operations have done, one row an effect; and what they wait for.
effect = sa.Table(
    'effect', sa.MetaData(),
    sa.Column('id', sa.Integer, primary_key=True),
    sa.Column('task', sa.String(36)),
    sa.Column('epoch', sa.Integer),
    sa.Column('pid', sa.Integer),
    sa.Column('note', sa.String(36)))

TABLES = [task_models.task, task_models.worker]


# -- Operations ------------------------------------------------------------

def note(context: Any, text: str) -> None:
    """Write an effect, as an operation of the service writes its rows."""
    with db_api.writer(context) as session:
        session.execute(effect.insert().values(
            task=context.task.uuid, epoch=context.task.epoch,
            pid=os.getpid(), note=text))


def note_once(context: Any) -> None:
    """Write an effect unless it is there, as steps of operations do."""
    with db_api.writer(context) as session:
        known = session.execute(sa.select(effect.c.id).where(
            effect.c.task == context.task.uuid)).first()
        if known is None:
            note(context, 'done')


def hold(context: Any) -> None:
    """Begin, wait until the test says go, end."""
    note(context, 'began')
    go = sa.select(effect.c.id).where(effect.c.note == 'go')
    pause = threading.Event()
    while True:
        with db_api.reader(None) as session:
            if session.execute(go).first():
                break
        pause.wait(0.02)
    note(context, 'ended')


def operations() -> registry.Registry:
    """What the worker processes can run."""
    made = registry.Registry()
    made.add('noop', lambda context: None)
    made.add('note', lambda context: note(context, 'done'))
    made.add('note_once', note_once)
    made.add('hold', hold)
    made.add('container_create', lambda context: note(context, 'done'))
    return made


# -- Processes -------------------------------------------------------------

def run_worker(url: str, name: str) -> None:
    """The main function of a worker process."""
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, frame: ended.set())
    db_api.configure(url)
    part = service.TaskService(operations(), name, 'zun-compute',
                               lambda: True)
    part.start()
    wait_for_the_end(ended)
    part.stop()
    # Not through the clean-up of the test that this is a fork of.
    os._exit(0)


def wait_for_the_end(ended: threading.Event) -> None:
    """Wait until a process is asked to end, or its test has died."""
    parent = os.getppid()
    while not ended.wait(1):
        if os.getppid() != parent:
            os._exit(1)


class Process:
    """A worker in a process of its own."""

    def __init__(self, main: Callable[..., None], *arguments: Any) -> None:
        self._process = multiprocessing.get_context('fork').Process(
            target=main, args=arguments, daemon=True)
        self._process.start()
        self.pid: int = self._process.pid

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def wait(self) -> int:
        """Its exit status, once it has ended."""
        self._process.join(LIMIT)
        return self._process.exitcode

    def end(self) -> None:
        """End it, whatever its state."""
        if self._process.is_alive():
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGKILL)
            self._process.join()


# -- Test case -------------------------------------------------------------

class DatabaseTestCase(base.TestCase):
    """A test on a server of one kind; subclasses name it.

    :cvar server: 'mariadb', 'postgresql', 'galera', None for SQLite
    """

    server: str | None = None

    def setUp(self) -> None:
        super().setUp()
        self.config(group='task', poke=False, poll_interval_min=0.005,
                    poll_interval_max=0.1, concurrency=4, worker_timeout=2)
        self.config(group='database', max_pool_size=40)
        self.urls = self._create_database()
        db_api.configure(self.urls[0])
        self.addCleanup(db_api.configure)
        engine = db_api.get_engine()
        models.Base.metadata.create_all(engine, tables=TABLES)
        effect.create(engine)
        self.context = zun_context.RequestContext(
            user_id='user-1', project_id='project-1', is_admin=False,
            overwrite=False)

    def _create_database(self) -> list[str]:
        if self.server is None:
            return ['sqlite:///' + self.path('zun.sqlite')]
        server = databases.get(self.server)
        url = server.create_database()
        self.addCleanup(server.drop_database, url)
        if isinstance(server, galera.Galera):
            return server.urls(url)
        return [url]

    def start_process(self, number: int = 0) -> Process:
        """A worker process, on one of the cluster's nodes by its number."""
        return self.fork(run_worker, self.urls[number % len(self.urls)],
                         'node-%d' % number)

    def fork(self, main: Callable[..., None], *arguments: Any) -> Process:
        """A process that is ended with the test."""
        # It must not share connections.
        db_api.dispose()
        process = Process(main, *arguments)
        self.addCleanup(process.end)
        return process

    def enqueue(self, kind: str = 'noop', **options: Any) -> str:
        return queue.enqueue(self.context, kind, {}, **options)

    def rows(self, *conditions: Any) -> list[Any]:
        """Tasks in the order in which they were added."""
        with db_api.reader(None) as session:
            return session.execute(TASK.select().where(*conditions)
                                   .order_by(TASK.c.id)).all()

    def row(self, uuid: str) -> Any:
        return self.rows(TASK.c.uuid == uuid)[0]

    def effects(self, text: str | None = None) -> list[Any]:
        """What was done, in the order in which it was done."""
        statement = effect.select().order_by(effect.c.id)
        if text is not None:
            statement = statement.where(effect.c.note == text)
        with db_api.reader(None) as session:
            return session.execute(statement).all()

    def say_go(self) -> None:
        """Let operations that hold go on."""
        with db_api.writer(None) as session:
            session.execute(effect.insert().values(note='go'))

    def workers(self) -> list[workers.Worker]:
        with db_api.reader(None) as session:
            return workers.seen(session)

    def candidates(self, places: int = 10) -> list[tasks.Candidate]:
        with db_api.reader(None) as session:
            return tasks.candidates(session, 'compute', 24, places)

    def claim(self, owner: str = 'worker-1',
              candidate: tasks.Candidate | None = None) -> Any:
        """Claim the first candidate, or a given one; its row or None."""
        if candidate is None:
            candidate = self.candidates()[0]
        with db_api.writer(None) as session:
            return tasks.claim(session, candidate, owner)

    def holder(self, row: Any) -> tasks.Holder:
        return tasks.Holder(row.id, row.epoch, row.owner)

    def register(self, uuid: str | None = None,
                 queue: str = 'compute') -> str:
        uuid = uuid or uuidutils.generate_uuid()
        with db_api.writer(None) as session:
            workers.register(session, uuid, 'node-1', 'zun-compute', queue)
        return uuid

    def together(self, number: int, function: Any) -> list[Any]:
        """Run a function in threads that begin at once; the results."""
        barrier = threading.Barrier(number)
        results: list[Any] = [None] * number
        errors: list[BaseException] = []

        def run(index: int) -> None:
            try:
                barrier.wait(LIMIT)
                results[index] = function(index)
            except BaseException as error:
                errors.append(error)
        threads = [threading.Thread(target=run, args=(index,), daemon=True)
                   for index in range(number)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + LIMIT
        for thread in threads:
            thread.join(max(deadline - time.monotonic(), 0))
            self.assertFalse(thread.is_alive(), 'a thread hangs')
        if errors:
            raise errors[0]
        return results
