# SPDX-License-Identifier: Apache-2.0
"""What the tests of the task engine share."""

from collections.abc import Callable
import threading
import time
from typing import Any

import fixtures
from oslo_utils import uuidutils

from zun.common import context as zun_context
from zun.compute.tasks import queue
from zun.compute.tasks import reaper
from zun.compute.tasks import registry
from zun.compute.tasks import worker
from zun.db import api as db_api
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy import task_models
from zun.tests import base

# Seconds; far more than anything takes that works.
LIMIT = 60


def wait_for(condition: Callable[[], Any], what: str,
             limit: float = LIMIT) -> Any:
    """Wait until a condition holds; what it returned then."""
    deadline = time.monotonic() + limit
    pause = threading.Event()
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError('Waited %s s in vain for %s' % (limit, what))
        pause.wait(0.01)


class Clock:
    """A monotonic clock that stands still unless it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class TaskTestCase(base.TestCase):
    """A test with the tables of the task engine on SQLite."""

    def setUp(self) -> None:
        super().setUp()
        self.config(group='task', poke=False, poll_interval_min=0.005,
                    poll_interval_max=0.05, concurrency=4)
        db_api.configure('sqlite:///' + self.path('zun.sqlite'))
        self.addCleanup(db_api.configure)
        models.Base.metadata.create_all(db_api.get_engine())
        self.context = zun_context.RequestContext(
            user_id='user-1', project_id='project-1', roles=['member'],
            is_admin=False, overwrite=False)
        self.operations = registry.Registry()

    def enqueue(self, kind: str = 'noop', **arguments: Any) -> str:
        """Add a task; keywords of queue.enqueue begin with `_`."""
        options = {name[1:]: arguments.pop(name)
                   for name in list(arguments) if name.startswith('_')}
        return queue.enqueue(self.context, kind, arguments, **options)

    def row(self, uuid: str) -> Any:
        """A task's row."""
        table = task_models.task
        with db_api.reader(None) as session:
            return session.execute(
                table.select().where(table.c.uuid == uuid)).one()

    def change(self, uuid: str, **values: Any) -> None:
        """Change a task's row behind the engine's back."""
        table = task_models.task
        with db_api.writer(None) as session:
            session.execute(table.update().where(table.c.uuid == uuid)
                            .values(**values))

    def make_worker(self) -> worker.Worker:
        """A worker of this test's operations."""
        return worker.Worker(self.operations, 'node-1', 'zun-compute',
                             reaper.Watch())

    def start_worker(self) -> worker.Worker:
        """A worker of this test's operations, stopped at its end."""
        started = self.make_worker()
        started.start()
        self.addCleanup(started.stop, LIMIT)
        return started

    def wait_for_state(self, uuid: str, *states: str) -> Any:
        """Wait until a task is in one of the states; its row then."""
        def row():
            found = self.row(uuid)
            return found if found.state in states else None
        return wait_for(row, '%s of task %s' % (states, uuid))

    def new_uuid(self) -> str:
        return uuidutils.generate_uuid()


class Patch(fixtures.MonkeyPatch):
    """Gives a module's constant another value for one test."""

    def __init__(self, module: Any, name: str, value: Any) -> None:
        super().__init__('%s.%s' % (module.__name__, name), value)
