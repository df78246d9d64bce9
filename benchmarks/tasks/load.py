# SPDX-License-Identifier: Apache-2.0
"""The cases measured on one database."""

import statistics
import time
from typing import Any

from oslo_utils import uuidutils
import sqlalchemy as sa

from benchmarks.tasks import worker
from zun.common import context as zun_context
from zun.compute import api as compute_api
import zun.conf
from zun.db import api as db_api
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import workers as worker_rows
from zun.db.sqlalchemy import schema
from zun.db.sqlalchemy import task_models
from zun import objects

CONF = zun.conf.CONF
TASK = task_models.task
PROCESSES = 4

# Tasks a second while latencies are measured: the queue is never full.
PACE = 20


def quantiles(values: list[float]) -> tuple[float, float]:
    """Median and 99th percentile."""
    cuts = statistics.quantiles(values, n=100, method='inclusive')
    return cuts[49], cuts[98]


class Load:
    """A database with containers in it.

    :param urls: its URL, on each of a cluster's nodes
    """

    def __init__(self, urls: list[str], containers: int) -> None:
        self.urls = urls
        db_api.configure(urls[0])
        self.engine = db_api.get_engine()
        schema.create_all(self.engine)
        self._uuids = [uuidutils.generate_uuid() for _ in range(containers)]
        rows = [{'uuid': uuid, 'name': 'web', 'image': 'nginx',
                 'host': 'node-1', 'status': 'Stopped', 'container_type': 0,
                 'project_id': 'p', 'user_id': 'u', 'container_id': uuid[:32]}
                for uuid in self._uuids]
        with self.engine.begin() as connection:
            connection.execute(models.Container.__table__.insert(), rows)

    def enqueue(self, number: int, save: bool = False) -> tuple[str, float]:
        """Have a container started, or stopped, as the API does.

        :param save: choose the operation that writes its row once
        :returns: id of the request, and when it was made
        """
        context, container = self.container(number)
        sent = time.monotonic()
        api = compute_api.API(context)
        if save:
            api.container_stop(context, container, 10)
        else:
            api.container_start(context, container)
        return context.request_id, sent

    def container(self, number: int) -> tuple[Any, objects.Container]:
        """A request's context and its container, as the API has them."""
        context = zun_context.make_context(
            user_id='u', project_id='p', is_admin=False, overwrite=False)
        return context, objects.Container.get_by_uuid(
            context, self._uuids[number % len(self._uuids)])

    def clear(self) -> None:
        """Remove all tasks."""
        with self.engine.begin() as connection:
            connection.execute(TASK.delete())

    def fill_with_finished(self, number: int) -> None:
        """Add finished tasks, each row twice until there are enough."""
        for index in range(1000):
            self.enqueue(index)
        columns = [column for column in TASK.c if column.name != 'id']
        values = {'uuid': _half_random(self.engine.dialect.name),
                  'state': sa.literal('done'), 'lane': sa.null(),
                  'lane_seq': sa.null(), 'finished_at': TASK.c.created_at,
                  'owner': sa.literal(self._uuids[0])}
        copy = TASK.insert().from_select(
            columns, sa.select(*(values.get(column.name, column)
                                 for column in columns)).limit(100000))
        with self.engine.begin() as connection:
            while number > connection.execute(sa.select(
                    sa.func.count()).select_from(TASK)).scalar():
                connection.execute(copy)
            connection.execute(TASK.update().where(TASK.c.state != 'done')
                               .values(state='done', finished_at=1))
        self._analyze()

    def _analyze(self) -> None:
        statement = {'mysql': 'ANALYZE TABLE task',
                     'postgresql': 'VACUUM ANALYZE task',
                     'sqlite': 'ANALYZE'}[self.engine.dialect.name]
        engine = self.engine.execution_options(isolation_level='AUTOCOMMIT')
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)

    # -- Cases -------------------------------------------------------------

    def drain(self, number: int, save: bool = False) -> dict[str, Any]:
        """Queue tasks, then have them done: rates and costs."""
        began = time.monotonic()
        for index in range(number):
            self.enqueue(index, save)
        enqueued = time.monotonic() - began
        self._move('compute', 'held')
        workers = self._start()
        self._move('held', 'compute')
        self._wait_until_done(number)
        counts = workers.stop()['counts']
        with self.engine.connect() as connection:
            first, last = connection.execute(sa.select(
                sa.func.min(TASK.c.started_at), sa.func.max(
                    TASK.c.finished_at)).where(TASK.c.state == 'done',
                                               TASK.c.finished_at > 1)).one()
        return {'tasks': number, 'enqueued_per_s': number / enqueued,
                'tasks_per_s': number / ((last - first) / 1e6),
                'cpu_ms_per_task': 1e3 * counts['cpu'] / number,
                'statements_per_task': counts['statements'] / number,
                'conflicts_per_task': counts['errors'] / number,
                'lost_claims_percent': 100 * counts['lost'] / number}

    def latency(self, number: int, poke: bool) -> dict[str, Any]:
        """Queue tasks at an even pace: pick-up, and call to operation."""
        self.clear()
        CONF.set_override('poke', poke, 'task')
        workers = self._start()
        sent = {}
        due = time.monotonic()
        for index in range(number):
            due += 1 / PACE
            time.sleep(max(0, due - time.monotonic()))
            request_id, at = self.enqueue(index)
            sent[request_id] = at
        self._wait_until_done(number)
        began = workers.stop()['began']
        with self.engine.connect() as connection:
            waits = list(connection.execute(sa.select(
                TASK.c.started_at - TASK.c.created_at)).scalars())
        p50, p99 = quantiles([wait / 1e3 for wait in waits])
        end50, end99 = quantiles([(began[request_id] - at) * 1e3
                                  for request_id, at in sent.items()])
        return {'pick_up_p50_ms': p50, 'pick_up_p99_ms': p99,
                'end_to_end_p50_ms': end50, 'end_to_end_p99_ms': end99}

    def idle(self, seconds: float) -> dict[str, Any]:
        """Do nothing for a while: statements a second and worker."""
        self.clear()
        workers = self._start()
        # Until the pace of the looks has slowed down.
        time.sleep(10)
        workers.reset()
        began = time.monotonic()
        time.sleep(seconds)
        elapsed = time.monotonic() - began
        counts = workers.stop()['counts']
        return {'idle_containers': len(self._uuids),
                'idle_statements_per_s_and_worker':
                counts['statements'] / elapsed / PROCESSES}

    # -- Parts of cases ----------------------------------------------------

    def _start(self) -> worker.Workers:
        started = worker.Workers(self.urls, PROCESSES)
        while len(self._seen()) < PROCESSES:
            time.sleep(0.05)
        return started

    def _seen(self) -> list[worker_rows.Worker]:
        with db_api.reader(None) as session:
            return worker_rows.seen(session)

    def _move(self, source: str, target: str) -> None:
        with self.engine.begin() as connection:
            connection.execute(TASK.update().where(
                TASK.c.queue == source, TASK.c.state == 'ready')
                .values(queue=target))

    def _wait_until_done(self, number: int) -> None:
        left = sa.select(sa.func.count()).where(
            TASK.c.state.in_(('ready', 'running')))
        while True:
            with self.engine.connect() as connection:
                if not connection.execute(left).scalar():
                    return
            time.sleep(0.2)


def _half_random(dialect: str) -> sa.ColumnElement[str]:
    """A new uuid for each row, made by the server."""
    return {'mysql': sa.func.uuid(),
            'postgresql': sa.cast(sa.func.gen_random_uuid(), sa.String),
            'sqlite': sa.func.lower(sa.func.hex(sa.func.randomblob(16)))
            }[dialect]
