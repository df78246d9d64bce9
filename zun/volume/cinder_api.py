# SPDX-License-Identifier: Apache-2.0
"""Cinder as the container service uses it, with the caller's token."""

from oslo_utils import uuidutils

from zun.common import clients
from zun.common import exception
from zun.common.i18n import _

OWNER = 'os-vol-tenant-attr:tenant_id'


class CinderAPI:
    """The calls to Cinder that one context makes."""

    def __init__(self, context, openstack_clients=None):
        self.context = context
        self._clients = openstack_clients or clients.OpenStackClients(context)

    @property
    def _cinder(self) -> clients.Client:
        return self._clients.cinder()

    # -- look-ups ------------------------------------------------------
    def get(self, volume_id: str) -> dict:
        """The volume with this id.

        :raises VolumeNotFound: 404.
        """
        try:
            return self._cinder.get('/volumes/%s' % volume_id).json()[
                'volume']
        except clients.PeerRefused as exc:
            if exc.status == 404:
                raise exception.VolumeNotFound(volume=volume_id) from exc
            raise

    def search_volume(self, name_or_id: str) -> dict:
        """The volume with this name or id.

        :raises VolumeNotFound: none (404). :raises Conflict: several.
        """
        if uuidutils.is_uuid_like(name_or_id):
            return self.get(name_or_id)
        found = self._volumes_named(name_or_id)
        if not found:
            raise exception.VolumeNotFound(volume=name_or_id)
        if len(found) > 1:
            raise exception.Conflict(_(
                'Multiple cinder volumes exist with same name. '
                'Please use the uuid instead.'))
        return found[0]

    def _volumes_named(self, name: str) -> list[dict]:
        try:
            return self._cinder.get('/volumes/detail', params=[
                ('all_tenants', '1'), ('name', name)]).json()['volumes']
        except clients.PeerRefused as exc:
            if exc.status == 404:
                return []
            raise

    def ensure_volume_usable(self, volume: dict) -> None:
        """Refuse a volume of another project or one that is attached and
        cannot be attached twice.

        :raises VolumeNotUsable, VolumeInUse: 400.
        """
        # Only administrators are told the owner.
        if volume.get(OWNER, self.context.project_id) != \
                self.context.project_id:
            raise exception.VolumeNotUsable(volume=volume['id'])
        if volume.get('attachments') and not volume.get('multiattach'):
            raise exception.VolumeInUse(volume=volume['id'])

    # -- life ----------------------------------------------------------
    def create_volume(self, size) -> dict:
        """Make a volume.

        :param size: in GiB, passed on as it came.
        :raises VolumeCreateFailed: Cinder answered with an error (400).
        :raises PeerUnavailable: Cinder did not answer.
        """
        wanted = dict.fromkeys((
            'availability_zone', 'backup_id', 'consistencygroup_id',
            'description', 'imageRef', 'name', 'snapshot_id',
            'source_volid', 'volume_type'))
        wanted.update(metadata={}, size=size)
        try:
            return self._cinder.post('/volumes', json={
                'volume': wanted}).json()['volume']
        except clients.PeerError as exc:
            if exc.status is None:
                raise
            raise exception.VolumeCreateFailed(creation_failed='%s (HTTP %d)'
                                               % (exc.text, exc.status)
                                               ) from exc

    def delete_volume(self, volume_id: str) -> None:
        """Remove a volume; one that is gone already is fine.

        :raises VolumeDeleteFailed: Cinder answered with an error (400).
        """
        try:
            self._cinder.delete('/volumes/%s' % volume_id)
        except clients.PeerError as exc:
            if exc.status == 404:
                return
            if exc.status is None:
                raise
            raise exception.VolumeDeleteFailed(deletion_failed='%s (HTTP %d)'
                                               % (exc.text, exc.status)
                                               ) from exc

    # -- attachment ----------------------------------------------------
    def _action(self, volume_id: str, name: str, arguments=None) -> dict:
        answer = self._cinder.post('/volumes/%s/action' % volume_id,
                                   json={name: arguments})
        return answer.json() if answer.content else {}

    def reserve_volume(self, volume_id: str) -> None:
        """Keep the volume for an attachment that follows."""
        self._action(volume_id, 'os-reserve')

    def unreserve_volume(self, volume_id: str) -> None:
        """Give up a reservation."""
        self._action(volume_id, 'os-unreserve')

    def initialize_connection(self, volume_id: str, connector: dict) -> dict:
        """Export the volume to a host; returns the ``connection_info``:
        ``driver_volume_type`` and ``data``.
        """
        return self._action(volume_id, 'os-initialize_connection', {
            'connector': connector})['connection_info']

    def terminate_connection(self, volume_id: str, connector: dict) -> None:
        """End an export."""
        self._action(volume_id, 'os-terminate_connection', {
            'connector': connector})

    def attach(self, volume_id: str, mountpoint: str, hostname: str,
               container_uuid: str) -> None:
        """Mark the volume attached to a container, read and write."""
        self._action(volume_id, 'os-attach', {
            'instance_uuid': container_uuid, 'mountpoint': mountpoint,
            'mode': 'rw', 'host_name': hostname})

    def detach(self, volume_id: str, attachment_id: str | None) -> None:
        """Mark the volume detached."""
        self._action(volume_id, 'os-detach', {
            'attachment_id': attachment_id})

    def begin_detaching(self, volume_id: str) -> None:
        """Announce a detachment."""
        self._action(volume_id, 'os-begin_detaching')

    def roll_detaching(self, volume_id: str) -> None:
        """Take an announced detachment back."""
        self._action(volume_id, 'os-roll_detaching')
