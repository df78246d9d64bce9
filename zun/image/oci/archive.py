# SPDX-License-Identifier: Apache-2.0
"""Archives of images: Docker's (``docker save``) and OCI's.

Both are tar files. Docker's has a ``manifest.json`` that names configuration
and layers; OCI's an ``index.json`` that leads to a manifest by its digest.
One file may be both. An archive of several images does not say which one is
meant, and is refused.
"""

import contextlib
import gzip
import hashlib
import json
import posixpath
import tarfile
import typing

from zun.common import exception
from zun.common.i18n import _
from zun.image.oci import registry

_MAX_DOCUMENT = registry.MAX_DOCUMENT
_MAX_MEMBERS = 20000
_INDEX, _DOCKER = 'index.json', 'manifest.json'
_OCI_CONFIG = 'application/vnd.oci.image.config.v1+json'
_OCI_LAYER = 'application/vnd.oci.image.layer.v1.tar'
_GZIP, _ZSTD = b'\x1f\x8b', b'\x28\xb5\x2f\xfd'


class ArchiveInvalid(exception.Invalid):
    """A file is no image archive that can be used."""

    message = _('The image archive cannot be used: %(reason)s')

    def __init__(self, reason: str):
        super().__init__(reason=reason)


class Contents(typing.NamedTuple):
    """The one image of an archive.

    :ivar name: repository and tag that it has inside, or None.
    :ivar config: digest of its configuration.
    :ivar layers: names of the members with its layers, the lowest first.
    :ivar manifest: an OCI manifest as it stands there, or None.
    """

    name: str | None
    config: str
    config_path: str
    layers: list[str]
    manifest: bytes | None = None
    media_type: str | None = None


class Archive:
    """An archive in a file that can be read anywhere.

    A context manager; the members are looked through once.

    :param source: opened for reading, compressed by gzip or not.
    :param limit: bytes of the uncompressed archive at most.
    """

    def __init__(self, source: typing.BinaryIO, limit: int) -> None:
        self._source = source
        self._limit = limit
        self._members: dict[str, tarfile.TarInfo] = {}

    def __enter__(self) -> 'Archive':
        head = self._source.read(2)
        self._source.seek(0)
        plain = self._source
        if head == _GZIP:
            plain = gzip.GzipFile(fileobj=self._source)
        try:
            self._tar = tarfile.open(fileobj=plain, mode='r:')
            self._scan()
        except (tarfile.TarError, OSError, EOFError) as exc:
            raise ArchiveInvalid(str(exc))
        return self

    def __exit__(self, *exc: object) -> None:
        self._tar.close()

    def _scan(self):
        total = 0
        for number, member in enumerate(self._tar):
            total += member.size
            if total > self._limit or number > _MAX_MEMBERS:
                raise ArchiveInvalid(
                    _('it holds more than %(bytes)d bytes or %(members)d '
                      'files') % {'bytes': self._limit,
                                  'members': _MAX_MEMBERS})
            self._members[posixpath.normpath(member.name)] = member

    def open(self, path: str) -> tuple[typing.BinaryIO, int]:
        """A member, links to another one followed, and its size."""
        for __ in range(3):
            member = self._members.get(posixpath.normpath(path))
            if member is not None and member.issym():
                path = posixpath.join(posixpath.dirname(path),
                                      member.linkname)
            elif member is not None and member.islnk():
                path = member.linkname
            else:
                break
        if member is None or not member.isfile():
            raise ArchiveInvalid(_('it has no file %s') % path)
        return self._tar.extractfile(member), member.size

    def read(self, path: str) -> bytes:
        """A small member."""
        source, size = self.open(path)
        if size > _MAX_DOCUMENT:
            raise ArchiveInvalid(_('%(path)s has %(size)d bytes')
                                 % {'path': path, 'size': size})
        return source.read()

    def _json(self, path, kind):
        try:
            document = json.loads(self.read(path))
        except ValueError:
            document = None
        if not isinstance(document, kind):
            raise ArchiveInvalid(_('%s is no document of its kind') % path)
        return document

    def contents(self) -> Contents:
        """What is in it.

        :raises ArchiveInvalid: no image or several, or parts are missing.
        """
        try:
            if _DOCKER in self._members:
                found = self._docker()
            elif _INDEX in self._members:
                found = self._oci()
            else:
                raise ArchiveInvalid(
                    _('it is neither a Docker nor an OCI archive'))
        except (KeyError, TypeError, AttributeError) as exc:
            raise ArchiveInvalid(_('its documents lack %s') % exc)
        for path in [found.config_path, *found.layers]:
            self.open(path)
        return found

    def _docker(self):
        images = self._json(_DOCKER, list)
        self._only(images)
        image = images[0]
        config = self.read(image['Config'])
        names = image.get('RepoTags') or [None]
        return Contents(names[0], _digest(config), image['Config'],
                        list(image['Layers']))

    def _oci(self):
        index = self._json(_INDEX, dict)
        entries = index['manifests']
        self._only(entries)
        name = (entries[0].get('annotations') or {}).get(
            'io.containerd.image.name')
        raw = self._blob(entries[0]['digest'])
        manifest = json.loads(raw)
        if 'manifests' in manifest:
            self._only([item for item in manifest['manifests']
                        if (item.get('platform') or {}).get('os')
                        != 'unknown'])
            raw = self._blob(manifest['manifests'][0]['digest'])
            manifest = json.loads(raw)
        return Contents(
            name, manifest['config']['digest'],
            _path(manifest['config']['digest']),
            [_path(layer['digest']) for layer in manifest['layers']],
            raw, manifest.get('mediaType', registry.MANIFEST_TYPES[0]))

    def _blob(self, digest):
        raw = self.read(_path(digest))
        if digest.startswith('sha256:') and _digest(raw) != digest:
            raise ArchiveInvalid(_('%s is not what its digest says')
                                 % digest)
        return raw

    @staticmethod
    def _only(images):
        if len(images) != 1:
            raise ArchiveInvalid(
                _('it has %d images and does not say which one is meant')
                % len(images))


def inspect(path: str, limit: int) -> Contents:
    """The one image of an archive in a file.

    :raises ArchiveInvalid: see :meth:`Archive.contents`.
    """
    with open(path, 'rb') as source, Archive(source, limit) as found:
        return found.contents()


def push(found: Archive, place: registry.Registry, repository: str,
         tag: str) -> str:
    """Upload the image of an archive; returns its digest there."""
    contents = found.contents()
    raw, kind = contents.manifest, contents.media_type
    if raw is None:
        raw, kind = _manifest(found, contents), registry.MANIFEST_TYPES[0]
    manifest = json.loads(raw)
    paths = [contents.config_path, *contents.layers]
    for path, item in zip(paths, [manifest['config'], *manifest['layers']]):
        source, size = found.open(path)
        with contextlib.closing(source):
            place.put_blob(repository, item['digest'], size, source)
    return place.put_manifest(repository, tag, raw, kind)


def _manifest(found, contents) -> bytes:
    """An OCI manifest for a Docker archive."""
    config = found.read(contents.config_path)
    return json.dumps({
        'schemaVersion': 2, 'mediaType': registry.MANIFEST_TYPES[0],
        'config': {'mediaType': _OCI_CONFIG, 'digest': _digest(config),
                   'size': len(config)},
        'layers': [_layer(*found.open(path)) for path in contents.layers],
    }).encode()


def _layer(source, size) -> dict:
    head = source.read(4)
    source.seek(0)
    kind = _OCI_LAYER
    if head.startswith(_GZIP):
        kind += '+gzip'
    elif head == _ZSTD:
        kind += '+zstd'
    return {'mediaType': kind, 'size': size,
            'digest': 'sha256:' + hashlib.file_digest(
                source, 'sha256').hexdigest()}


def _digest(data: bytes) -> str:
    return 'sha256:' + hashlib.sha256(data).hexdigest()


def _path(digest: str) -> str:
    return 'blobs/' + digest.replace(':', '/')
