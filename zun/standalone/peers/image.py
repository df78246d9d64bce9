# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Glance v2: images with their files."""

import datetime
import hashlib
import os
import pathlib
from typing import Any
import uuid

import jsonpatch

from zun.standalone.peers import service


class Image(service.Service):
    """Images of projects; files below ``folder``."""

    ROUTES = (
        ('GET', '', 'versions'), ('GET', '/', 'versions'),
        ('GET', '/versions', 'versions'),
        ('GET', '/v2/schemas/image', 'schema'),
        ('GET', '/v2/images', 'index'), ('POST', '/v2/images', 'create'),
        ('GET', '/v2/images/{uid}', 'show'),
        ('PATCH', '/v2/images/{uid}', 'update'),
        ('DELETE', '/v2/images/{uid}', 'delete'),
        ('GET', '/v2/images/{uid}/file', 'download'),
        ('PUT', '/v2/images/{uid}/file', 'upload'),
        ('PUT', '/v2/images/{uid}/tags/{tag}', 'tag'),
        ('DELETE', '/v2/images/{uid}/tags/{tag}', 'untag'),
    )
    PUBLIC = ('/', '', '/versions')

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        super().__init__()
        self.folder = pathlib.Path(folder)
        self.images: dict[str, dict[str, Any]] = {}

    def dump(self) -> Any:
        return self.images

    def load(self, state: Any) -> None:
        self.images = state

    def error(self, refused: service.Refused) -> service.Reply:
        text = '<html><body>%d %s</body></html>' % (refused.status,
                                                    refused.message)
        return refused.status, {'Content-Type': 'text/html'}, text.encode()

    def seed(self, row: dict[str, Any], data: bytes | None = None
             ) -> dict[str, Any]:
        """Put an image in, with its file if ``data`` is given."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime(
            '%Y-%m-%dT%H:%M:%SZ')
        image = {
            'id': str(uuid.uuid4()), 'name': None, 'status': 'queued',
            'container_format': None, 'disk_format': None, 'size': None,
            'checksum': None, 'os_hash_algo': None, 'os_hash_value': None,
            'visibility': 'shared', 'protected': False, 'tags': [],
            'min_disk': 0, 'min_ram': 0, 'owner': '', 'created_at': now,
            'updated_at': now, 'virtual_size': None, 'os_hidden': False,
            **row}
        image.update(self='/v2/images/' + image['id'],
                     file='/v2/images/%s/file' % image['id'],
                     schema='/v2/schemas/image')
        self.images[image['id']] = image
        if data is not None:
            self._store(image, data)
        return image

    # requests

    def versions(self, request: service.Request) -> service.Reply:
        """Version discovery."""
        return service.reply(300, {'versions': [{
            'id': 'v2.9', 'status': 'CURRENT', 'links': [
                {'rel': 'self', 'href': request.base + '/v2/'}]}]})

    def schema(self, request: service.Request) -> service.Reply:
        """The schema that clients check their own requests against."""
        return service.reply(200, {
            'name': 'image', 'properties': {
                'id': {'type': 'string'},
                'name': {'type': ['null', 'string']},
                'tags': {'type': 'array', 'items': {'type': 'string'}}},
            'additionalProperties': {'type': ['null', 'string', 'boolean',
                                              'integer', 'array']}})

    def index(self, request: service.Request) -> service.Reply:
        """Images that the caller sees, filtered."""
        filters = service.grouped(request.query, (
            'limit', 'marker', 'sort', 'sort_key', 'sort_dir', 'tag'))
        tags = {v for k, v in request.query if k == 'tag'}
        found = [i for i in self.images.values()
                 if self._visible(request, i) and
                 service.matches(i, filters) and tags <= set(i['tags'])]
        return service.reply(200, {
            'images': found, 'schema': '/v2/schemas/images',
            'first': '/v2/images'})

    def create(self, request: service.Request) -> service.Reply:
        """Make an image without a file."""
        body = {k: v for k, v in request.json().items()
                if k not in ('status', 'checksum', 'size')}
        image = self.seed(dict(body, owner=request.who.project_id))
        return service.reply(201, image)

    def show(self, request: service.Request, uid: str) -> service.Reply:
        """One image."""
        return service.reply(200, self._get(request, uid))

    def update(self, request: service.Request, uid: str) -> service.Reply:
        """Change an image by a JSON patch."""
        image = self._get(request, uid)
        try:
            changed = jsonpatch.apply_patch(image, request.json())
        except jsonpatch.JsonPatchException as e:
            raise service.Refused(400, str(e)) from e
        self.images[uid] = changed
        return service.reply(200, changed)

    def delete(self, request: service.Request, uid: str) -> service.Reply:
        """Remove an image and its file."""
        self._get(request, uid)
        del self.images[uid]
        (self.folder / uid).unlink(missing_ok=True)
        return service.reply(204)

    def download(self, request: service.Request, uid: str) -> service.Reply:
        """The file."""
        image = self._get(request, uid)
        path = self.folder / uid
        if not path.exists():
            return service.reply(204)
        return 200, {'Content-Type': 'application/octet-stream',
                     'Content-MD5': image['checksum'] or ''}, (
                         path.read_bytes())

    def upload(self, request: service.Request, uid: str) -> service.Reply:
        """Give an image its file, once."""
        image = self._get(request, uid)
        if image['status'] != 'queued':
            raise service.Refused(
                409, 'Image status transition from %s to saving is not '
                'allowed' % image['status'])
        self._store(image, request.body)
        return service.reply(204)

    def tag(self, request: service.Request, uid: str, tag: str
            ) -> service.Reply:
        """Add a tag."""
        image = self._get(request, uid)
        if tag not in image['tags']:
            image['tags'].append(tag)
        return service.reply(204)

    def untag(self, request: service.Request, uid: str, tag: str
              ) -> service.Reply:
        """Remove a tag."""
        image = self._get(request, uid)
        if tag not in image['tags']:
            raise service.Refused(404, 'Could not find tag %s' % tag)
        image['tags'].remove(tag)
        return service.reply(204)

    # parts

    def _store(self, image: dict[str, Any], data: bytes) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / image['id']).write_bytes(data)
        image.update(
            status='active', size=len(data),
            checksum=hashlib.md5(data, usedforsecurity=False).hexdigest(),
            os_hash_algo='sha512',
            os_hash_value=hashlib.sha512(data).hexdigest())

    def _get(self, request: service.Request, uid: str) -> dict[str, Any]:
        image = self.images.get(uid)
        if image is None or not self._visible(request, image):
            raise service.Refused(
                404, 'Failed to find image %s to show' % uid)
        return image

    @staticmethod
    def _visible(request: service.Request, image: dict[str, Any]) -> bool:
        return bool(request.who.admin or
                    image['owner'] in ('', request.who.project_id) or
                    image['visibility'] in ('public', 'community'))
