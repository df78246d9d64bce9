# SPDX-License-Identifier: Apache-2.0
"""Keeps the node of an agent tidy.

What an agent that was killed has left half done goes at the start; stops
that it had begun are seen to their end. Layers and logs of containers that
are no more go, and where what is kept takes too much disk the oldest does.
"""

import pathlib
import threading
import time

from oslo_log import log as logging

from zun.common import context as zun_context
from zun.compute.operations import node
import zun.conf
from zun.container import driver as container_driver
from zun.container.runtime import base as runtime_base
from zun.container.runtime import kept
from zun.container.runtime import kills
from zun.container.runtime import saved_logs
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import tasks
from zun import objects

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

_MIB = 1 << 20
# A layer is stored as a blob and unpacked.
_COPIES = 2
# Seconds before a layer that nobody needs goes: whoever made it may be
# about to say what for.
_YOUNG = 60.0
_FIRST_RETRY = 1.0
_STOP_SECONDS = 5.0


def equip(runtime: runtime_base.Runtime) -> kills.PendingKills:
    """Give a runtime the memory that [agent] state_path holds."""
    folder = pathlib.Path(CONF.agent.state_path)
    pending = kills.PendingKills(folder / 'kills.json')
    runtime.kills = pending
    runtime.logs = saved_logs.SavedLogs(
        folder / 'logs', CONF.agent.kept_logs_size * _MIB)
    return pending


class NodeKeeper:
    """A part of the agent's process.

    :param driver: with the runtime of this node.
    :param host: name of the node.
    """

    def __init__(self, driver: container_driver.ContainerDriver, host: str):
        self._driver = driver
        self._runtime = driver.runtime
        self._host = host
        self._pending = equip(driver.runtime)
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._pending.run,
                             args=(self._runtime,), name='kills',
                             daemon=True),
            threading.Thread(target=self._run, name='keeper', daemon=True)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._pending.end()
        for thread in self._threads:
            thread.join(_STOP_SECONDS)

    def _run(self):
        pause = _FIRST_RETRY
        while not self._stopping.is_set():
            try:
                self._runtime.sweep()
                self.tidy()
                pause = _FIRST_RETRY
                wait = float(CONF.agent.tidy_interval)
            except Exception as exc:
                LOG.warning('Node %(host)s was not tidied, trying again: '
                            '%(error)s', {'host': self._host, 'error': exc})
                wait = min(pause, float(CONF.agent.tidy_interval))
                pause *= 2
            self._stopping.wait(wait)

    def tidy(self) -> None:
        """Remove what is not needed, once."""
        layers: dict[str, list[runtime_base.RuntimeImage]] = {}
        for image in self._runtime.list_images(kept.PREFIX):
            known = kept.parse(image.name)
            if known is not None and image.labels.get(
                    kept.DEPLOYMENT) == CONF.kubernetes.namespace_prefix:
                layers.setdefault(known[0], []).append(image)
        uuids = layers.keys() | set(self._runtime.logs.owners())
        if not uuids:
            return
        context = zun_context.make_admin_context(all_projects=True)
        rows = _rows(context, uuids)
        for uuid in uuids - rows.keys():
            LOG.info('Removing what is kept of container %s, which is no '
                     'more', uuid)
            for image in layers.pop(uuid, ()):
                self._runtime.remove_image(image.name)
            self._runtime.logs.drop(uuid)
        stopped = self._needed(context, rows, layers)
        self._bound(context, rows, stopped)

    def _needed(self, context, rows, layers):
        """Remove the layers nobody needs; those of stopped containers."""
        stopped = []
        for uuid, images in layers.items():
            in_use = self._driver.images_in_use(rows[uuid])
            if in_use is None:
                continue
            needed, is_stopped = in_use
            for image in images:
                if image.name in needed:
                    if is_stopped:
                        stopped.append(image)
                elif time.time() - image.created > _YOUNG and not _busy(
                        context, uuid):
                    LOG.info('Removing layer %s, which nobody needs',
                             image.name)
                    self._runtime.remove_image(image.name)
        return stopped

    def _bound(self, context, rows, stopped):
        limit = CONF.agent.kept_layers_size * _MIB
        taken = sum(image.added * _COPIES for image in stopped)
        for image in sorted(stopped, key=lambda image: image.created):
            if not limit or taken <= limit:
                return
            uuid = kept.parse(image.name)[0]
            if self._give_up(context, rows[uuid], image.name):
                taken -= image.added * _COPIES

    def _give_up(self, context, row, name):
        if _busy(context, row.uuid):
            return False
        note = self._driver.give_up_layer(row, name)
        if note is None:
            return False
        LOG.warning('Layer %(name)s is removed: the layers kept on this '
                    'node take more than %(limit)d MiB',
                    {'name': name, 'limit': CONF.agent.kept_layers_size})
        node.tell(context, row, note)
        self._runtime.remove_image(name)
        return True


def _rows(context, uuids):
    """By uuid: the rows of containers that are still there."""
    return {row.uuid: row for row in objects.Container.list(
        context, filters={'uuid': sorted(uuids)})}


def _busy(context, uuid):
    with db_api.reader(context) as session:
        return bool(tasks.busy_lanes(session, [uuid]))
