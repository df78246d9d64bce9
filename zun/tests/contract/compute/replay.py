# SPDX-License-Identifier: Apache-2.0
"""Seeds a case, runs its operation as a task and tells what differs."""

import datetime
import json
import pathlib
import tempfile
import threading

from zun.common import context as zun_context
from zun.common import keystone
from zun.common import quota
from zun.compute import manager
from zun.compute.operations import base
from zun.compute.operations import starts
from zun.compute.tasks import execution
from zun.compute.tasks import queue
from zun.compute.tasks import registry
import zun.conf
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks
from zun.db.sqlalchemy import task_models
from zun import objects
from zun.tests.contract.compute import cases
from zun.tests.contract.compute import engine
from zun.tests.contract.compute import peers as compute_peers
from zun.tests.contract.compute import rules
from zun.tests.contract import peers
from zun.tests.contract import placeholders
from zun.tests.contract import recordings
from zun.tests.contract import replay
from zun.tests.contract import rows
from zun.tests.contract import target

CONF = zun.conf.CONF
HOST = 'compute-1'
TASK = task_models.task
_OWNER = 'worker-1'
# Attempts after which something goes round in circles.
_MANY = 60

_USER = {'user_id': 'd4' * 16, 'project_id': 'a1' * 16, 'roles': ['member'],
         'request_id': 'req-aa000000-0000-4000-8000-000000000001'}
_OBJECTS = {'$container': objects.Container, '$capsule': objects.Capsule,
            '$image': objects.Image, '$network': objects.ZunNetwork,
            '$registry': objects.Registry}


class Clock:
    """A clock on which each look takes a second."""

    def __init__(self) -> None:
        self._now = 0.0

    def monotonic(self) -> float:
        """Seconds; later each time."""
        self._now += 1.0
        return self._now


class Unplayable(Exception):
    """The call has no counterpart here."""


class Replay:
    """A database, the peers and the compute side of one host.

    :param folder: the folder of the recordings.
    """

    def __init__(self, folder: pathlib.Path) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix='contract-')
        url = 'sqlite:///%s/zun.sqlite' % self._directory.name
        target.make_app(url, self._directory.name)
        self._overrides = replay.override({
            'task.poke': False, 'kubernetes.start_wait': 1})
        self._fixtures = cases.fixtures(folder)
        self._transport = peers.Transport()
        self._database = rows.Database(
            url, recordings.fixtures()['json_columns'])
        self._time, starts.time = starts.time, Clock()

    def close(self) -> None:
        """Put everything back."""
        starts.time = self._time
        for name, group in self._overrides:
            CONF.clear_override(name, group=group)
        self._transport.close()
        self._database.close()
        self._directory.cleanup()
        db_api.configure()

    def run(self, case: dict) -> list[tuple]:
        """Replay a case.

        :returns: differences: (path, recorded, seen).
        :raises Unplayable: see there.
        """
        want, got = rules.recorded(case), self.observe(case)
        return (replay.differences(want['rows'], got['rows'], 'rows', False) +
                replay.differences(want['peers'], got['peers'], 'peers',
                                   False))

    def observe(self, case: dict) -> dict:
        """Replay a case and return what happened, as it is compared."""
        clock = placeholders.Clock(_now())
        self._database.seed(case.get('seed', {}), clock)
        before = self._database.snapshot()
        spec = self._peers_spec(case.get('peers') or {})
        self._transport.peers = compute_peers.Peers(spec)
        keystone.reset()
        overrides = replay.override(case.get('config') or {})
        try:
            self._call(case)
        finally:
            for name, group in overrides:
                CONF.clear_override(name, group=group)
        clock.end = _now()
        normaliser = placeholders.Normaliser(
            json.dumps([case, spec]), clock)
        return rules.seen(
            normaliser.walk(rows.changes(before, self._database.snapshot())),
            normaliser.walk(self._transport.peers.calls), case)

    def _peers_spec(self, spec: dict) -> dict:
        merged = json.loads(json.dumps(self._fixtures['peers']['default']))
        for key, value in spec.items():
            if isinstance(value, dict):
                merged.setdefault(key, {}).update(value)
            else:
                merged[key] = value
        return merged

    def _call(self, case: dict) -> None:
        context = _context(case)
        compute = manager.Manager()
        driver = engine.Engine(case.get('engine') or {})
        compute.parts = base.Parts(driver, driver)
        kind, arguments = case['call'], _decode(case.get('args') or {})
        # As the API has done for every request that changes something.
        quota.QUOTAS.check(context, {}, _USER['project_id'])
        if kind in registry.KINDS:
            _run_task(compute, context, kind, arguments)
            return
        method = getattr(compute, kind, None)
        if method is None:
            raise Unplayable(kind)
        try:
            method(context, **arguments)
        except Exception:
            # The answer to the caller is the API's; here rows count.
            if not case.get('error'):
                raise


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)


def _context(case: dict) -> zun_context.RequestContext:
    who = case.get('as', 'user')
    if who == 'user':
        return zun_context.RequestContext(
            auth_token='user-token', is_admin=False, **_USER)
    if who == 'admin':
        return zun_context.RequestContext(
            auth_token='user-token', is_admin=True, **_USER)
    return zun_context.get_admin_context(all_projects=True)


def _decode(value):
    if isinstance(value, list):
        return [_decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and next(iter(value)) in _OBJECTS:
        name, uuid = next(iter(value.items()))
        everywhere = zun_context.get_admin_context(all_projects=True)
        return _OBJECTS[name].get_by_uuid(everywhere, uuid)
    if '$volmap' in value:
        return objects.VolumeMapping(None, **value['$volmap'])
    return {key: _decode(item) for key, item in value.items()}


def _run_task(compute: manager.Manager, context, kind: str,
              arguments: dict) -> None:
    """Add a task and run it to its end, attempt by attempt."""
    closing = threading.Event()
    closing.set()
    executor = execution.Executor(registry.from_manager(compute), closing)
    row = arguments.get('container') or arguments.get('capsule')
    uuid = queue.enqueue(context, kind, arguments, host=HOST,
                         lane=row.uuid if row else None)
    for __ in range(_MANY):
        with db_api.reader(None) as session:
            task = session.execute(
                TASK.select().where(TASK.c.uuid == uuid)).one()
        if task.state in task_models.FINISHED:
            return
        with db_api.writer(None) as session:
            claimed = tasks.claim(session, tasks.Candidate(
                task.id, task.uuid, task.epoch, task.lane, task.host),
                _OWNER)
        executor.run(claimed, lambda: True)
    raise AssertionError('%s does not end: %s' % (kind, task.error))
