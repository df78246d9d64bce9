# SPDX-License-Identifier: Apache-2.0
"""Images of the Image service: found, downloaded, uploaded.

Work for a user that is done later has no token of the user's and is done
as the service, who sees the images of all. Then it is looked here whether
the user may use an image.
"""

from collections.abc import Iterator
import contextlib
import hashlib
import os
import pathlib
import tempfile
import typing
from urllib import parse

from oslo_utils import uuidutils

from zun.common import clients
from zun.common import exception
from zun.common.i18n import _
import zun.conf

CONF = zun.conf.CONF

FORMAT = 'docker'
_PAGE = 200
_PAGES = 50
_PIECE = 1 << 20
# What a node has to know of an image to get it.
KEYS = ('id', 'name', 'size', 'checksum', 'os_hash_algo', 'os_hash_value')


def find(context, name: str) -> dict:
    """The one image of an id or a name.

    :raises ImageNotFound: there is none that the project may use.
    :raises Conflict: there are several.
    """
    found = matching(context, name, exact=True)
    if not found:
        raise exception.ImageNotFound(image=name)
    if len(found) > 1:
        raise exception.Conflict(_(
            'Multiple images exist with same name %s. Please use the image '
            'id instead.') % name)
    return found[0]


def matching(context, name: str, exact: bool) -> list[dict]:
    """The container images of an id, a name, or a part of one."""
    glance = clients.OpenStackClients(context).glance()
    if uuidutils.is_uuid_like(name):
        try:
            found = [glance.get('/v2/images/' + name).json()]
        except clients.PeerRefused as exc:
            if exc.status != 404:
                raise
            return []
    else:
        found = [image for image in _listed(glance)
                 if name == image.get('name') or
                 not exact and name in (image.get('name') or '')]
    return [image for image in found
            if image.get('container_format') == FORMAT and
            _may_use(context, glance, image)]


def _listed(glance) -> Iterator[dict]:
    url: str | None = '/v2/images?' + parse.urlencode(
        {'container_format': FORMAT, 'limit': _PAGE})
    for __ in range(_PAGES):
        page = glance.get(url).json()
        yield from page['images']
        url = page.get('next')
        if not url:
            return


def _may_use(context, glance, image) -> bool:
    if getattr(context, 'auth_token', None) or 'visibility' not in image:
        # Glance has looked who asks.
        return True
    if image['visibility'] in ('public', 'community') or (
            image.get('owner') in (None, '', context.project_id)):
        return True
    if image['visibility'] != 'shared':
        return False
    try:
        member = glance.get('/v2/images/%s/members/%s' % (
            image['id'], parse.quote(context.project_id, safe=''))).json()
    except clients.PeerRefused:
        return False
    return member.get('status') == 'accepted'


def checksum(image: dict) -> tuple[str, str]:
    """(algorithm, digits) by which the bytes of an image are known.

    :raises Invalid: it has no bytes yet.
    """
    if image.get('os_hash_value') and image.get('os_hash_algo'):
        return image['os_hash_algo'], image['os_hash_value']
    if image.get('checksum'):
        return 'md5', image['checksum']
    raise exception.Invalid(
        _('Image %s has no checksum: it has not been uploaded yet.')
        % image['id'])


@contextlib.contextmanager
def downloaded(context, image: dict, limit: int) -> Iterator[str]:
    """The bytes of an image, in a file for as long as it is needed.

    :raises ZunException: they cannot be had, or are not the right ones.
    """
    algorithm, wanted = checksum(image)
    with temporary_file() as (out, path):
        seen = hashlib.new(algorithm, usedforsecurity=False)
        size = 0
        for piece in _pieces(context, image):
            size += len(piece)
            if size > limit:
                raise exception.Invalid(
                    _('Image %(id)s is larger than the %(limit)d bytes of '
                      '[kubernetes] max_image_size.')
                    % {'id': image['id'], 'limit': limit})
            seen.update(piece)
            out.write(piece)
        out.flush()
        if seen.hexdigest() != wanted:
            raise exception.ZunException(
                _('Cannot download image from glance: the %(algorithm)s of '
                  'image %(id)s is not %(wanted)s')
                % {'algorithm': algorithm, 'id': image['id'],
                   'wanted': wanted})
        yield path


def _pieces(context, image) -> Iterator[bytes]:
    try:
        answer = clients.OpenStackClients(context).glance().get(
            '/v2/images/%s/file' % image['id'], stream=True)
        with contextlib.closing(answer):
            yield from answer.iter_content(_PIECE)
    except clients.PeerRefused as exc:
        raise exception.ZunException(
            _('Cannot download image from glance: %s') % exc)


@contextlib.contextmanager
def temporary_file() -> Iterator[tuple[typing.BinaryIO, str]]:
    """A file in ``[glance] images_directory``, gone in the end."""
    folder = pathlib.Path(CONF.glance.images_directory)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, prefix='zun-') as out:
        yield out, out.name


def create(context, name: str) -> str:
    """Make an image without bytes; returns its id."""
    return clients.OpenStackClients(context).glance().post(
        '/v2/images', {'name': name}).json()['id']


def has_bytes(context, image_id: str) -> bool:
    """Whether an image was uploaded whole: then it takes nothing more."""
    return clients.OpenStackClients(context).glance().get(
        '/v2/images/' + image_id).json()['status'] == 'active'


def upload(context, image_id: str, tag: str, path: str) -> None:
    """Give an image the bytes of a file, and say what they are."""
    glance = clients.OpenStackClients(context).glance()
    patch = [{'op': 'replace', 'path': '/container_format', 'value': FORMAT},
             {'op': 'replace', 'path': '/disk_format', 'value': 'qcow2'},
             {'op': 'replace', 'path': '/tags', 'value': [tag]}]
    glance.request(
        '/v2/images/' + image_id, 'PATCH', json=patch, headers={
            'Content-Type': 'application/openstack-images-v2.1-json-patch'})
    with open(path, 'rb') as source:
        glance.request('/v2/images/%s/file' % image_id, 'PUT', data=source,
                       headers={'Content-Type': 'application/octet-stream',
                                'Content-Length': str(
                                    os.fstat(source.fileno()).st_size)})


def remove(context, image_id: str) -> None:
    """Delete an image; one that is gone is no error."""
    try:
        clients.OpenStackClients(context).glance().delete(
            '/v2/images/' + image_id)
    except clients.PeerRefused as exc:
        if exc.status != 404:
            raise
