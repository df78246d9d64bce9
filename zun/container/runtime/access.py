# SPDX-License-Identifier: Apache-2.0
"""Looking into a container from its node: files, processes, figures."""

from collections.abc import Iterator
import contextlib
import pathlib
import subprocess
import tempfile

from oslo_log import log as logging

from zun.common.i18n import _
from zun.container.runtime import base
from zun.container.runtime import containerd_pb2 as pb
from zun.container.runtime import rpc
from zun.container.runtime import store

LOG = logging.getLogger(__name__)

# The shim whose containers are processes of the node itself.
_PLAIN = 'io.containerd.runc.v2'
_ALIVE = (pb.RUNNING, pb.PAUSED, pb.PAUSING)
_MOUNT_SECONDS = 30
_MICROSECOND = 1000
_NO_LIMIT = 1 << 62


class Access:
    """What the node sees of its containers."""

    def __init__(self, connection: rpc.Connection):
        self._connection = connection
        self._store = store.Store(connection)

    @contextlib.contextmanager
    def root(self, container_id: str, write: bool) -> Iterator[pathlib.Path]:
        """See :meth:`zun.container.runtime.base.Runtime.root`."""
        pid = self._pid(container_id)
        if pid:
            self._require_plain(container_id)
            yield pathlib.Path('/proc/%d/root' % pid)
            return
        with self._mounted(container_id, write) as path:
            yield path

    def _pid(self, container_id):
        try:
            process = self._connection.call('Tasks.Get', pb.TaskRequest(
                container_id=container_id)).process
        except base.ObjectMissing:
            return 0
        return process.pid if process.status in _ALIVE else 0

    def _box(self, container_id):
        return self._connection.call('Containers.Get', pb.KeyRequest(
            key=container_id)).container

    def _require_plain(self, container_id):
        if self._box(container_id).runtime.name != _PLAIN:
            raise base.NotSupported(
                _('the container runs in a virtual machine, into which its '
                  'node cannot see'))

    @contextlib.contextmanager
    def _mounted(self, container_id, write):
        mounts = self._store.mounts(self._box(container_id).snapshot_key)
        with tempfile.TemporaryDirectory(prefix='zun-root-') as folder:
            made = 0
            try:
                for mount in mounts:
                    _run(mount_command(mount, folder, write))
                    made += 1
                yield pathlib.Path(folder)
            finally:
                for __ in range(made):
                    _run(['umount', folder])

    def pids(self, container_id: str) -> list[int]:
        """See :meth:`zun.container.runtime.base.Runtime.pids`."""
        self._require_plain(container_id)
        try:
            found = self._connection.call('Tasks.ListPids', pb.TaskRequest(
                container_id=container_id))
        except base.ObjectMissing as exc:
            raise base.ContainerGone(container_id) from exc
        return [process.pid for process in found.processes]

    def figures(self, container_id: str) -> dict:
        """See :meth:`zun.container.runtime.base.Runtime.figures`."""
        pid = self._pid(container_id)
        found = self._connection.call('Tasks.Metrics', pb.ListRequest(
            filters=['id==' + container_id])).metrics
        if not pid or not found:
            raise base.ContainerGone(container_id)
        data = found[0].data
        version = data.type_url.rpartition('/')[2]
        if version not in _FIGURES:
            raise base.NotSupported(
                _('figures of the kind %s are not known') % version)
        message, convert = _FIGURES[version]
        return {**convert(message.FromString(data.value)),
                'pid': self._plain_pid(container_id, pid)}

    def _plain_pid(self, container_id, pid):
        plain = self._box(container_id).runtime.name == _PLAIN
        return pid if plain else 0


def mount_command(mount, target: str, write: bool) -> list[str]:
    """The command that mounts a snapshot.

    :param mount: containerd's message.
    :param write: else an overlay's own layer is only one more below.
    """
    options = list(mount.options)
    upper = next((option[len('upperdir='):] for option in options
                  if option.startswith('upperdir=')), None)
    if not write and upper is not None:
        lower = next(option[len('lowerdir='):] for option in options
                     if option.startswith('lowerdir='))
        options = [option for option in options if not option.startswith(
            ('upperdir=', 'workdir=', 'lowerdir='))]
        options.append('lowerdir=%s:%s' % (upper, lower))
    if not write:
        options = [option for option in options if option != 'rw'] + ['ro']
    options += ['nosuid', 'nodev', 'noexec']
    kind = ['--bind'] if mount.type == 'bind' else ['-t', mount.type]
    # "rbind" and "bind" are flags of mount(2), not options of a type.
    options = [option for option in options
               if option not in ('rbind', 'bind')]
    return ['mount', *kind, '-o', ','.join(options), '--', mount.source,
            target]


def _run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True,
                          timeout=_MOUNT_SECONDS)
    if done.returncode:
        raise base.RuntimeError(_('%(command)s: %(error)s') % {
            'command': command[0], 'error': done.stderr.strip()})


def _from_v1(figures):
    memory = figures.memory
    return {
        'cpu_stats': {'cpu_usage': {
            'total_usage': figures.cpu.usage.total}},
        'memory_stats': {
            'usage': memory.usage.usage,
            'limit': _bounded(memory.usage.limit),
            'stats': {'total_inactive_file': memory.total_inactive_file}},
        'blkio_stats': {'io_service_bytes_recursive': [
            {'op': entry.op, 'value': entry.value}
            for entry in figures.blkio.io_service_bytes_recursive]}}


def _from_v2(figures):
    memory = figures.memory
    entries = []
    for entry in figures.io.usage:
        entries += [{'op': 'read', 'value': entry.rbytes},
                    {'op': 'write', 'value': entry.wbytes}]
    return {
        'cpu_stats': {'cpu_usage': {
            'total_usage': figures.cpu.usage_usec * _MICROSECOND}},
        'memory_stats': {
            'usage': memory.usage, 'limit': _bounded(memory.usage_limit),
            'stats': {'inactive_file': memory.inactive_file}},
        'blkio_stats': {'io_service_bytes_recursive': entries}}


def _bounded(limit):
    """A limit in bytes; 0: there is none."""
    return limit if limit < _NO_LIMIT else 0


_FIGURES = {
    'io.containerd.cgroups.v1.Metrics': (pb.CgroupV1, _from_v1),
    'io.containerd.cgroups.v2.Metrics': (pb.CgroupV2, _from_v2),
}
