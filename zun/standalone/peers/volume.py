# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Cinder: volumes, their states and attachments.

A volume is a folder of this machine; its connection information is
``{"driver_volume_type": "local", "data": {"device_path": FOLDER}}``.
"""

import datetime
import os
import pathlib
import shutil
from typing import Any
import uuid

from zun.standalone.peers import service

#: Action → (states it may start from, state it ends in).
TRANSITIONS = {
    'os-reserve': (('available', 'in-use'), 'attaching'),
    'os-unreserve': (('attaching', 'in-use', 'available'), 'available'),
    'os-begin_detaching': (('in-use',), 'detaching'),
    'os-roll_detaching': (('detaching',), 'in-use'),
    'os-attach': (('attaching', 'available', 'in-use'), 'in-use'),
    'os-detach': (('detaching', 'in-use', 'attaching', 'available'),
                  'available'),
}


class Volume(service.Service):
    """Volumes of projects, made at once.

    :param folder: where volumes have their folders.
    """

    ROUTES = (
        ('GET', '', 'versions'), ('GET', '/', 'versions'),
        ('GET', '/v3', 'versions'),
        ('GET', '/v3/{project}/volumes', 'index'),
        ('GET', '/v3/{project}/volumes/detail', 'index'),
        ('POST', '/v3/{project}/volumes', 'create'),
        ('GET', '/v3/{project}/volumes/{uid}', 'show'),
        ('PUT', '/v3/{project}/volumes/{uid}', 'update'),
        ('DELETE', '/v3/{project}/volumes/{uid}', 'delete'),
        ('POST', '/v3/{project}/volumes/{uid}/action', 'action'),
        ('GET', '/v3/{project}/attachments', 'attachments'),
        ('GET', '/v3/{project}/attachments/{uid}', 'attachment'),
        ('POST', '/v3/{project}/attachments', 'attach'),
        ('PUT', '/v3/{project}/attachments/{uid}', 'connect'),
        ('POST', '/v3/{project}/attachments/{uid}/action', 'complete'),
        ('DELETE', '/v3/{project}/attachments/{uid}', 'detach'),
    )
    PUBLIC = ('/', '', '/v3', '/v3/')

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        super().__init__()
        self.folder = pathlib.Path(folder)
        self.volumes: dict[str, dict[str, Any]] = {}

    def dump(self) -> Any:
        return self.volumes

    def load(self, state: Any) -> None:
        self.volumes = state

    def error(self, refused: service.Refused) -> service.Reply:
        kind = {404: 'itemNotFound', 400: 'badRequest', 403: 'forbidden',
                409: 'conflictingRequest', 401: 'unauthorized'}.get(
                    refused.status, 'error')
        return service.reply(refused.status, {kind: {
            'code': refused.status, 'message': refused.message}})

    def seed(self, row: dict[str, Any]) -> dict[str, Any]:
        """Put a volume in, with the usual attributes filled in."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime(
            '%Y-%m-%dT%H:%M:%S.000000')
        volume = {
            'id': str(uuid.uuid4()), 'name': None, 'description': None,
            'size': 1, 'status': 'available', 'multiattach': False,
            'attachments': [], 'metadata': {}, 'created_at': now,
            'updated_at': now, 'availability_zone': 'nova',
            'bootable': 'false', 'encrypted': False, 'volume_type': None,
            'snapshot_id': None, 'source_volid': None, 'links': [],
            'os-vol-tenant-attr:tenant_id': '', **row}
        self.volumes[volume['id']] = volume
        return volume

    # volumes

    def versions(self, request: service.Request) -> service.Reply:
        """Version discovery."""
        return service.reply(300, {'versions': [{
            'id': 'v3.0', 'status': 'CURRENT', 'version': '3.70',
            'min_version': '3.0', 'updated': '2020-01-01T00:00:00Z',
            'links': [{'rel': 'self', 'href': request.base + '/v3/'}]}]})

    def index(self, request: service.Request, project: str
              ) -> service.Reply:
        """The project's volumes, filtered."""
        filters = service.grouped(request.query, (
            'limit', 'marker', 'sort', 'all_tenants', 'sort_key',
            'sort_dir', 'offset'))
        return service.reply(200, {'volumes': [
            v for v in self.volumes.values()
            if self._visible(request, v) and service.matches(v, filters)]})

    def create(self, request: service.Request, project: str
               ) -> service.Reply:
        """Make a volume; it is available when next looked at."""
        body = request.json().get('volume') or {}
        size = body.get('size')
        if not isinstance(size, (int, str)) or not str(size).isdigit() or (
                int(size) < 1):
            raise service.Refused(400, 'Volume size \'%s\' must be an '
                                  'integer and greater than 0' % size)
        volume = self.seed({
            'name': body.get('name'), 'size': int(size),
            'description': body.get('description'),
            'metadata': body.get('metadata') or {},
            'multiattach': bool(body.get('multiattach')),
            'os-vol-tenant-attr:tenant_id': request.who.project_id})
        self._path(volume['id']).mkdir(parents=True, exist_ok=True)
        return service.reply(202, {'volume': dict(volume,
                                                  status='creating')})

    def show(self, request: service.Request, project: str, uid: str
             ) -> service.Reply:
        """One volume."""
        return service.reply(200, {'volume': self._get(request, uid)})

    def update(self, request: service.Request, project: str, uid: str
               ) -> service.Reply:
        """Change name or description."""
        volume = self._get(request, uid)
        volume.update({k: v for k, v in request.json()['volume'].items()
                       if k in ('name', 'description', 'metadata')})
        return service.reply(200, {'volume': volume})

    def delete(self, request: service.Request, project: str, uid: str
               ) -> service.Reply:
        """Remove a volume that is not attached."""
        volume = self._get(request, uid)
        if volume['status'] not in ('available', 'error'):
            raise service.Refused(
                400, 'Invalid volume: Volume status must be available or '
                'error, but current status is: %s.' % volume['status'])
        del self.volumes[uid]
        shutil.rmtree(self._path(uid), ignore_errors=True)
        return service.reply(202)

    # attaching

    def action(self, request: service.Request, project: str, uid: str
               ) -> service.Reply:
        """One of the os-… actions."""
        volume = self._get(request, uid)
        (name, body), = request.json().items()
        if name == 'os-initialize_connection':
            return service.reply(200, {'connection_info':
                                       self._connection(uid)})
        if name == 'os-terminate_connection':
            return service.reply(202)
        if name not in TRANSITIONS:
            raise service.Refused(400, 'There is no such action: %s' % name)
        allowed, after = TRANSITIONS[name]
        if volume['status'] not in allowed or (
                name == 'os-reserve' and volume['status'] == 'in-use' and
                not volume['multiattach']):
            raise service.Refused(
                400, 'Invalid volume: Volume %s status must be %s, but '
                'current status is: %s.' % (uid, ' or '.join(allowed),
                                            volume['status']))
        if name == 'os-attach':
            volume['attachments'].append({
                'attachment_id': str(uuid.uuid4()), 'id': uid,
                'volume_id': uid, 'server_id': body.get('instance_uuid'),
                'host_name': body.get('host_name'),
                'device': body.get('mountpoint')})
        elif name == 'os-detach':
            wanted = (body or {}).get('attachment_id')
            volume['attachments'] = [
                a for a in volume['attachments']
                if wanted and a['attachment_id'] != wanted]
        volume['status'] = after
        if after == 'available' and volume['attachments']:
            volume['status'] = 'in-use'
        return service.reply(202)

    def attachments(self, request: service.Request, project: str
                    ) -> service.Reply:
        """All attachments."""
        return service.reply(200, {'attachments': [
            _attachment(a) for v in self.volumes.values()
            if self._visible(request, v) for a in v['attachments']]})

    def attachment(self, request: service.Request, project: str, uid: str
                   ) -> service.Reply:
        """One attachment."""
        _, found = self._attachment(request, uid)
        return service.reply(200, {'attachment': self._with_info(found)})

    def attach(self, request: service.Request, project: str
               ) -> service.Reply:
        """Reserve a volume (and connect, with a connector)."""
        body = request.json()['attachment']
        volume = self._get(request, body['volume_uuid'])
        free = volume['status'] == 'available' or (
            volume['multiattach'] and volume['status'] == 'in-use')
        if not free:
            raise service.Refused(
                400, 'Invalid volume: Volume %s status must be available or '
                'downloading, but current status is: %s.' % (
                    volume['id'], volume['status']))
        found = {'attachment_id': str(uuid.uuid4()), 'id': volume['id'],
                 'volume_id': volume['id'],
                 'server_id': body.get('instance_uuid'),
                 'host_name': (body.get('connector') or {}).get('host'),
                 'device': None}
        volume['attachments'].append(found)
        volume['status'] = 'attaching' if body.get('connector') else (
            'reserved')
        answer = (self._with_info(found) if body.get('connector')
                  else _attachment(found))
        return service.reply(200, {'attachment': answer})

    def connect(self, request: service.Request, project: str, uid: str
                ) -> service.Reply:
        """Give the connector of an attachment; the connection info."""
        volume, found = self._attachment(request, uid)
        connector = request.json()['attachment']['connector']
        found['host_name'] = connector.get('host')
        volume['status'] = 'attaching'
        return service.reply(200, {'attachment': self._with_info(found)})

    def complete(self, request: service.Request, project: str, uid: str
                 ) -> service.Reply:
        """os-complete: the volume is in use."""
        volume, _ = self._attachment(request, uid)
        volume['status'] = 'in-use'
        return service.reply(204)

    def detach(self, request: service.Request, project: str, uid: str
               ) -> service.Reply:
        """Remove an attachment."""
        volume, found = self._attachment(request, uid)
        volume['attachments'].remove(found)
        volume['status'] = ('in-use' if volume['attachments']
                            else 'available')
        return service.reply(200, {'attachments': [
            _attachment(a) for a in volume['attachments']]})

    # parts

    def _path(self, uid: str) -> pathlib.Path:
        return self.folder / uid

    def _connection(self, uid: str) -> dict[str, Any]:
        return {'driver_volume_type': 'local',
                'data': {'device_path': str(self._path(uid)),
                         'access_mode': 'rw'}}

    def _with_info(self, found: dict[str, Any]) -> dict[str, Any]:
        info = self._connection(found['volume_id'])
        return dict(_attachment(found), connection_info=dict(
            info['data'], driver_volume_type='local'))

    @staticmethod
    def _visible(request: service.Request, volume: dict[str, Any]) -> bool:
        owner = volume['os-vol-tenant-attr:tenant_id']
        return request.who.admin or owner in ('', request.who.project_id)

    def _get(self, request: service.Request, uid: str) -> dict[str, Any]:
        volume = self.volumes.get(uid)
        if volume is None or not self._visible(request, volume):
            raise service.Refused(404, 'Volume %s could not be found.' % uid)
        return volume

    def _attachment(self, request: service.Request, uid: str
                    ) -> tuple[dict[str, Any], dict[str, Any]]:
        for volume in self.volumes.values():
            for found in volume['attachments']:
                if found['attachment_id'] == uid and self._visible(
                        request, volume):
                    return volume, found
        raise service.Refused(404, 'Volume attachment could not be found '
                              'with filter: attachment_id = %s.' % uid)


def _attachment(found: dict[str, Any]) -> dict[str, Any]:
    return {'id': found['attachment_id'], 'volume_id': found['volume_id'],
            'instance': found['server_id'], 'status': 'attached',
            'attach_mode': 'rw', 'connection_info': {},
            'attached_host': found['host_name']}
