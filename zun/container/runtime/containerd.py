# SPDX-License-Identifier: Apache-2.0
"""containerd, through its own gRPC API.

The CRI plugin keeps the kubelet's containers in the namespace ``k8s.io``
and names their Pod in labels. The messages are compiled from
``containerd.proto`` when the package is built.
"""

import contextlib

from google.protobuf import empty_pb2
import grpc
from oslo_log import log as logging

from zun.common.i18n import _
from zun.container.runtime import base
from zun.container.runtime import containerd_pb2 as pb

LOG = logging.getLogger(__name__)

NAMESPACE = 'k8s.io'
CALL_SECONDS = 30.0

_CONTAINERS = '/containerd.services.containers.v1.Containers/'
_TASKS = '/containerd.services.tasks.v1.Tasks/'
_VERSION = '/containerd.services.version.v1.Version/'

# method -> (service, class of its request, class of its answer)
_METHODS = {
    'Version': (_VERSION, empty_pb2.Empty, pb.VersionResponse),
    'List': (_CONTAINERS, pb.ListContainersRequest,
             pb.ListContainersResponse),
    'Get': (_TASKS, pb.TaskRequest, pb.GetTaskResponse),
    'Kill': (_TASKS, pb.KillRequest, empty_pb2.Empty),
    'Wait': (_TASKS, pb.WaitRequest, pb.WaitResponse),
    'Pause': (_TASKS, pb.TaskRequest, empty_pb2.Empty),
    'Resume': (_TASKS, pb.TaskRequest, empty_pb2.Empty),
}

_STATES = {
    pb.CREATED: base.State.CREATED,
    pb.RUNNING: base.State.RUNNING,
    pb.PAUSED: base.State.PAUSED,
    pb.PAUSING: base.State.PAUSED,
    pb.STOPPED: base.State.STOPPED,
}


class Containerd(base.Runtime):
    """The containerd behind a unix socket.

    :param endpoint: path of the socket, with or without ``unix://``.
    """

    def __init__(self, endpoint: str):
        self.endpoint = endpoint.removeprefix('unix://')
        self._channel = grpc.insecure_channel('unix://' + self.endpoint)
        self._calls = {
            name: self._channel.unary_unary(
                service + name,
                request_serializer=request.SerializeToString,
                response_deserializer=answer.FromString)
            for name, (service, request, answer) in _METHODS.items()}

    def _call(self, method, request, timeout=CALL_SECONDS):
        return self._calls[method](
            request, timeout=timeout,
            metadata=(('containerd-namespace', NAMESPACE),))

    @contextlib.contextmanager
    def _errors(self, container_id=None):
        try:
            yield
        except grpc.RpcError as e:
            if e.code() == grpc.StatusCode.NOT_FOUND and container_id:
                raise base.ContainerGone(container_id) from e
            text = _('containerd at %(socket)s: %(text)s') % {
                'socket': self.endpoint, 'text': e.details()}
            if e.code() in (grpc.StatusCode.UNAVAILABLE,
                            grpc.StatusCode.DEADLINE_EXCEEDED):
                raise base.RuntimeUnavailable(text) from e
            raise base.RuntimeError(text) from e

    def version(self) -> str:
        with self._errors():
            return 'containerd ' + self._call(
                'Version', empty_pb2.Empty()).version

    def find(self, pod_uid, container_name):
        wanted = ','.join([
            'labels."io.kubernetes.pod.uid"=="%s"' % pod_uid,
            'labels."io.kubernetes.container.name"=="%s"' % container_name,
            'labels."io.cri-containerd.kind"=="container"'])
        with self._errors():
            found = self._call('List', pb.ListContainersRequest(
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

    def _process(self, container_id):
        try:
            with self._errors(container_id):
                return self._call('Get', pb.TaskRequest(
                    container_id=container_id)).process
        except base.ContainerGone:
            return None

    def signal(self, container_id, signum):
        with self._errors(container_id):
            self._call('Kill', pb.KillRequest(
                container_id=container_id, signal=signum))

    def wait(self, container_id, timeout):
        try:
            with self._errors(container_id):
                return self._call(
                    'Wait', pb.WaitRequest(container_id=container_id),
                    timeout=timeout).exit_status
        except base.RuntimeUnavailable as e:
            if e.__cause__.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
                return None
            raise

    def pause(self, container_id):
        self._switch('Pause', container_id, base.State.PAUSED)

    def resume(self, container_id):
        self._switch('Resume', container_id, base.State.RUNNING)

    def _switch(self, method, container_id, wanted):
        # containerd refuses to pause what is paused and to resume what
        # runs, so look first.
        process = self._process(container_id)
        if process is None or process.status == pb.STOPPED:
            raise base.ContainerGone(container_id)
        if _STATES.get(process.status) is wanted:
            return
        with self._errors(container_id):
            self._call(method, pb.TaskRequest(container_id=container_id))
