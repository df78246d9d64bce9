# SPDX-License-Identifier: Apache-2.0
"""The volumes that a create request asks for.

A mount is ``{"type": "volume" | "bind", "source", "size", "destination"}``.
A source names a Cinder volume, or is the contents (base64) of a file for
``bind``; a size makes a new Cinder volume that goes with the container.

Cinder is asked first (:func:`resolve_mounts`) and the rows are written later
(:func:`create_mappings`), so that no transaction waits for a peer;
:func:`discard` takes back what was made if the rows are not written after
all.
"""

import typing

from oslo_log import log as logging

from zun.common import exception
from zun.common.i18n import _
from zun import objects
from zun.volume import cinder_api

LOG = logging.getLogger(__name__)

CINDER = 'cinder'
LOCAL = 'local'


class ResolvedMount(typing.NamedTuple):
    """A mount whose data is known.

    ``fields``: those of the volume row (``volume_provider``,
    ``auto_remove`` and ``cinder_volume_id`` or ``contents``); ``made``: the
    Cinder volume was made for this request.
    """
    path: str
    fields: dict
    made: bool


def resolve_mounts(context, mounts) -> list[ResolvedMount]:
    """Look up or make the volumes of a container's ``mounts``.

    When one mount fails, the volumes made for those before it are deleted.

    :raises VolumeNotFound, VolumeNotUsable, VolumeInUse, Conflict,
        VolumeCreateFailed, InvalidValue: the request cannot be met.
    """
    cinder = cinder_api.CinderAPI(context)
    made: list[str] = []
    try:
        return [ResolvedMount(mount['destination'],
                              *_source(cinder, mount, made))
                for mount in mounts or ()]
    except Exception:
        _delete_all(cinder, made)
        raise


def create_mappings(context, mounts: list[ResolvedMount]
                    ) -> 'list[objects.VolumeMapping]':
    """Write a ``volume`` row for each mount.

    :returns: unsaved mappings in the order of the mounts; the compute side
        saves them.
    """
    return [_mapping(context, mount) for mount in mounts]


def discard(context, mounts: list[ResolvedMount]) -> None:
    """Delete the Cinder volumes that were made for these mounts."""
    _delete_all(cinder_api.CinderAPI(context),
                [mount.fields['cinder_volume_id'] for mount in mounts
                 if mount.made])


def _source(cinder, mount: dict, made: list) -> tuple[dict, bool]:
    """The volume fields of a mount and whether a volume was made for it;
    its id is added to ``made`` at once.
    """
    kind = mount.get('type', 'volume')
    if kind == 'bind':
        return {'contents': mount.get('source', ''),
                'volume_provider': LOCAL, 'auto_remove': False}, False
    if kind != 'volume':
        raise exception.InvalidValue(_(
            "Mount type '%s' is not supported; use 'volume' or 'bind'.")
            % kind)
    if mount.get('source'):
        volume, own = cinder.search_volume(mount['source']), False
    elif mount.get('size'):
        made.append(cinder.create_volume(mount['size'])['id'])
        volume, own = cinder.get(made[-1]), True
    else:
        raise exception.InvalidValue(_(
            "A mount needs a 'source' that is not empty or a 'size' greater "
            "than 0."))
    cinder.ensure_volume_usable(volume)
    return {'cinder_volume_id': volume['id'], 'volume_provider': CINDER,
            'auto_remove': own}, own


def _mapping(context, mount: ResolvedMount):
    fields = dict(mount.fields, user_id=context.user_id,
                  project_id=context.project_id)
    volume = objects.Volume(context, **fields)
    volume.create(context)
    return objects.VolumeMapping(
        context, volume_id=volume.id, container_path=mount.path, **fields)


def _delete_all(cinder, volume_ids: list[str]) -> None:
    for volume_id in volume_ids:
        try:
            cinder.delete_volume(volume_id)
        except Exception as exc:
            # The error that brought us here is the one to report.
            LOG.warning('Volume %(id)s was made for a request that failed '
                        'and cannot be deleted: %(error)s',
                        {'id': volume_id, 'error': exc})
