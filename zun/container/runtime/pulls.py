# SPDX-License-Identifier: Apache-2.0
"""Images that come to a node: from registries, and as archives."""

from collections.abc import Callable
from collections.abc import Iterator
import contextlib
import queue
import typing

from google.protobuf import any_pb2

from zun.common.i18n import _
from zun.common import once
from zun.container.runtime import base
from zun.container.runtime import commit
from zun.container.runtime import containerd_pb2 as pb
from zun.container.runtime import rpc
from zun.container.runtime import store

# Seconds that one image may take.
PULL_SECONDS = 3600.0

_PIECE = 32 << 10
_STREAM_INIT = 'containerd.services.streaming.v1.StreamInit'
_TYPES = 'containerd.types.transfer.'


class Pulls:
    """Getting images into containerd's store."""

    def __init__(self, connection: rpc.Connection):
        self._connection = connection
        self._store = store.Store(connection)
        self._once = once.Once()

    def pull(self, reference: str, credentials: tuple[str, str, str] | None
             ) -> base.RuntimeImage:
        """See :meth:`zun.container.runtime.base.Runtime.pull`."""
        return self._once.do((reference, credentials), lambda: self._pull(
            reference, credentials))

    def _pull(self, reference, credentials):
        spec = pb.ImageSpec(image=reference)
        request = pb.PullImageRequest(image=spec)
        if credentials is not None:
            # The reference says which registry is meant.
            __, username, password = credentials
            request.auth.CopyFrom(pb.RegistryAuth(
                username=username, password=password))
        self._connection.call('ImageService.PullImage', request,
                              timeout=PULL_SECONDS)
        found = self.status(reference)
        if found is None:
            raise base.RuntimeError(
                _('image %s was pulled and is not there') % reference)
        return found

    def status(self, reference: str) -> base.RuntimeImage | None:
        """See :meth:`zun.container.runtime.base.Runtime.usable`."""
        image = self._connection.call(
            'ImageService.ImageStatus', pb.ImageStatusRequest(
                image=pb.ImageSpec(image=reference))).image
        if not image.id:
            return None
        return base.RuntimeImage(reference, image.id, image.size)

    def discard(self, image_id: str, reference: str) -> bool:
        """See :meth:`zun.container.runtime.base.Runtime.discard`."""
        if image_id in self._in_use():
            return False
        names = [image.name for image in self._store.images()
                 if self._is(image, image_id)]
        gone = names_to_remove(names, reference)
        for name in gone:
            self._store.remove_image(name)
        return bool(gone)

    def _is(self, image, image_id):
        try:
            __, manifest = self._store.manifest(image.target.digest)
        except base.ObjectMissing:
            return False
        return manifest['config']['digest'] == image_id

    def _in_use(self):
        boxes = self._connection.call('Containers.List', pb.ListRequest(
            filters=['labels."io.cri-containerd.kind"=="container"']))
        return {commit.cri_metadata(box)['ImageRef']
                for box in boxes.containers}

    def import_archive(self, source: typing.BinaryIO, name: str,
                       labels: dict[str, str]) -> base.RuntimeImage:
        """See :meth:`zun.container.runtime.base.Runtime.import_archive`."""
        return self._once.do(name, lambda: self._import(source, name, labels))

    def _import(self, source, name, labels):
        stream = rpc.own_name('import')
        platform = pb.Platform(os='linux', architecture=store.architecture())
        request = pb.TransferRequest(
            source=_packed(_TYPES + 'ImageImportStream',
                           pb.ImageImportStream(stream=stream)),
            destination=_packed(_TYPES + 'ImageStore', pb.ImageStore(
                name=name, labels={**store.MANAGED, **labels},
                platforms=[platform], unpacks=[pb.UnpackConfiguration(
                    platform=platform, snapshotter=store.SNAPSHOTTER)])))
        with self._connection.lease(), self._open(stream) as (send, answers):
            call = self._connection.future('Transfer.Transfer', request,
                                           timeout=PULL_SECONDS)
            # A transfer that fails early asks for nothing more.
            call.add_done_callback(lambda __: answers.cancel())
            with contextlib.suppress(base.RuntimeError):
                _feed(source, send, answers)
            with self._connection.errors():
                call.result()
        return self._store.describe(self._store.image(name))

    @contextlib.contextmanager
    def _open(self, name) -> Iterator[tuple[Callable, '_Answers']]:
        """A stream of bytes that a transfer reads."""
        out: queue.Queue = queue.Queue()
        out.put(_packed(_STREAM_INIT, pb.StreamInit(id=name)))
        answers = _Answers(self._connection, iter(out.get, None))
        try:
            next(answers)
            yield out.put, answers
        finally:
            out.put(None)
            answers.cancel()


class _Answers:
    """What comes back on a stream; another thread may end it."""

    def __init__(self, connection, requests):
        self._connection = connection
        self._call = connection.open('Streaming.Stream', requests)

    def __iter__(self):
        return self

    def __next__(self):
        with self._connection.errors():
            return next(self._call)

    def cancel(self):
        self._call.cancel()


def full_name(reference: str) -> str:
    """A reference as the runtime has it.

    >>> full_name('nginx:1.25')
    'docker.io/library/nginx:1.25'
    """
    domain, slash, rest = reference.partition('/')
    if slash and ('.' in domain or ':' in domain or domain == 'localhost'):
        return reference
    return 'docker.io/%s%s' % ('' if slash else 'library/', reference)


def names_to_remove(names: list[str], reference: str) -> list[str]:
    """Which names of an image go with one of them.

    Others may have pulled the same image by another name. Names by digest
    go with the last tag of their repository, and the one that is the
    image's id with the last of all.
    """
    wanted = full_name(reference)
    imported = [name for name in names if name.startswith(base.IMPORTED)]
    gone = [wanted] if wanted in names else imported
    left = [name for name in names if name not in gone and '@' not in name
            and not name.startswith('sha256:')]
    repositories = {name.rpartition(':')[0] for name in left}
    for name in names:
        if '@' in name and name.partition('@')[0] not in repositories:
            gone.append(name)
        elif name.startswith('sha256:') and not left:
            gone.append(name)
    return gone


def _feed(source, send, answers):
    """Send a file, as much at a time as the other side allows."""
    for answer in answers:
        window = pb.WindowUpdate.FromString(answer.value).update
        while window > 0:
            data = source.read(min(window, _PIECE))
            if not data:
                send(None)
                return
            send(_packed(_TYPES + 'Data', pb.StreamData(data=data)))
            window -= len(data)


def _packed(name, message):
    # containerd knows its types by the bare name.
    return any_pb2.Any(type_url=name, value=message.SerializeToString())
