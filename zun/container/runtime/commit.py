# SPDX-License-Identifier: Apache-2.0
"""Images made of containers, and archives made of images."""

import contextlib
import hashlib
import io
import json
import queue
import tarfile
import threading
import typing

from oslo_log import log as logging

from zun.common.i18n import _
from zun.container.runtime import base
from zun.container.runtime import containerd_pb2 as pb
from zun.container.runtime import layer
from zun.container.runtime import rpc
from zun.container.runtime import store

LOG = logging.getLogger(__name__)

# Label of a configuration: layers that belong to the original image.
BASE_LAYERS = 'zun.local/base-layers'

_CRI_METADATA = 'io.cri-containerd.container.metadata'
_PIECE = 1 << 20
_PIECES = 8


class Upload(io.RawIOBase):
    """A file whose bytes go into containerd's content store.

    They are sent by a thread of its own, while the next ones are made.
    """

    def __init__(self, connection: rpc.Connection):
        self._connection = connection
        self._metadata = connection.metadata()
        self._ref = rpc.own_name('layer')
        self._queue: queue.Queue = queue.Queue(_PIECES)
        self._hash = hashlib.sha256()
        self._rest = bytearray()
        self._size = 0
        self._error: base.RuntimeError | None = None
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._thread.start()

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        if self._error is not None:
            raise self._error
        self._hash.update(data)
        self._size += len(data)
        self._rest += data
        if len(self._rest) >= _PIECE:
            self._queue.put(bytes(self._rest))
            self._rest.clear()
        return len(data)

    def finish(self) -> tuple[str, int]:
        """Keep what was written; returns its digest and size."""
        if self._rest:
            self._queue.put(bytes(self._rest))
            self._rest.clear()
        digest = 'sha256:' + self._hash.hexdigest()
        self._queue.put(digest)
        self._thread.join()
        if self._error is not None:
            raise self._error
        return digest, self._size

    def drop(self) -> None:
        """Give up; nothing stays."""
        self._queue.put(None)
        self._thread.join()
        with contextlib.suppress(base.RuntimeError):
            store.Store(self._connection).abort(self._ref)

    def _requests(self):
        offset = 0
        while (item := self._queue.get()) is not None:
            if isinstance(item, str):
                yield pb.WriteRequest(
                    action=pb.COMMIT, ref=self._ref, total=offset,
                    offset=offset, expected=item)
                return
            yield pb.WriteRequest(action=pb.WRITE, ref=self._ref,
                                  offset=offset, data=item)
            offset += len(item)

    def _send(self):
        requests = self._requests()
        try:
            for __ in self._connection.stream('Content.Write', requests,
                                              metadata=self._metadata):
                pass
        except base.ObjectExists:
            # The same layer was made before.
            pass
        except base.RuntimeError as exc:
            self._error = exc
            self._drain()

    def _drain(self):
        """Let the writer come to its next look at the error."""
        while isinstance(self._queue.get(), bytes):
            pass


class Commits:
    """Making images and archives with what is in the store."""

    def __init__(self, connection: rpc.Connection):
        self._connection = connection
        self._store = store.Store(connection)

    def commit(self, container_id: str, name: str, labels: dict[str, str],
               unpack: bool) -> base.RuntimeImage:
        """See :meth:`zun.container.runtime.base.Runtime.commit`."""
        box = self._connection.call('Containers.Get', pb.KeyRequest(
            key=container_id)).container
        manifest = self._origin(box)
        with self._connection.lease():
            config, layers = self._put_layer(box, manifest)
            digest, size = self._store.put_manifest(config, layers)
            if unpack:
                self._store.unpack(layers, config['rootfs']['diff_ids'])
            made = self._store.put_image(
                name, digest, size,
                {**store.MANAGED, **store.PINNED, **labels,
                 store.ADDED_BYTES: str(layers[-1]['size'])})
        return self._store.describe(made)

    def _put_layer(self, box, manifest):
        config = self._store.read_json(manifest['config']['digest'])
        inner = config.setdefault('config', {})
        marks = inner.get('Labels') or {}
        count = int(marks.get(BASE_LAYERS) or len(manifest['layers']))
        diff_ids = config['rootfs']['diff_ids'][:count]
        digest, size = self._write_layer(box, diff_ids)
        inner['Labels'] = {**marks, BASE_LAYERS: str(count)}
        config['rootfs']['diff_ids'] = [*diff_ids, digest]
        config['history'] = _history(config.get('history'), count)
        return config, [*manifest['layers'][:count], {
            'mediaType': store.LAYER, 'digest': digest, 'size': size}]

    def _write_layer(self, box, diff_ids):
        mounts = self._store.mounts(box.snapshot_key)
        overlay = None
        if layer.is_complete() and len(mounts) == 1:
            overlay = layer.overlay_of(mounts[0].options, len(diff_ids))
        if overlay is None:
            return self._compare(mounts, diff_ids)
        upload = Upload(self._connection)
        try:
            layer.write(overlay, upload)
            return upload.finish()
        except BaseException:
            upload.drop()
            raise

    def _compare(self, mounts, diff_ids):
        """The layer as containerd finds it: slower, without ``user.*``."""
        with self._store.view(store.chain_id(diff_ids)) as below:
            made = self._connection.call('Diff.Diff', pb.DiffRequest(
                left=below, right=mounts, media_type=store.LAYER,
                ref=rpc.own_name('layer')), timeout=rpc.LEASE_SECONDS).diff
        return made.digest, made.size

    def _origin(self, box):
        """Manifest of the image that a container runs.

        Its tag may have moved since, so that the name alone won't do.
        """
        wanted = cri_metadata(box)['ImageRef']
        for name in (wanted, box.image):
            image = self._store.image(name)
            found = image and self._manifest_with(image, wanted)
            if found:
                return found
        for image in self._store.images():
            found = self._manifest_with(image, wanted)
            if found:
                return found
        raise base.ObjectMissing(
            _('the image %(image)s of container %(id)s is no longer on this '
              'node') % {'image': box.image, 'id': box.id})

    def _manifest_with(self, image, config_digest):
        try:
            __, manifest = self._store.manifest(image.target.digest)
        except base.ObjectMissing:
            # An image of another machine, or one that was not all pulled.
            return None
        if manifest['config']['digest'] == config_digest:
            return manifest
        return None

    def export(self, name: str, fileobj: typing.BinaryIO, tag: str | None
               ) -> int:
        """See :meth:`zun.container.runtime.base.Runtime.export_archive`."""
        image = self._store.image(name)
        if image is None:
            raise base.ObjectMissing(_('there is no image %s') % name)
        digest, manifest = self._store.manifest(image.target.digest)
        counted = _Counted(fileobj)
        with tarfile.open(fileobj=counted, mode='w|',
                          format=tarfile.PAX_FORMAT) as archive:
            for path, data in _index(digest, self._store.read(digest),
                                     manifest, tag or name):
                archive.addfile(_header(path, len(data)), io.BytesIO(data))
            blobs = {item['digest']: item['size'] for item in
                     [manifest['config'], *manifest['layers']]}
            for blob, size in blobs.items():
                archive.addfile(_header(_path(blob), size),
                                _Joined(self._store.chunks(blob)))
        return counted.size


def cri_metadata(box) -> dict:
    """What the CRI plugin notes down about a container of its own."""
    return json.loads(box.extensions[_CRI_METADATA].value)['Metadata']


def _history(before, count):
    """History with one entry for the layer that was added."""
    kept, layers = [], 0
    for entry in before or ():
        layers += not entry.get('empty_layer')
        if layers > count:
            break
        kept.append(entry)
    if before and layers < count:
        # It does not speak of all layers, so it can't be gone on with.
        return []
    return [*kept, {'created_by': 'zun commit'}] if kept else []


def _path(digest):
    return 'blobs/' + digest.replace(':', '/')


def _header(path, size):
    info = tarfile.TarInfo(path)
    info.size, info.mode = size, 0o444
    return info


def _index(digest, raw, manifest, tag):
    """The small files of an archive, which say what is in it."""
    reference = tag.rpartition(':')[2] if ':' in tag.rpartition('/')[2] else (
        'latest')
    index = {'schemaVersion': 2, 'manifests': [{
        'mediaType': manifest.get('mediaType', store.MANIFEST),
        'digest': digest, 'size': len(raw), 'annotations': {
            'io.containerd.image.name': tag,
            'org.opencontainers.image.ref.name': reference}}]}
    docker = [{'Config': _path(manifest['config']['digest']),
               'RepoTags': [tag], 'Layers': [
                   _path(item['digest']) for item in manifest['layers']]}]
    return [('oci-layout', b'{"imageLayoutVersion": "1.0.0"}'),
            ('index.json', json.dumps(index).encode()),
            ('manifest.json', json.dumps(docker).encode()),
            (_path(digest), raw)]


class _Joined:
    """A file to read from pieces."""

    def __init__(self, pieces):
        self._pieces = iter(pieces)
        self._rest = b''

    def read(self, size):
        while len(self._rest) < size:
            piece = next(self._pieces, None)
            if piece is None:
                break
            self._rest += piece
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


class _Counted:
    """A file to write that knows how much was written."""

    def __init__(self, file):
        self._file = file
        self.size = 0

    def write(self, data):
        self._file.write(data)
        self.size += len(data)
        return len(data)
