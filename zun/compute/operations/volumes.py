# SPDX-License-Identifier: Apache-2.0
"""Volumes of a container: wait for them, attach, detach, delete."""

from oslo_log import log as logging

from zun.common import clients
from zun.common import exception
from zun.common.i18n import _
from zun.compute.operations import base
from zun.compute.tasks import errors as task_errors
import zun.conf
from zun.container import driver as container_driver
from zun.db import api as db_api
from zun import objects
from zun.volume import driver

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

# Seconds between two looks at a volume.
_INTERVAL = 1


def attach(context, requested: dict[str, list], host: str
           ) -> dict[str, list]:
    """Attach the volumes that containers want.

    :param requested: by uuid of the container: mappings, not yet saved.
    :returns: the same, saved.
    :raises Conflict: one is not available in time.
    """
    for uuid, volmaps in requested.items():
        for volmap in volmaps:
            _await(context, 'available', volmap, _(
                'Volumes did not reach available status after %s seconds'),
                CONF.volume.timeout_wait_volume_available)
    return {uuid: [_attach_one(context, uuid, volmap, host)
                   for volmap in volmaps]
            for uuid, volmaps in requested.items()}


def _attach_one(context, uuid, volmap, host):
    saved = _saved(context, uuid, volmap)
    driver.load_volume_driver(saved.volume_provider).attach(
        context, saved, host)
    return saved


def _saved(context, uuid, volmap):
    """The mapping's row, made unless an earlier attempt has made it."""
    for known in objects.VolumeMapping.list_by_container(context, uuid):
        if (known.volume_id == volmap.volume_id and
                known.container_path == volmap.container_path):
            return known
    made = objects.VolumeMapping(
        context, container_uuid=uuid, volume_id=volmap.volume_id,
        container_path=volmap.container_path,
        project_id=volmap.project_id, user_id=volmap.user_id)
    made.create(context)
    return made


def mounts(context, uuid: str) -> list[container_driver.Mount]:
    """How a container sees the volumes attached for it."""
    return [driver.load_volume_driver(volmap.volume_provider).mount(volmap)
            for volmap in objects.VolumeMapping.list_by_container(
                context, uuid)]


def detach(context, uuid: str, force: bool = False,
           wait: bool = True) -> None:
    """Detach a container's volumes and forget them.

    Volumes made for the container are deleted. One that other containers
    use stays attached.

    :param force: go on whatever the provider says.
    :param wait: until volumes are deleted.
    :raises Conflict: a volume was not deleted in time.
    """
    for volmap in objects.VolumeMapping.list_by_container(context, uuid):
        if objects.VolumeMapping.count(
                context, volume_id=volmap.volume_id) == 1:
            _release(context, volmap, force, wait)
        volmap.destroy(context)


def _release(context, volmap, force, wait):
    try:
        _give_back(context, volmap, wait)
    except task_errors.Retry:
        raise
    except (exception.ZunException, clients.PeerError) as exc:
        if not force or task_errors.is_transient(exc):
            raise
        LOG.warning('Volume %(volume)s was not given back: %(error)s',
                    {'volume': volmap.cinder_volume_id or
                     volmap.volume_id, 'error': exc})


def _give_back(context, volmap, wait):
    provider = driver.load_volume_driver(volmap.volume_provider)
    provider.detach(context, volmap)
    if volmap.auto_remove:
        provider.delete(context, volmap)
        if wait:
            _await(context, 'deleted', volmap, _(
                'Volumes cannot be successfully deleted after %s seconds'),
                CONF.volume.timeout_wait_volume_deleted)


def give_up(context, container) -> None:
    """Detach what a container in Error held; errors are only logged."""
    try:
        detach(context, container.uuid, force=True, wait=False)
    except (exception.ZunException, clients.PeerError) as exc:
        LOG.warning('Volumes of container %(uuid)s were not given back: '
                    '%(error)s', {'uuid': container.uuid, 'error': exc})


def drop_requested(context, requested: dict[str, list]) -> None:
    """Remove the volumes of a create that failed.

    Their rows are there since the request, their mappings may not be.
    """
    for volmaps in requested.values():
        for volmap in volmaps:
            if objects.VolumeMapping.count(context,
                                           volume_id=volmap.volume_id):
                continue
            try:
                volume = objects.Volume.get_by_id(context,
                                                  volmap.volume_id)
                if volmap.auto_remove:
                    driver.load_volume_driver(
                        volmap.volume_provider).delete(context, volmap)
                with db_api.writer(context):
                    volume.destroy(context)
            except (exception.ZunException, clients.PeerError) as exc:
                LOG.warning('Volume %(id)s was not given back: %(error)s',
                            {'id': volmap.volume_id, 'error': exc})


def _await(context, state, volmap, text, limit):
    """Wait for a state of a volume, between attempts of the task.

    :param state: ``available`` or ``deleted``, a method of its driver.
    """
    journal = base.journal(context)
    provider = driver.load_volume_driver(volmap.volume_provider)
    seen = getattr(provider, state)(context, volmap)
    if seen.done:
        return
    name = 'volume_%s_%s' % (state, volmap.volume_id)
    waited = journal.step_get(name, 0)
    if seen.hopeless or waited >= limit:
        raise exception.Conflict(text % limit)
    journal.step_put(name, waited + _INTERVAL)
    raise task_errors.Retry(
        _('volume %(id)s is not %(state)s yet')
        % {'id': volmap.cinder_volume_id, 'state': state}, after=_INTERVAL)
