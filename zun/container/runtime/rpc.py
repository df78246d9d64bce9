# SPDX-License-Identifier: Apache-2.0
"""Calls to containerd over its socket.

The same socket serves containerd's own services and the CRI's. The CRI
plugin keeps the kubelet's containers and images in the namespace
``k8s.io``, so every call of containerd's own names it. Messages are
compiled from ``containerd.proto`` when the package is built.
"""

from collections.abc import Iterable
from collections.abc import Iterator
import contextlib
import threading
import time
import typing
import uuid

from google.protobuf import any_pb2
from google.protobuf import empty_pb2
import grpc
from oslo_log import log as logging

from zun.common.i18n import _
from zun.container.runtime import base
from zun.container.runtime import containerd_pb2 as pb

LOG = logging.getLogger(__name__)

NAMESPACE = 'k8s.io'
CALL_SECONDS = 30.0
# What is made under a lease is safe from containerd's garbage collector
# for so long, also when nobody is left to end the lease.
LEASE_SECONDS = 3600
# Leases, ingests and snapshots of the agent's own begin so.
OWN_PREFIX = 'zun-'

_MESSAGE_BYTES = 16 << 20
_EMPTY = empty_pb2.Empty


class Method(typing.NamedTuple):
    """One method of a service.

    :ivar kind: how many messages go and come: ``unary_unary``,
        ``unary_stream`` or ``stream_stream``.
    """

    request: typing.Any
    answer: typing.Any
    kind: str = 'unary_unary'


# Full name of the service -> name of the method -> its messages.
_SERVICES = {
    'containerd.services.version.v1.Version': {
        'Version': Method(_EMPTY, pb.VersionResponse)},
    'containerd.services.containers.v1.Containers': {
        'Get': Method(pb.KeyRequest, pb.GetContainerResponse),
        'List': Method(pb.ListRequest, pb.ListContainersResponse)},
    'containerd.services.tasks.v1.Tasks': {
        'Get': Method(pb.TaskRequest, pb.GetTaskResponse),
        'Kill': Method(pb.KillRequest, _EMPTY),
        'Wait': Method(pb.WaitRequest, pb.WaitResponse),
        'Pause': Method(pb.TaskRequest, _EMPTY),
        'Resume': Method(pb.TaskRequest, _EMPTY),
        'ListPids': Method(pb.TaskRequest, pb.ListPidsResponse),
        'Metrics': Method(pb.ListRequest, pb.MetricsResponse)},
    'containerd.services.leases.v1.Leases': {
        'Create': Method(pb.CreateLeaseRequest, pb.CreateLeaseResponse),
        'Delete': Method(pb.DeleteRequest, _EMPTY),
        'List': Method(pb.ListRequest, pb.ListLeasesResponse)},
    'containerd.services.content.v1.Content': {
        'Info': Method(pb.KeyRequest, pb.BlobInfoResponse),
        'Update': Method(pb.UpdateBlobRequest, pb.BlobInfoResponse),
        'Read': Method(pb.ReadRequest, pb.ReadResponse, 'unary_stream'),
        'Write': Method(pb.WriteRequest, pb.WriteResponse,
                        'stream_stream'),
        'ListStatuses': Method(pb.ListRequest, pb.ListIngestsResponse),
        'Abort': Method(pb.KeyRequest, _EMPTY)},
    'containerd.services.snapshots.v1.Snapshots': {
        'Prepare': Method(pb.PrepareRequest, pb.MountsResponse),
        'View': Method(pb.PrepareRequest, pb.MountsResponse),
        'Mounts': Method(pb.SnapshotRequest, pb.MountsResponse),
        'Commit': Method(pb.CommitSnapshotRequest, _EMPTY),
        'Remove': Method(pb.SnapshotRequest, _EMPTY),
        'Stat': Method(pb.SnapshotRequest, pb.StatSnapshotResponse),
        'List': Method(pb.ListSnapshotsRequest, pb.ListSnapshotsResponse,
                       'unary_stream'),
        'Usage': Method(pb.SnapshotRequest, pb.UsageResponse)},
    'containerd.services.images.v1.Images': {
        'Get': Method(pb.KeyRequest, pb.OneImage),
        'List': Method(pb.ListRequest, pb.ListImagesResponse),
        'Create': Method(pb.OneImage, pb.OneImage),
        'Update': Method(pb.OneImage, pb.OneImage),
        'Delete': Method(pb.DeleteRequest, _EMPTY)},
    'containerd.services.diff.v1.Diff': {
        'Apply': Method(pb.ApplyRequest, pb.ApplyResponse),
        'Diff': Method(pb.DiffRequest, pb.DiffResponse)},
    'containerd.services.streaming.v1.Streaming': {
        'Stream': Method(any_pb2.Any, any_pb2.Any, 'stream_stream')},
    'containerd.services.transfer.v1.Transfer': {
        'Transfer': Method(pb.TransferRequest, _EMPTY)},
    'runtime.v1.ImageService': {
        'ImageStatus': Method(pb.ImageStatusRequest,
                              pb.ImageStatusResponse),
        'PullImage': Method(pb.PullImageRequest, pb.PullImageResponse)},
}


def own_name(what: str) -> str:
    """A fresh name for something of the agent's own."""
    return '%s%s-%s' % (OWN_PREFIX, what, uuid.uuid4().hex)


class Connection:
    """containerd behind a unix socket.

    Methods are named by service and method, ``Images.Get``.

    :param endpoint: path of the socket, with or without ``unix://``.
    """

    def __init__(self, endpoint: str):
        self.endpoint = endpoint.removeprefix('unix://')
        self._channel = grpc.insecure_channel(
            'unix://' + self.endpoint, options=[
                ('grpc.max_receive_message_length', _MESSAGE_BYTES),
                ('grpc.max_send_message_length', _MESSAGE_BYTES),
                # It is back soon, and a kill may be due.
                ('grpc.initial_reconnect_backoff_ms', 100),
                ('grpc.min_reconnect_backoff_ms', 100),
                ('grpc.max_reconnect_backoff_ms', 1000)])
        self._local = threading.local()
        self._work = threading.Lock()
        self._leases = 0
        self._calls = {}
        for service, methods in _SERVICES.items():
            short = service.rpartition('.')[2]
            for name, method in methods.items():
                self._calls['%s.%s' % (short, name)] = getattr(
                    self._channel, method.kind)(
                        '/%s/%s' % (service, name),
                        request_serializer=method.request.SerializeToString,
                        response_deserializer=method.answer.FromString)

    def call(self, method: str, request: typing.Any,
             timeout: float = CALL_SECONDS) -> typing.Any:
        """Ask once; returns the answer.

        :raises ObjectMissing, ObjectExists, RuntimeUnavailable,
            RuntimeTimeout, RuntimeError: as containerd answers.
        """
        with self.errors():
            return self._calls[method](request, timeout=timeout,
                                       metadata=self.metadata())

    def stream(self, method: str, request: typing.Any | Iterable,
               timeout: float | None = None,
               metadata: list | None = None) -> Iterator:
        """Ask where several messages go or come; yields the answers.

        :param metadata: of the thread for which another one asks.
        """
        with self.errors():
            answers = self._calls[method](
                request, timeout=timeout,
                metadata=metadata or self.metadata())
            try:
                yield from answers
            finally:
                answers.cancel()

    def open(self, method: str, requests: Iterable) -> typing.Any:
        """Begin with a call of many messages both ways.

        Its errors are gRPC's, see :meth:`errors`.
        """
        return self._calls[method](requests, metadata=self.metadata())

    def future(self, method: str, request: typing.Any,
               timeout: float | None = None) -> grpc.Future:
        """Ask in the background; see :meth:`errors` for its result."""
        return self._calls[method].future(request, timeout=timeout,
                                          metadata=self.metadata())

    def metadata(self) -> list[tuple[str, str]]:
        """What goes with a call: the namespace, and this thread's lease.
        """
        metadata = [('containerd-namespace', NAMESPACE)]
        lease = getattr(self._local, 'lease', None)
        if lease:
            metadata.append(('containerd-lease', lease))
        return metadata

    @contextlib.contextmanager
    def lease(self, seconds: float = LEASE_SECONDS) -> Iterator[str]:
        """Keep what this thread makes inside until it is referred to."""
        with self._work:
            self._leases += 1
        try:
            with self._lease(seconds) as made:
                yield made
        finally:
            with self._work:
                self._leases -= 1

    @contextlib.contextmanager
    def idle(self) -> Iterator[bool]:
        """Let nobody take a lease meanwhile; whether nobody has one."""
        with self._work:
            yield self._leases == 0

    @contextlib.contextmanager
    def _lease(self, seconds):
        expire = time.strftime('%Y-%m-%dT%H:%M:%SZ',
                               time.gmtime(time.time() + seconds))
        made = self.call('Leases.Create', pb.CreateLeaseRequest(
            id=own_name('lease'),
            labels={'containerd.io/gc.expire': expire})).lease.id
        outer = getattr(self._local, 'lease', None)
        self._local.lease = made
        try:
            yield made
        finally:
            self._local.lease = outer
            self._end_lease(made)

    def _end_lease(self, lease):
        try:
            self.call('Leases.Delete', pb.DeleteRequest(key=lease))
        except base.RuntimeError as exc:
            # The next sweep does it, and it expires by itself.
            LOG.warning('A lease was not ended: %s', exc)

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """Turn the errors of gRPC into those of the interface."""
        try:
            yield
        except grpc.RpcError as e:
            text = _('containerd at %(socket)s: %(text)s') % {
                'socket': self.endpoint, 'text': e.details()}
            raise _ERRORS.get(e.code(), base.RuntimeError)(text) from e


_ERRORS = {
    grpc.StatusCode.NOT_FOUND: base.ObjectMissing,
    grpc.StatusCode.ALREADY_EXISTS: base.ObjectExists,
    grpc.StatusCode.UNAVAILABLE: base.RuntimeUnavailable,
    grpc.StatusCode.DEADLINE_EXCEEDED: base.RuntimeTimeout,
}
