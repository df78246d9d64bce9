# SPDX-License-Identifier: Apache-2.0
"""From the death of a worker to the next claim of its task."""

import json
import multiprocessing
import os
import random
import signal
import threading
import time
from typing import Any

import sqlalchemy as sa

from benchmarks.tasks import load
from zun.compute.tasks import registry
from zun.compute.tasks import service
import zun.conf
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy import task_models

CONF = zun.conf.CONF
TASK = task_models.task
_FORK = multiprocessing.get_context('fork')

VICTIMS, SURVIVORS = 10, 2

# Seconds within which the victims of a round die.
SPREAD = 5.0


def _operation(context: Any, container: Any) -> None:
    """Hang at the first attempt, end at once at the next."""
    if context.task.attempt == 1:
        context.task.step_put('pid', os.getpid())
        threading.Event().wait()


def _run(url: str, leads: bool, concurrency: int) -> None:
    CONF.set_override('concurrency', concurrency, 'task')
    db_api.configure(url)
    operations = registry.Registry()
    operations.add('container_start', _operation)
    service.TaskService(operations, 'node', 'zun-compute',
                        lambda: leads).start()
    threading.Event().wait()


def _start(url: str, leads: bool, concurrency: int) -> Any:
    process = _FORK.Process(target=_run, args=(url, leads, concurrency),
                            daemon=True)
    process.start()
    return process


def measure(loaded: load.Load, kills: int) -> dict[str, Any]:
    """Kill workers that are at work, some of them the leader.

    :returns: seconds from SIGKILL to the next claim
    """
    waits: list[float] = []
    rounds = max(1, kills // VICTIMS)
    for number in range(rounds):
        # In every other round the leader dies, and nobody follows it.
        waits += _round(loaded, leader_dies=bool(number % 2))
    p50, _ = load.quantiles(waits)
    return {'kills': len(waits), 'takeover_p50_s': p50,
            'takeover_max_s': max(waits)}


def _round(loaded: load.Load, leader_dies: bool) -> list[float]:
    loaded.clear()
    url = loaded.urls[0]
    for index in range(VICTIMS):
        loaded.enqueue(index)
    db_api.dispose()
    victims = [_start(url, leader_dies and not index, 1)
               for index in range(VICTIMS)]
    _wait_for(loaded, TASK.c.step.is_not(None), VICTIMS)
    db_api.dispose()
    survivors = [_start(url, not leader_dies and not index, VICTIMS)
                 for index in range(SURVIVORS)]
    # Until they have seen the others.
    time.sleep(5)
    died = _kill(loaded, victims)
    _wait_for(loaded, TASK.c.state == 'done', VICTIMS)
    for process in survivors:
        process.kill()
        process.join()
    with loaded.engine.connect() as connection:
        rows = connection.execute(sa.select(TASK.c.step,
                                            TASK.c.started_at)).all()
    return [(row.started_at - died[json.loads(row.step)['pid']]) /
            tasks.MICROS for row in rows]


def _kill(loaded: load.Load, victims: list[Any]) -> dict[int, int]:
    """Kill processes one by one; when each died, by its pid."""
    died = {}
    for process in random.sample(victims, len(victims)):  # nosec
        time.sleep(random.uniform(0, 2 * SPREAD / VICTIMS))  # nosec
        with loaded.engine.connect() as connection:
            at = connection.execute(sa.select(tasks.now())).scalar()
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        died[process.pid] = at
    return died


def _wait_for(loaded: load.Load, condition: Any, number: int) -> None:
    count = sa.select(sa.func.count()).where(condition)
    while True:
        with loaded.engine.connect() as connection:
            if connection.execute(count).scalar() >= number:
                return
        time.sleep(0.05)
