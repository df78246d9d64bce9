# SPDX-License-Identifier: Apache-2.0
"""containerd's store: blobs, snapshots and the names of images.

What holds an image together are labels that containerd's garbage collector
follows: a manifest's name its configuration and layers, a configuration's
names the snapshot of all layers unpacked. What nothing leads to goes.
"""

from collections.abc import Iterable
from collections.abc import Iterator
import contextlib
import hashlib
import json
import platform
import typing

from google.protobuf import field_mask_pb2

from zun.common.i18n import _
from zun.container.runtime import base
from zun.container.runtime import containerd_pb2 as pb
from zun.container.runtime import rpc

SNAPSHOTTER = 'overlayfs'
MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
CONFIG = 'application/vnd.oci.image.config.v1+json'
LAYER = 'application/vnd.oci.image.layer.v1.tar'
# The CRI plugin, and so the kubelet, sees images with this label.
MANAGED = {'io.cri-containerd.image': 'managed'}
# The kubelet does not collect images with this label.
PINNED = {'io.cri-containerd.pinned': 'pinned'}

# Label of an image: bytes of the layer that a commit has added.
ADDED_BYTES = 'zun.local/added-bytes'

_REFERS_CONFIG = 'containerd.io/gc.ref.content.config'
_REFERS_LAYER = 'containerd.io/gc.ref.content.l.%d'
_REFERS_SNAPSHOT = 'containerd.io/gc.ref.snapshot.' + SNAPSHOTTER
_SNAPSHOT_REF = 'containerd.io/snapshot.ref'
_MACHINES = {'x86_64': 'amd64', 'aarch64': 'arm64', 'armv7l': 'arm'}


def digest_of(data: bytes) -> str:
    return 'sha256:' + hashlib.sha256(data).hexdigest()


def chain_id(diff_ids: Iterable[str]) -> str:
    """Name of the snapshot that holds these layers, the lowest first."""
    chain = ''
    for diff_id in diff_ids:
        chain = digest_of(('%s %s' % (chain, diff_id)).encode()
                          ) if chain else diff_id
    return chain


def architecture() -> str:
    """This machine's, in the words of image platforms."""
    machine = platform.machine()
    return _MACHINES.get(machine, machine)


class Store:
    """The store behind a connection."""

    def __init__(self, connection: rpc.Connection):
        self._connection = connection

    # -- blobs -----------------------------------------------------------
    def chunks(self, digest: str, offset: int = 0) -> Iterator[bytes]:
        """The bytes of a blob, piece by piece.

        :raises ObjectMissing: it is not here.
        """
        for answer in self._connection.stream(
                'Content.Read', pb.ReadRequest(digest=digest,
                                               offset=offset)):
            yield answer.data

    def read(self, digest: str) -> bytes:
        return b''.join(self.chunks(digest))

    def read_json(self, digest: str) -> dict:
        return json.loads(self.read(digest))

    def has_blob(self, digest: str) -> bool:
        try:
            self._connection.call('Content.Info', pb.KeyRequest(key=digest))
        except base.ObjectMissing:
            return False
        return True

    def write(self, data: bytes, labels: dict[str, str]) -> str:
        """Store a small blob; returns its digest. It may be there."""
        digest = digest_of(data)
        request = pb.WriteRequest(
            action=pb.COMMIT, ref=rpc.own_name('blob'), total=len(data),
            expected=digest, data=data, labels=labels)
        try:
            for __ in self._connection.stream('Content.Write',
                                              iter([request])):
                pass
        except base.ObjectExists:
            self.label(digest, labels)
        return digest

    def label(self, digest: str, labels: dict[str, str]) -> None:
        """Set labels of a blob that is there."""
        if not labels:
            return
        self._connection.call('Content.Update', pb.UpdateBlobRequest(
            info=pb.BlobInfo(digest=digest, labels=labels),
            update_mask=field_mask_pb2.FieldMask(
                paths=['labels.' + key for key in labels])))

    def abort(self, ref: str) -> None:
        """Drop an ingest; none is no error."""
        with contextlib.suppress(base.ObjectMissing):
            self._connection.call('Content.Abort', pb.KeyRequest(key=ref))

    # -- images ----------------------------------------------------------
    def image(self, name: str):
        """The message of an image, or None."""
        try:
            return self._connection.call(
                'Images.Get', pb.KeyRequest(key=name)).image
        except base.ObjectMissing:
            return None

    def images(self, *filters: str) -> list:
        return list(self._connection.call(
            'Images.List', pb.ListRequest(filters=filters)).images)

    def put_image(self, name: str, digest: str, size: int,
                  labels: dict[str, str], media_type: str = MANIFEST):
        """Give an image a name, also where another one has it."""
        wanted = pb.OneImage(image=pb.Image(
            name=name, labels=labels, target=pb.Descriptor(
                media_type=media_type, digest=digest, size=size)))
        try:
            return self._connection.call('Images.Create', wanted).image
        except base.ObjectExists:
            return self._connection.call('Images.Update', wanted).image

    def remove_image(self, name: str) -> None:
        with contextlib.suppress(base.ObjectMissing):
            self._connection.call(
                'Images.Delete', pb.DeleteRequest(key=name, sync=True))

    def manifest(self, digest: str) -> tuple[str, dict]:
        """Digest and document of this machine's manifest of an image.

        :param digest: of a manifest or an index.
        :raises ObjectMissing: the image has none for this machine.
        """
        document = self.read_json(digest)
        if 'manifests' not in document:
            return digest, document
        for item in document['manifests']:
            wanted = item.get('platform') or {}
            if not wanted or (
                    wanted.get('os'), wanted.get('architecture')) == (
                    'linux', architecture()):
                return self.manifest(item['digest'])
        raise base.ObjectMissing(
            _('image %(digest)s has nothing for linux/%(architecture)s')
            % {'digest': digest, 'architecture': architecture()})

    def describe(self, image) -> base.RuntimeImage:
        """An image in the words of the interface."""
        try:
            __, document = self.manifest(image.target.digest)
            size = sum(layer['size'] for layer in document['layers'])
        except base.ObjectMissing:
            size = 0
        return base.RuntimeImage(
            image.name, image.target.digest, size, dict(image.labels),
            image.created_at.ToNanoseconds() / 1e9,
            int(image.labels.get(ADDED_BYTES) or 0))

    def put_manifest(self, config: dict, layers: list[dict]
                     ) -> tuple[str, int]:
        """Store configuration and manifest; returns digest and size.

        :param layers: descriptors, the lowest first; their blobs are here.
        """
        raw = json.dumps(config, sort_keys=True).encode()
        manifest = json.dumps({
            'schemaVersion': 2, 'mediaType': MANIFEST,
            'config': {'mediaType': CONFIG, 'digest': digest_of(raw),
                       'size': len(raw)},
            'layers': layers}).encode()
        refers = {_REFERS_CONFIG: digest_of(raw)}
        refers.update((_REFERS_LAYER % number, layer['digest'])
                      for number, layer in enumerate(layers))
        self.write(raw, {_REFERS_SNAPSHOT: chain_id(
            config['rootfs']['diff_ids'])})
        return self.write(manifest, refers), len(manifest)

    # -- snapshots -------------------------------------------------------
    def mounts(self, key: str) -> list:
        return list(self._ask('Mounts', key).mounts)

    def has_snapshot(self, key: str) -> bool:
        try:
            self._ask('Stat', key)
        except base.ObjectMissing:
            return False
        return True

    def usage(self, key: str) -> int:
        """Bytes that a snapshot takes, its parents not counted."""
        return self._ask('Usage', key).size

    def remove_snapshot(self, key: str) -> None:
        with contextlib.suppress(base.ObjectMissing):
            self._ask('Remove', key)

    def snapshots(self, *filters: str) -> Iterator:
        for answer in self._connection.stream(
                'Snapshots.List', pb.ListSnapshotsRequest(
                    snapshotter=SNAPSHOTTER, filters=filters)):
            yield from answer.info

    def _ask(self, method, key):
        return self._connection.call('Snapshots.' + method, pb.SnapshotRequest(
            snapshotter=SNAPSHOTTER, key=key))

    def unpack(self, layers: list[dict], diff_ids: list[str]) -> str:
        """Unpack layers into snapshots, as far as that is not done.

        :returns: the name of the topmost.
        """
        parent = ''
        for number, layer in enumerate(layers):
            chain = chain_id(diff_ids[:number + 1])
            if not self.has_snapshot(chain):
                self._unpack_one(layer, chain, parent)
            parent = chain
        return parent

    def _unpack_one(self, layer, chain, parent):
        key = '%s %s' % (rpc.own_name('extract'), chain)
        labels = {_SNAPSHOT_REF: chain}
        call = self._connection.call
        try:
            mounts = call('Snapshots.Prepare', pb.PrepareRequest(
                snapshotter=SNAPSHOTTER, key=key, parent=parent,
                labels=labels)).mounts
            call('Diff.Apply', pb.ApplyRequest(mounts=mounts, diff=descriptor(
                layer)), timeout=rpc.LEASE_SECONDS)
            call('Snapshots.Commit', pb.CommitSnapshotRequest(
                snapshotter=SNAPSHOTTER, name=chain, key=key,
                labels=labels))
        except base.ObjectExists:
            # Somebody unpacks the same layer.
            self.remove_snapshot(key)
        except base.RuntimeError:
            with contextlib.suppress(base.RuntimeError):
                self.remove_snapshot(key)
            raise

    @contextlib.contextmanager
    def view(self, parent: str) -> Iterator[list]:
        """Read-only mounts of a committed snapshot."""
        key = rpc.own_name('view')
        made = self._connection.call('Snapshots.View', pb.PrepareRequest(
            snapshotter=SNAPSHOTTER, key=key, parent=parent))
        try:
            yield list(made.mounts)
        finally:
            self.remove_snapshot(key)


def descriptor(document: dict) -> typing.Any:
    """The message of a descriptor in a manifest."""
    return pb.Descriptor(media_type=document['mediaType'],
                         digest=document['digest'], size=document['size'])
