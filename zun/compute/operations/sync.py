# SPDX-License-Identifier: Apache-2.0
"""Rows follow the engine.

Runs in the process that holds the Lease. Changes come pushed; each minute
everything is compared once more, which also finds what nobody tells of:
texts that grow old, containers without a Pod, Pods without a container.

Nothing is overwritten while a task works on a container or waits to: such
a container is looked at again a moment later.
"""

import threading
import time

from oslo_log import log as logging
from oslo_utils import timeutils

from zun.common import clients
from zun.common import consts
from zun.common import context as zun_context
from zun.common import exception
from zun.common.i18n import _
from zun.common.k8s import errors as k8s_errors
from zun.compute.operations import base
from zun.compute.operations import create
from zun.compute.operations import leftovers
from zun.compute.operations import node
from zun.compute.operations import policy
from zun.compute.operations import restarts
from zun.compute.tasks import errors as task_errors
import zun.conf
from zun.container import driver as container_driver
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks
from zun import objects

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

# Containers looked at in one go, and seconds between looks at a busy one.
BATCH = 200
BUSY_SECONDS = 0.5
_WAIT_SECONDS = 1.0
_ERROR_PAUSE = 2.0
_STOP_SECONDS = 10.0

# Rows that the engine has nothing to say about.
_NOT_SYNCED = (consts.CREATING, consts.DELETING, consts.DELETED)
# A container in one of these was meant to run.
_MEANT_TO_RUN = (consts.RUNNING, consts.PAUSED, consts.RESTARTING,
                 consts.UNKNOWN)
_ACTIVE_POLICIES = ('always', 'unless-stopped', 'on-failure')


class StateSync:
    """What the holder of the Lease does; see :mod:`zun.cmd.compute`."""

    def __init__(self, parts: base.Parts | None = None):
        self._parts = parts or base.Parts()
        self._stopping = threading.Event()
        self._observer: container_driver.Observer | None = None
        self._leftovers = leftovers.Comparison()
        self._threads = [
            threading.Thread(target=self._follow, name='sync', daemon=True),
            threading.Thread(target=self._reconcile, name='reconcile',
                             daemon=True)]

    def start(self) -> None:
        self._observer = self._parts.driver.observer()
        self._observer.start()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._observer is not None:
            self._observer.stop()
        for thread in self._threads:
            thread.join(_STOP_SECONDS)

    def _follow(self):
        while not self._stopping.is_set():
            uuids = self._observer.changed(BATCH, _WAIT_SECONDS)
            if not uuids:
                continue
            try:
                busy = sync(self._observer, uuids)
            except task_errors.DB_ERRORS:
                LOG.exception('Rows could not be brought up to date; '
                              'trying again')
                self._observer.look_again(uuids, _ERROR_PAUSE)
                self._stopping.wait(_ERROR_PAUSE)
                continue
            if busy:
                self._observer.look_again(busy, BUSY_SECONDS)

    def _reconcile(self):
        pause = CONF.sync_container_state_interval
        while not self._stopping.wait(pause):
            try:
                reconcile(self._parts, self._observer)
                self._leftovers.compare(_admin())
            except clients.PeerError as exc:
                LOG.warning('Ports and allocations were not compared with '
                            'the containers: %s', exc)
            except Exception:
                LOG.exception('The comparison with the engine failed; the '
                              'next one follows in %s seconds', pause)


def sync(observer: container_driver.Observer, uuids: list[str]) -> set[str]:
    """Bring the rows of some containers up to date.

    :returns: those that are being worked on.
    """
    context = _admin()
    busy = _busy(context, uuids)
    for cls, sync_one in ((objects.Container, sync_container),
                          (objects.Capsule, sync_capsule)):
        for row in cls.list(context, filters={'uuid': uuids}):
            if row.uuid in busy:
                continue
            try:
                if not _one(context, observer, cls, row.uuid, sync_one):
                    busy.add(row.uuid)
            except task_errors.DB_ERRORS:
                raise
            except Exception:
                # The others must not wait for it; the next change or
                # comparison looks at it again.
                LOG.exception('The row of %s could not be brought up to '
                              'date', row.uuid)
    return busy


@db_api.retry_on_conflict
def _one(context, observer, cls, uuid, sync_one):
    """Bring one row up to date, in a transaction of its own.

    :returns: False when somebody works on it.
    """
    with db_api.writer(context):
        if _busy(context, [uuid]):
            return False
        try:
            row = cls.get_by_uuid(context, uuid)
        except exception.HTTPNotFound:
            return True
        if row.container_id and row.status not in _NOT_SYNCED:
            sync_one(context, observer, row)
    return True


def _busy(context, uuids) -> set[str]:
    with db_api.reader(context) as session:
        return tasks.busy_lanes(session, uuids)


def _admin():
    return zun_context.make_admin_context(all_projects=True)


def sync_container(context, observer: container_driver.Observer,
                   container) -> None:
    """What a container's row has to say, and what has to be done."""
    now = timeutils.utcnow()
    seen = observer.look(container, now)
    if container.task_state is not None:
        return
    if not seen.present:
        _vanished(context, container, seen)
    elif seen.ended and container.status in _MEANT_TO_RUN:
        _ended(context, container, seen)
    elif (seen.unhealthy and container.auto_heal and
          container.status == consts.RUNNING):
        _again(context, container, restarts.Memory(),
               _('The healthcheck of the container failed'))
    else:
        _save(context, container, seen.values)
        _keep(context, container, seen)


def _keep(context, container, seen):
    """Have kept what a container has written that stays as it ended."""
    if seen.ended and not seen.kept and node.has_agent(
            context, container.host):
        policy.keep(container)


def _ended(context, container, seen):
    after = restarts.decide(container.restart_policy, seen.exit_code,
                            seen.ran, restarts.load(seen.restarts))
    if after is not None:
        _again(context, container, after, seen.note)
    elif container.auto_remove:
        _save(context, container, {'status': consts.DELETED,
                                   'status_detail':
                                   seen.values['status_detail']})
        policy.remove(container)
    else:
        _save(context, container, seen.values)
        _keep(context, container, seen)


def _vanished(context, container, seen):
    """The engine has the container no more."""
    heals = container.auto_heal or (
        container.restart_policy or {}).get('Name') in _ACTIVE_POLICIES
    if container.auto_remove:
        _save(context, container, {'status': consts.DELETED})
        policy.remove(container)
    elif heals and container.status in _MEANT_TO_RUN:
        _again(context, container, restarts.load(seen.restarts), seen.note)
    elif seen.note and container.status in _MEANT_TO_RUN:
        _save(context, container, {'status': consts.STOPPED,
                                   'status_reason': seen.note})
    else:
        _save(context, container, {
            'status': consts.ERROR,
            'status_reason': _('No such container: %s in docker')
            % container.container_id})


def _again(context, container, memory, note):
    _save(context, container, {
        'status': consts.RESTARTING, 'status_detail': 'Restarting',
        **({'status_reason': note} if note else {})})
    policy.schedule(container, memory)


def _save(context, row, values):
    for name, value in values.items():
        if getattr(row, name) != value:
            setattr(row, name, value)
    row.save(context)


def sync_capsule(context, observer: container_driver.Observer,
                 capsule) -> None:
    """The rows of a capsule and its containers."""
    if capsule.task_state is not None:
        return
    values = observer.look_into(capsule, timeutils.utcnow())
    if values is None:
        _save(context, capsule, {
            'status': consts.ERROR,
            'status_reason': _('No such container: %s in docker')
            % capsule.container_id})
        return
    for row in [*(capsule.init_containers or ()),
                *(capsule.containers or ()), capsule]:
        _save(context, row, values[row.uuid])


def reconcile(parts: base.Parts, observer: container_driver.Observer
              ) -> None:
    """Compare everything once."""
    begun = time.monotonic()
    context = _admin()
    rows = {row['uuid']: row for row in db_api.list_containers(
        context, consts.TYPE_ANY,
        columns=('uuid', 'container_id', 'capsule_id', 'status'))}
    on_engine = observer.known()
    observer.look_at_all()
    observer.look_again([
        uuid for uuid, row in rows.items()
        if uuid not in on_engine and row['container_id'] and
        not row['capsule_id'] and row['status'] not in _NOT_SYNCED and
        row['status'] != consts.ERROR], 0)
    _remove_unknown(context, observer, on_engine - rows.keys())
    for project in observer.projects():
        parts.driver.tidy(
            context, project,
            lambda project=project: create.is_empty(context, project))
    LOG.debug('Compared %(rows)d rows with %(pods)d containers of the '
              'engine in %(seconds).2f seconds',
              {'rows': len(rows), 'pods': len(on_engine),
               'seconds': time.monotonic() - begun})


def _remove_unknown(context, observer, uuids):
    """Containers without a row: their delete has left them.

    A row that was made meanwhile, and one whose delete still works, count.
    """
    if not uuids:
        return
    again = {row['uuid'] for row in db_api.list_containers(
        context, consts.TYPE_ANY, filters={'uuid': list(uuids)},
        columns=('uuid',))}
    left = uuids - again - _busy(context, list(uuids))
    try:
        observer.remove_unknown(left)
    except k8s_errors.KubernetesError as exc:
        LOG.warning('Some Pods without a container were not removed: %s',
                    exc)
