# SPDX-License-Identifier: Apache-2.0
"""containerd, through its own gRPC API.

The CRI plugin keeps the kubelet's containers in the namespace ``k8s.io``
and names their Pod in labels. The messages are compiled from
``containerd.proto`` when the package is built.
"""

import pathlib
import time

from google.protobuf import empty_pb2

from zun.common.i18n import _
from zun.container.runtime import access
from zun.container.runtime import base
from zun.container.runtime import commit
from zun.container.runtime import containerd_pb2 as pb
from zun.container.runtime import pulls
from zun.container.runtime import rpc
from zun.container.runtime import store

_STATES = {
    pb.CREATED: base.State.CREATED,
    pb.RUNNING: base.State.RUNNING,
    pb.PAUSED: base.State.PAUSED,
    pb.PAUSING: base.State.PAUSED,
    pb.STOPPED: base.State.STOPPED,
}
# Seconds in which the CRI plugin learns of a new image.
_SEEN_SECONDS = 10.0
_SEEN_PAUSE = 0.01


class Containerd(base.Runtime):
    """The containerd behind a unix socket.

    :param endpoint: path of the socket, with or without ``unix://``.
    """

    def __init__(self, endpoint: str):
        super().__init__()
        self._connection = rpc.Connection(endpoint)
        self._store = store.Store(self._connection)
        self._commits = commit.Commits(self._connection)
        self._pulls = pulls.Pulls(self._connection)
        self._access = access.Access(self._connection)

    def version(self) -> str:
        return 'containerd ' + self._connection.call(
            'Version.Version', empty_pb2.Empty()).version

    def find(self, pod_uid, container_name):
        wanted = ','.join([
            'labels."io.kubernetes.pod.uid"=="%s"' % pod_uid,
            'labels."io.kubernetes.container.name"=="%s"' % container_name,
            'labels."io.cri-containerd.kind"=="container"'])
        found = self._connection.call('Containers.List', pb.ListRequest(
            filters=[wanted])).containers
        if not found:
            return None
        newest = max(found, key=lambda c: c.created_at.ToNanoseconds())
        process = self._process(newest.id)
        if process is None:
            return base.RuntimeContainer(newest.id, base.State.STOPPED)
        state = _STATES.get(process.status, base.State.STOPPED)
        ended = state is base.State.STOPPED
        return base.RuntimeContainer(
            newest.id, state, pid=0 if ended else process.pid,
            exit_code=process.exit_status if ended else None)

    def state(self, container_id):
        process = self._process(container_id)
        if process is None:
            return base.State.STOPPED
        return _STATES.get(process.status, base.State.STOPPED)

    def _process(self, container_id):
        try:
            return self._connection.call('Tasks.Get', pb.TaskRequest(
                container_id=container_id)).process
        except base.ObjectMissing:
            return None

    def _task_call(self, method, request, **options):
        try:
            return self._connection.call(method, request, **options)
        except base.ObjectMissing as exc:
            raise base.ContainerGone(request.container_id) from exc

    def signal(self, container_id, signum):
        self._task_call('Tasks.Kill', pb.KillRequest(
            container_id=container_id, signal=signum))

    def wait(self, container_id, timeout):
        try:
            return self._task_call(
                'Tasks.Wait', pb.WaitRequest(container_id=container_id),
                timeout=timeout).exit_status
        except base.RuntimeTimeout:
            return None

    def pause(self, container_id):
        self._switch('Tasks.Pause', container_id, base.State.PAUSED)

    def resume(self, container_id):
        self._switch('Tasks.Resume', container_id, base.State.RUNNING)

    def _switch(self, method, container_id, wanted):
        # containerd refuses to pause what is paused and to resume what
        # runs, so look first.
        process = self._process(container_id)
        if process is None or process.status == pb.STOPPED:
            raise base.ContainerGone(container_id)
        if _STATES.get(process.status) is wanted:
            return
        self._task_call(method, pb.TaskRequest(container_id=container_id))

    # -- images and layers -------------------------------------------------
    def image(self, name):
        found = self._store.image(name)
        return self._store.describe(found) if found else None

    def list_images(self, prefix=''):
        found = [self._store.describe(image)
                 for image in self._store.images()
                 if image.name.startswith(prefix)]
        return sorted(found, key=lambda image: image.created)

    def remove_image(self, name):
        self._store.remove_image(name)

    def pull(self, reference, credentials=None):
        return self._pulls.pull(reference, credentials)

    def usable(self, reference):
        return self._pulls.status(reference)

    def discard(self, image_id, reference):
        return self._pulls.discard(image_id, reference)

    def import_archive(self, source, name, labels=None):
        self._pulls.import_archive(source, name, labels or {})
        self._await_cri(name)
        return self._pulls.status(name)

    def root(self, container_id, write=False):
        return self._access.root(container_id, write)

    def pids(self, container_id):
        return self._access.pids(container_id)

    def figures(self, container_id):
        return self._access.figures(container_id)

    def commit(self, container_id, name, labels=None, unpack=True):
        made = self._commits.commit(container_id, name, labels or {},
                                    unpack)
        self._await_cri(name)
        return made

    def _await_cri(self, name):
        """Wait until the kubelet can have an image; an event tells."""
        deadline = time.monotonic() + _SEEN_SECONDS
        while not self._connection.call(
                'ImageService.ImageStatus', pb.ImageStatusRequest(
                    image=pb.ImageSpec(image=name))).image.id:
            if time.monotonic() > deadline:
                raise base.RuntimeTimeout(_(
                    'containerd does not show image %(name)s to the kubelet '
                    'after %(seconds)d seconds')
                    % {'name': name, 'seconds': _SEEN_SECONDS})
            time.sleep(_SEEN_PAUSE)

    def export_archive(self, name, fileobj, tag=None):
        return self._commits.export(name, fileobj, tag)

    def log_path(self, container_id):
        box = self._connection.call('Containers.Get', pb.KeyRequest(
            key=container_id)).container
        path = commit.cri_metadata(box).get('LogPath')
        return pathlib.Path(path) if path else None

    def sweep(self):
        with self._connection.idle() as idle:
            if idle:
                self._sweep()

    def _sweep(self):
        for lease in self._connection.call(
                'Leases.List', pb.ListRequest()).leases:
            if lease.id.startswith(rpc.OWN_PREFIX):
                self._connection.call('Leases.Delete', pb.DeleteRequest(
                    key=lease.id))
        for ingest in self._connection.call(
                'Content.ListStatuses', pb.ListRequest()).statuses:
            if ingest.ref.startswith(rpc.OWN_PREFIX):
                self._store.abort(ingest.ref)
        for snapshot in list(self._store.snapshots()):
            if snapshot.name.startswith(rpc.OWN_PREFIX):
                self._store.remove_snapshot(snapshot.name)
